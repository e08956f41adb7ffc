"""Best trees and tree-augmented naive Bayes: dags that one maximum branching finds."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.core.errors import KnowledgeError, OptionError, listed, quoted
from tacit.engines.scoring import Scorer
from tacit.estimate.scores.dag_priors import DagTerms
from tacit.knowledge.limits import Limits
from tacit.learn.structure.branching import branching

ALIKE = 1e-12
"""Gains of an arc and its reverse that differ by less, as a share of the scores, are the same."""
ANOTHER = "another method takes it, for example tc.HillClimb()"


def chow_liu(
    scorer: Scorer,
    limits: Limits,
    terms: DagTerms | None = None,
    *,
    root: int | None = None,
    spanning: bool = False,
) -> tuple[tuple[int, ...], ...]:
    """The parents of every variable in the best dag in which nobody has two.

    The arc from p to c gains score(c | p) - score(c): for the log-likelihood, the mutual
    information of both times the cases. [Chow and Liu 1968; Edmonds 1967 where scores or rules set
    directions]
    """
    required = limits.required
    _check_single(limits.names, required, "in a tree nobody has two parents")
    _check_root(limits.names, required, root)
    gains = _gains(scorer, (), limits.allowed & (limits.most >= 1), terms)
    tree = _tree(gains, required, root, spanning)
    return tuple((parent,) if parent >= 0 else () for parent in tree.tolist())


def tan(
    scorer: Scorer,
    limits: Limits,
    terms: DagTerms | None = None,
    *,
    target: int,
    root: int | None = None,
    spanning: bool = False,
) -> tuple[tuple[int, ...], ...]:
    """The parents of every variable where the target is one of each and another may be.

    The arc from p to c gains score(c | target, p) - score(c | target): for the log-likelihood,
    their mutual information given the target times the cases. [Friedman, Geiger, Goldszmidt 1997]
    """
    names, required = limits.names, limits.required.copy()
    required[target] = False
    if root == target:
        raise OptionError(f"the target of TAN, {quoted(names[target])}, cannot be its root as well")
    _check_target(limits, required, target)
    _check_single(names, required, f"beside {quoted(names[target])} nobody has two parents in TAN")
    _check_root(names, required, root)
    open_ = limits.allowed & (limits.most >= 2)
    open_[target] = False
    gains = _gains(scorer, (target,), open_, terms)
    tree = _tree(gains, required, root, spanning)
    return tuple(
        () if child == target else tuple(sorted({target, parent} - {-1}))
        for child, parent in enumerate(tree.tolist())
    )


def _gains(scorer: Scorer, given: tuple[int, ...], open_: Bools, terms: DagTerms | None) -> Floats:
    """(n, n) what one more parent adds to a child that has those given; -inf where none may be."""
    n, scale = len(open_), 0.0
    gains = np.full((n, n), -np.inf)
    for child in range(n):
        tails = np.flatnonzero(open_[:, child])
        if child in given or not tails.size:
            continue
        alone = scorer.family(child, given)
        if np.isneginf(alone):
            who = " and ".join(quoted(scorer.names[at]) for at in (*given, child))
            raise OptionError(f"no distribution joins the parent and the child {who}\n\n{ANOTHER}")
        gains[tails, child] = scorer.adding(child, given, tails) - alone
        scale = max(scale, abs(alone))
    if terms is not None and len(given) + 1 < n:
        gains += terms.by_arc + terms.by_size[len(given) + 1] - terms.by_size[len(given)]
    return _settled(gains, ALIKE * scale)


def _settled(gains: Floats, tolerance: float) -> Floats:
    """Arcs that gain the same as their reverse gain it exactly: rounding sets no directions."""
    both = np.isfinite(gains) & np.isfinite(gains.T)
    ours, theirs = np.where(both, gains, 0.0), np.where(both, gains.T, 0.0)
    alike = both & (np.abs(ours - theirs) <= tolerance)
    return np.where(alike, (ours + theirs) / 2, gains)


def _tree(gains: Floats, required: Bools, root: int | None, spanning: bool) -> Ints:
    if root is not None:
        gains[:, root] = -np.inf
    forced = np.where(required.any(axis=0), required.argmax(axis=0), -1)
    found = branching(gains, forced, spanning=spanning)
    if found is None:
        raise KnowledgeError("no tree obeys the rules: arcs that they require form a cycle")
    return found


def _check_single(names: tuple[str, ...], required: Bools, rule: str) -> None:
    for child in np.flatnonzero(required.sum(axis=0) > 1).tolist():
        arcs = [_arc(names, tail, child) for tail in np.flatnonzero(required[:, child]).tolist()]
        raise KnowledgeError(
            f"{rule}, but knowledge requires {listed(arcs)}\n\ndrop all but one; {ANOTHER}"
        )


def _check_root(names: tuple[str, ...], required: Bools, root: int | None) -> None:
    if root is not None and required[:, root].any():
        arc = _arc(names, int(required[:, root].argmax()), root)
        raise KnowledgeError(
            f"{quoted(names[root])} is to be the root, but knowledge requires {arc}"
            "\n\nchoose another root, or drop this rule"
        )


def _check_target(limits: Limits, required: Bools, target: int) -> None:
    """Nothing, or an error if the target cannot be a parent of all others and of them alone."""
    names = limits.names
    others = np.arange(len(names)) != target
    forbidden = np.flatnonzero(~limits.allowed[target] & others)
    crowded = np.flatnonzero((limits.most < 1 + required.sum(axis=0)) & others)
    if required[:, target].any():
        clash = f"requires {_arc(names, int(required[:, target].argmax()), target)}"
    elif forbidden.size:
        clash = f"forbids {listed(_arc(names, target, child) for child in forbidden.tolist())}"
    elif crowded.size:
        clash = f"leaves no room for it among the parents of {quoted(names[crowded[0]])}"
    else:
        return
    raise KnowledgeError(
        f"TAN makes {quoted(names[target])} a parent of all others, but knowledge {clash}"
        f"\n\ndrop this rule; {ANOTHER}"
    )


def _arc(names: tuple[str, ...], tail: int, head: int) -> str:
    return f"{quoted(names[tail])} -> {quoted(names[head])}"
