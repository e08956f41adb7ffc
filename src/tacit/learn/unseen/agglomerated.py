"""The way from many states of a hidden variable to one, and where it is best to stop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints, code_type
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.priors import BDeu, Prior
from tacit.learn.unseen.merging import TableWeights, Walk

SHOWN = 12
"""Numbers of states that a print shows, at least."""


@dataclass(frozen=True, slots=True)
class Merge:
    """A step: two nodes of the tree become one, and the score gains so much.

    Nodes below the number of first states are these; each step makes the next one.
    """

    step: int
    pair: tuple[int, int]
    made: int
    gain: float


@dataclass(frozen=True, eq=False)
class Tree:
    """Which states were merged, and of what the first ones consist.

    variables  the blanket; codes (first states, variables)
    weights    (first states,)  how many cases each holds
    """

    walk: Walk
    variables: tuple[str, ...]
    codes: Ints
    weights: Floats

    @property
    def states(self) -> int:
        """How many states there were at first."""
        return len(self.weights)

    @cached_property
    def merges(self) -> tuple[Merge, ...]:
        """Every step, in order."""
        node = list(range(self.states))
        found = []
        for step, (one, other) in enumerate(self.walk.merged.tolist()):
            made = self.states + step
            gain = float(self.walk.gains[step])
            found.append(Merge(step + 1, (node[one], node[other]), made, gain))
            node[one] = made
        return tuple(found)

    def cut(self, states: int) -> tuple[Ints, Ints]:
        """(first states,) which of so many states each has become, and the node of each state.

        States with more cases come first.
        """
        root = np.arange(self.states)
        node = np.arange(self.states)
        for step in range(self.states - states):
            one, other = self.walk.merged[step]
            root[root == other] = one
            node[one] = self.states + step
        left, number = np.unique(root, return_inverse=True)
        held = np.bincount(number, self.weights)
        order = np.argsort(-held, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        return rank[number], node[left[order]]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Agglomeration:
    """The states of a hidden variable, merged one pair after the other.

    hidden   the variable; dag with its place
    cases    what was learned from
    leaf_of  (cases,)  the first state of every case; -1 where its blanket is not complete
    tree     what was merged, step by step
    notes    what the reader should know
    """

    hidden: str
    dag: Dag
    cases: Dataset
    leaf_of: Ints
    tree: Tree
    prior: TableWeights
    notes: tuple[str, ...] = ()

    @property
    def states(self) -> int:
        """How many states score highest; one means that the variable is of no use."""
        return self.tree.walk.best

    @property
    def first_states(self) -> int:
        """How many there were to begin with."""
        return self.tree.states

    @property
    def merges(self) -> tuple[Merge, ...]:
        """Every step, in order."""
        return self.tree.merges

    @property
    def curve(self) -> Mapping[int, float]:
        """By number of states, what the families of the variable and its children score."""
        return {k + 1: float(score) for k, score in enumerate(self.tree.walk.scores)}

    @property
    def gain(self) -> float:
        """What the score of the best number of states is above that of one."""
        return float(self.tree.walk.scores[self.states - 1] - self.tree.walk.scores[0])

    def assignment(self, states: int | None = None) -> Ints:
        """(cases,) the state of every case, at the best number of states or another; -1 where it
        has none. States with more cases come first."""
        state_of, _ = self.tree.cut(self._number(states))
        found = np.append(state_of, -1)[self.leaf_of]
        return np.asarray(found)

    def completed(self, states: int | None = None) -> Dataset:
        """The cases with a column for the variable; its states are named 1, 2, ..."""
        k = self._number(states)
        variable = Discrete(self.hidden, tuple(str(number + 1) for number in range(k)))
        codes = self.assignment(k).astype(code_type(k))
        return replace(
            self.cases,
            variables={**self.cases.variables, self.hidden: variable},
            columns={**self.cases.columns, self.hidden: codes},
        )

    def start(self, states: int | None = None, prior: Prior | None = None) -> Network:
        """A network to start EM from: the dag fitted to the cases as completed.

        `tc.fit(start, cases, hidden={...}, start="given")` and
        `tc.structural_em(cases, start=start, hidden={...})` go on from it.
        """
        k = self._number(states)
        if k == 1:
            raise OptionError(
                f"with one state {quoted(self.hidden)} says nothing: there is nothing to start from"
                "\n\nremove it from the dag, or ask for 2 states or more"
            )
        return fitted_start(self.dag, self.completed(k), self.leaf_of >= 0, prior)

    def grid(self, most: int | None = None) -> Grid:
        """One line per number of states: the score and what it is made of."""
        best, walk = self.states, self.tree.walk
        shown = min(self.first_states, max(SHOWN, best + 3) if most is None else most)
        rows = []
        for k in range(1, shown + 1):
            own, children = walk.likelihoods[k - 1]
            rest = walk.scores[k - 1] - own - children
            numbers = (walk.scores[k - 1], own, children, rest)
            rows.append(
                (str(k), *(f"{number:,.2f}" for number in numbers), "best" if k == best else "")
            )
        more = self.first_states - shown
        foot = f"  ... and {counted(more, 'more number')} of states" if more else ""
        heads = ("states", "score", "log-likelihood", "of the children", "complexity", "")
        return Grid(
            f"{quoted(self.hidden)} by number of states, in nats", heads, tuple(rows), 1, foot
        )

    def to_plain(self) -> dict[str, Any]:
        """The tree, the curve and the best number of states as plain data, for JSON."""
        tree, walk = self.tree, self.tree.walk
        return {
            "hidden": self.hidden,
            "dag": str(self.dag),
            "prior": {"kind": self.prior.kind, "strength": self.prior.strength},
            "states": self.states,
            "blanket": list(tree.variables),
            "first_states": [
                {"configuration": configuration(self, codes), "weight": float(weight)}
                for codes, weight in zip(tree.codes, tree.weights, strict=True)
            ],
            "merges": [
                {"step": m.step, "pair": list(m.pair), "made": m.made, "gain": m.gain}
                for m in self.merges
            ],
            "curve": [
                {
                    "states": k + 1,
                    "score": float(walk.scores[k]),
                    "log_likelihood": float(walk.likelihoods[k, 0]),
                    "log_likelihood_of_children": float(walk.likelihoods[k, 1]),
                }
                for k in range(self.first_states)
            ],
            "notes": list(self.notes),
        }

    def to_dot(self, states: int | None = None) -> str:
        """The tree for Graphviz: leaves with their configuration, merges with step and gain; the
        states of the best number of them, or of another, have a double border. [HV1 X5.1]"""
        _, kept = self.tree.cut(self._number(states))
        return dot(self, frozenset(kept.tolist()))

    def _number(self, states: int | None) -> int:
        if states is None:
            return self.states
        whole = isinstance(states, int | np.integer) and not isinstance(states, bool)
        if not whole or not 1 <= states <= self.first_states:
            raise OptionError(f"states={states!r} must be a number from 1 to {self.first_states}")
        return int(states)

    def __repr__(self) -> str:
        many = counted(self.states, "state")
        return f"<Agglomeration: {quoted(self.hidden)} has {many} of {self.first_states:,}>"

    def __str__(self) -> str:
        cases = int(np.count_nonzero(self.leaf_of >= 0))
        said = "; one means that it is of no use" if self.states == 1 else ""
        return "\n".join(
            [
                f"{quoted(self.hidden)}: {counted(self.states, 'state')}, merged from "
                f"{self.first_states:,} in {counted(cases, 'case')}{said}",
                f"prior {self.prior}; score {self.gain:+,.2f} nats above one state",
                *(f"note: {note}" for note in self.notes),
                str(self.grid()),
            ]
        )

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def fitted_start(dag: Dag, cases: Dataset, lines: Any, prior: Prior | None) -> Network:
    """The dag fitted to those cases in which its hidden variables were given states."""
    from tacit.learn.fit import fit

    whole = cases.select([name for name in cases.names if name in dag])
    chosen = whole.take(np.flatnonzero(lines))
    return fit(dag, chosen, prior=prior or BDeu(5), progress=False, seed=0).network


def dot(found: Agglomeration, kept: frozenset[int]) -> str:
    """The text of the tree."""
    tree = found.tree
    lines = ["digraph agglomeration {", "  node [shape=circle];"]
    for leaf in range(tree.states):
        said = ", ".join(configuration(found, tree.codes[leaf]).values())
        lines.append(_node(leaf, f"{said}\n{tree.weights[leaf]:g}", leaf in kept, "shape=box"))
    for merge in found.merges:
        label = f"{merge.step}\n{merge.gain:+.2f}"
        lines.append(_node(merge.made, label, merge.made in kept))
        lines += [f"  n{merge.made} -> n{part};" for part in merge.pair]
    return "\n".join([*lines, "}", ""])


def _node(number: int, label: str, kept: bool, more: str = "") -> str:
    text = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    marks = [f'label="{text}"', *([more] if more else []), *(["peripheries=2"] if kept else [])]
    return f"  n{number} [{', '.join(marks)}];"


def configuration(found: Agglomeration, codes: Ints) -> dict[str, str]:
    """A configuration of the blanket by name; the states of other hidden variables are numbers."""
    named = {}
    for name, code in zip(found.tree.variables, codes, strict=True):
        variable = found.cases.variables.get(name)
        if isinstance(variable, Discrete):
            named[name] = variable.states[int(code)]
        else:
            named[name] = str(int(code) + 1)
    return named
