"""`advise`: which way of learning suits some cases, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError
from tacit.core.grid import counted
from tacit.core.variables import Continuous
from tacit.io.cases import as_dataset
from tacit.learn.columns import columns_of, names_said
from tacit.learn.gathered import gather
from tacit.learn.structures import as_structure

SEEK = "seek"
"""Asks where hidden variables are, and how many."""
FEW = 20
"""Variables whose best dag can be proven in seconds."""
MANY = 500
"""Variables from which on every restart is long, and candidates for parents are chosen first."""
SPARSE = 20.0
"""Cases per state of a hidden variable and observed variable below which starts end far apart."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A way to learn: the call as Python writes it, and the reasons.

    function  "search", "structural_em", "fit", "propose_hidden" or "learn_hierarchy"
    """

    function: str
    call: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.call, *(f"  {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        return f"<pre>{escape(self.call)}</pre><ul>{items}</ul>"


def advise(data: Any, hidden: Mapping[str, int] | str | None = None, network: Any = None) -> Advice:
    """Which method suits these cases: by how many there are, their kinds, and what is missing.

    hidden   variables that nobody measured, with their numbers of states: {"H": 2}; "seek" where
             neither their places nor their numbers are known
    network  a dag that is known, as `tc.fit` takes it: what is left are its parameters

    What is said of restarts and annealing was measured in the experiments of this package.
    [HV1 section 5, HV2 section 8]
    """
    cases = as_dataset(data)
    if not cases.names or not len(cases):
        raise CasesError("there are no cases to give advice about")
    if hidden == SEEK:
        if network is not None:
            raise OptionError(f"hidden={SEEK!r} asks for places in a dag that is not known yet")
        return _sought(columns_of(cases).cases)
    if network is not None:
        unseen = _states(hidden)
        known = gather(as_structure(network), cases, unseen or None)
        return _fitted(known.cases, unseen, known.structure.dag)
    unseen = _states(hidden)
    cases = columns_of(cases, named=names_said(unseen)).cases
    gaps = sum(cases.missing().values())
    real = any(isinstance(each, Continuous) for each in cases.variables.values())
    if unseen:
        return _hidden_beside_reals(unseen) if real else _hidden(cases, unseen)
    if gaps:
        return _incomplete(cases, gaps, real)
    return _complete(cases, real)


def _states(hidden: Any) -> dict[str, int]:
    if hidden is None:
        return {}
    sound = isinstance(hidden, Mapping) and all(
        isinstance(name, str) and type(states) is int and states >= 1
        for name, states in hidden.items()
    )
    if not sound:
        raise OptionError(
            f'hidden={hidden!r:.60} must say how many states each variable has: {{"H": 2}}, or '
            f'be "{SEEK}"'
        )
    return dict(hidden)


def _complete(cases: Dataset, real: bool) -> Advice:
    many = len(cases.names)
    kinds = " with score BIC, which knows both kinds" if real else ""
    if many <= FEW:
        reason = f"{counted(many, 'variable')}: the best dag there is can be proven{kinds}"
        return Advice("search", "tc.search(data, method=tc.Exact())", (reason,))
    if many <= MANY:
        return Advice(
            "search",
            "tc.search(data)",
            (
                f"complete cases of {counted(many, 'variable')}: hill climbing with restarts by "
                f"reordering{kinds}",
                "weight annealing on complete cases is no better at equal effort; where seeds "
                "disagree, take tc.HillClimb(restarts=200)",
            ),
        )
    return Advice(
        "search",
        "tc.search(data, method=tc.HillClimb(restarts=0, candidates=10))",
        (
            f"{counted(many, 'variable')}: parents are chosen among promising candidates{kinds}",
            "restarts are long; allow a few when there is time",
        ),
    )


def _incomplete(cases: Dataset, gaps: int, real: bool) -> Advice:
    share = gaps / (len(cases) * len(cases.names))
    rounds = "score=tc.BIC() gives rounds that never fall, and fewer arcs"
    if real:
        rounds = "by score BIC, whose rounds do not fall"
    return Advice(
        "structural_em",
        "tc.structural_em(data)",
        (
            f"{counted(gaps, 'cell')} missing, {share:.1%} of all: no case is left out",
            f"{rounds}; cells that are missing for a reason of their own want "
            "tc.missing_as_state first",
        ),
    )


def _hidden(cases: Dataset, hidden: Mapping[str, int]) -> Advice:
    said = "{" + ", ".join(f"{name!r}: {states}" for name, states in hidden.items()) + "}"
    ratio = cases.total_weight / (sum(hidden.values()) * len(cases.names))
    if ratio >= SPARSE:
        return Advice(
            "structural_em",
            f"tc.structural_em(data, hidden={said}, restarts=10)",
            (
                "many cases for what is to be learned: several starts, the best counts",
                "compare with tc.search(data, score=tc.BDeu(5)), which has no hidden variable",
            ),
        )
    return Advice(
        "structural_em",
        f"tc.structural_em(data, hidden={said}, "
        "method=tc.WeightAnnealing(tc.HillClimb(restarts=0)))",
        (
            "few cases for what is to be learned: starts end far apart, and annealed weights led "
            "to higher scores than starts of equal effort",
            "compare with tc.search(data, score=tc.BDeu(5)), which has no hidden variable",
        ),
    )


def _hidden_beside_reals(hidden: Mapping[str, int]) -> Advice:
    said = "{" + ", ".join(f"{name!r}: {states}" for name, states in hidden.items()) + "}"
    return Advice(
        "structural_em",
        f"tc.structural_em(data, hidden={said}, restarts=10)",
        (
            "some columns have real values: several starts, the best counts by score BIC",
            "compare with tc.search(data), which has no hidden variable",
        ),
    )


def _fitted(cases: Dataset, unseen: Mapping[str, int], dag: Dag) -> Advice:
    """Parameters of a known dag: nothing to choose without hidden variables."""
    if not unseen:
        reason = "the dag is known and nothing is hidden: one optimum, or EM from the cases' own"
        return Advice("fit", "tc.fit(network, data)", (reason,))
    said = "{" + ", ".join(f"{name!r}: {states}" for name, states in unseen.items()) + "}"
    call = f"tc.fit(network, data, hidden={said}, method=tc.EM(restarts=20))"
    first = (
        "the best of as many starts of EM as take no longer was at least as good as one path of "
        "tc.IBEM() on most public tables, and most often on cases held out"
    )
    if any(isinstance(each, Continuous) for each in cases.variables.values()):
        return Advice("fit", call, ("EM knows both kinds of variables; paths know states only",))
    second = (
        "where starts end far apart compare tc.IBEM(penalty='entropy'), which reached or passed "
        "the best of fifty on tables with optima far apart"
    )
    if _tree(dag, unseen) and not sum(cases.missing().values()):
        second = (
            "hidden variables in a tree: compare tc.IBEM(inference='exact'), which ended higher "
            "than the path of a mean field, tc.IBEM(), in most hierarchies, and sooner"
        )
    third = "tc.IBEM().path tells how many states are worth telling apart, and what is shared when"
    return Advice("fit", call, (first, second, third))


def _tree(dag: Dag, unseen: Mapping[str, int]) -> bool:
    """Whether several hidden variables stand in trees above all others."""
    parents = (dag.parents[name] for name in dag.names)
    return len(unseen) > 1 and all(len(each) <= 1 and set(each) <= set(unseen) for each in parents)


def _sought(cases: Dataset) -> Advice:
    """Hidden variables whose places are not known. [HV2 section 8]"""
    if any(isinstance(each, Continuous) for each in cases.variables.values()):
        return Advice(
            "search",
            "tc.search(data, method=tc.IdealParent(hidden=True))",
            (
                "continuous columns: what several of them miss alike is a profile of a hidden "
                "parent",
            ),
        )
    ratio = cases.total_weight / max(len(cases.names), 1)
    if ratio >= SPARSE:
        reason = "many cases for the columns: links that a hidden variable leaves can be seen"
        return Advice("propose_hidden", "tc.propose_hidden(data)", (reason,))
    return Advice(
        "learn_hierarchy",
        "tc.learn_hierarchy(data)",
        (
            "few cases for the columns: one path finds hidden variables, their states and their "
            "children together, in a hierarchy",
            "tc.propose_hidden(data) finds variables with many clear children, in any dag",
        ),
    )
