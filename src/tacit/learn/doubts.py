"""Rules said with less than certainty: a mixture over the sets of rules that may hold.

A rule with confidence c holds with probability c before any case is seen, and otherwise says
nothing; rules are doubted independently of each other. Given the cases, a set S of them that hold
has the probability

P(S given cases)  ∝  Π_{held} c · Π_{not held} (1 - c) · P(cases given the rules of S),

among the sets that can hold together and with the certain rules, so that enough cases overrule a
wrong rule whatever its confidence below 1, and never a certain one. Rules that have no rows in
common are weighed apart. [PDKX-3, EXT-10; 5.1]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from tacit.arrays import Bools, Floats, Ints
from tacit.estimate.bayes.constants import log_evidence
from tacit.estimate.bayes.density import Density
from tacit.estimate.bayes.exact import Exact
from tacit.estimate.ruled.splits import ImproperError
from tacit.knowledge.blocks import blocks_of
from tacit.knowledge.bound import Bound
from tacit.learn.ground import Ground, ground_of, row_starts, said_of
from tacit.learn.whole import Asking

EVERY = 8
"""So many doubted rules of the same rows are tried in all combinations."""
WINDOW = float(np.log(1e4))
"""With more of them, the neighbours of sets that are not less probable than this by far."""
MOST = 2_000
"""Sets of rules that are tried at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """Rows that doubted rules speak of, tied to each other by whatever rules there are.

    rules    numbers of the doubted rules
    certain  numbers of the others
    cells    every cell of those rows
    """

    rules: tuple[int, ...]
    certain: tuple[int, ...]
    cells: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Scheme:
    """A set of doubted rules that may hold; `held` numbers them."""

    held: frozenset[int]
    ground: Ground


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The sets that may hold, and how probable each is given the cases.

    log_evidence, error  of the mixture
    pooled               whether pseudo-counts of tied cells were added up
    """

    doubt: Doubt
    schemes: tuple[Scheme, ...]
    weights: Floats
    log_evidence: float
    error: float
    pooled: bool

    def probability(self, rule: int) -> float:
        """That the rule holds, given the cases."""
        holds = np.array([rule in scheme.held for scheme in self.schemes])
        return float(min(self.weights[holds].sum(), 1.0))


def doubts_of(bound: Bound) -> tuple[Doubt, ...]:
    """The doubted rules, those with rows in common together."""
    doubted = [at for at, rule in enumerate(bound.rules) if rule.confidence < 1]
    if not doubted:
        return ()
    blocks = blocks_of(bound)
    owner = blocks.rule_block
    at = {rule: set(owner[blocks.rules.rule == rule].tolist()) for rule in range(len(bound.rules))}
    for ratio in blocks.ratios:
        at[ratio.rule].add(ratio.block)
    found = []
    for rules, where in _joined(doubted, at):
        certain = tuple(
            rule for rule in at if rule not in doubted and not at[rule].isdisjoint(where)
        )
        inside = np.isin(blocks.cell_block, sorted(where))
        found.append(Doubt(tuple(rules), certain, np.sort(blocks.cells[inside])))
    return tuple(found)


def _joined(rules: Sequence[int], at: dict[int, set[int]]) -> list[tuple[list[int], set[int]]]:
    """The rules grouped by the blocks they have in common."""
    groups: list[tuple[list[int], set[int]]] = []
    for rule in rules:
        members, where = [rule], set(at[rule])
        kept = []
        for others, blocks in groups:
            if blocks.isdisjoint(where):
                kept.append((others, blocks))
            else:
                members, where = others + members, where | blocks
        groups = [*kept, (sorted(members), where)]
    return groups


def weigh(bound: Bound, doubt: Doubt, prior: Floats, counts: Floats, asking: Asking) -> Weighed:
    """How probable every set of the doubted rules is.

    prior, counts: of all cells of the network, numbered as they are there
    """
    prior_log = _confidences(bound, doubt)
    scales: dict[bool, Weighed] = {}
    for pooled in (False, True):
        try:
            scales[pooled] = _weighed(bound, doubt, prior, counts, asking, prior_log, pooled)
        except ImproperError:
            continue
        break
    return next(iter(scales.values()))


def _confidences(bound: Bound, doubt: Doubt) -> dict[int, tuple[float, float]]:
    """Per rule, log of the probability that it does not hold, and that it does."""
    sure = {rule: bound.rules[rule].confidence for rule in doubt.rules}
    return {rule: (float(np.log1p(-c)), float(np.log(c))) for rule, c in sure.items()}


def _weighed(
    bound: Bound,
    doubt: Doubt,
    prior: Floats,
    counts: Floats,
    asking: Asking,
    prior_log: dict[int, tuple[float, float]],
    pooled: bool,
) -> Weighed:
    found: dict[frozenset[int], tuple[Scheme, float, float]] = {}
    best = able = -np.inf
    todo = _first(doubt)
    while todo and len(found) < MOST:
        held = todo.pop(0)
        if held in found:
            continue
        scheme = scheme_of(bound, doubt, held)
        value, error = _evidence(scheme, prior, counts, asking, pooled)
        believed = sum(prior_log[rule][rule in held] for rule in doubt.rules)
        value += believed
        found[held] = (scheme, value, error)
        if scheme.ground.feasible:
            able = float(np.logaddexp(able, believed))
        best = max(best, value)
        if len(doubt.rules) > EVERY and value > best - WINDOW:
            todo += [held ^ {rule} for rule in doubt.rules]
    if len(doubt.rules) > EVERY:
        able = 0.0  # not all of them were looked at
    return _normalised(doubt, list(found.values()), able, pooled)


def _first(doubt: Doubt) -> list[frozenset[int]]:
    rules = doubt.rules
    if len(rules) > EVERY:
        return [frozenset(), frozenset(rules)]
    switches = product((False, True), repeat=len(rules))
    return [frozenset(r for r, on in zip(rules, each, strict=True) if on) for each in switches]


def scheme_of(bound: Bound, doubt: Doubt, held: frozenset[int]) -> Scheme:
    """The rows of the doubt with the certain rules and those held."""
    rules = np.array(sorted({*doubt.certain, *held}), dtype=np.int64)
    said = said_of(bound, doubt.cells, rules)
    return Scheme(held, ground_of(said, row_starts(bound, doubt.cells)))


def _evidence(
    scheme: Scheme, prior: Floats, counts: Floats, asking: Asking, pooled: bool
) -> tuple[float, float]:
    """Log marginal likelihood of the rows under the scheme; -inf where it cannot hold."""
    ground = scheme.ground
    cells = ground.blocks.cells
    if not ground.feasible or (counts[cells][ground.inside.zero] > 0).any():
        return -np.inf, 0.0
    exact = Exact.of(ground.blocks, ground.inside, Density(prior[cells], pooled=pooled))
    found = log_evidence(
        ground.blocks, exact, prior[cells], counts[cells], asking.sampling, asking.seed,
        pooled=pooled, threads=asking.threads, inside=ground.inside,
    )  # fmt: skip
    return float(found.value.sum()), float(np.sqrt((found.error**2).sum()))


def _normalised(
    doubt: Doubt, found: list[tuple[Scheme, float, float]], able: float, pooled: bool
) -> Weighed:
    """able: log of the probability of all sets that can hold, before any case"""
    values = np.array([value for _, value, _ in found])
    top = values.max()
    shares = np.exp(values - top)
    weights = shares / shares.sum()
    errors = np.array([error for _, _, error in found])
    kept: Bools = weights > 0
    return Weighed(
        doubt,
        tuple(scheme for (scheme, _, _), keep in zip(found, kept, strict=True) if keep),
        weights[kept],
        float(top + np.log(shares.sum())) - able,
        float(np.sqrt(((weights * errors) ** 2).sum())),
        pooled,
    )
