"""Where a hidden variable is missing: children that stay dependent given their hidden parent."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log

import numpy as np

from tacit.arrays import Codes, Floats
from tacit.learn.bottleneck.completion import TINY
from tacit.learn.bottleneck.contexts import Contexts
from tacit.learn.bottleneck.enrichment import SIZE, Enrichment


@dataclass(frozen=True, slots=True)
class Signal:
    """A group of children that may have a hidden parent of their own, below `parent`.

    dependence  TC(C|T) = Σ H(X_i|T) - H(C|T), in nats per case
    entropy     H(C|T)
    most        Σ log |X_i|, more than which H(C|T) cannot be
    """

    parent: str
    children: tuple[str, ...]
    dependence: float
    entropy: float
    most: float

    def rank(self, ranking: str) -> float:
        """By what groups are ordered."""
        return self.dependence if ranking == "bound" else self.entropy

    def reaches(self, ranking: str, least: float) -> bool:
        """Whether the group counts."""
        if ranking == "bound":
            return self.dependence >= least
        return self.entropy >= least * self.most


def signals(
    contexts: Contexts, shares: Sequence[Floats], parent: str, settings: Enrichment
) -> tuple[Signal, ...]:
    """All groups of three observed children of a hidden variable that count, the best first.

    None while the variable says less about cases than it must. Of equals the first children in the
    order of the layout come first.
    """
    hidden = contexts.layout.places[parent]
    weighed = contexts.weights[:, None] * shares[_place(contexts, parent)]
    if _information(weighed) < settings.informed * log(contexts.layout.cards[hidden]):
        return ()
    columns = _candidates(contexts, weighed, hidden, settings.candidates)
    return _groups(contexts, weighed, parent, columns, settings)


def _place(contexts: Contexts, name: str) -> int:
    hidden = contexts.layout.places[name]
    return next(n for n, each in enumerate(contexts.open) if each.variable == hidden)


def _groups(
    contexts: Contexts, weighed: Floats, parent: str, columns: list[int], settings: Enrichment
) -> tuple[Signal, ...]:
    """All groups of these columns that count given some shares, the best first."""
    from tacit.kernels.bottleneck import dependence

    layout = contexts.layout
    groups = np.array(list(combinations(range(len(columns)), SIZE)), dtype=np.int64)
    if not len(groups):
        return ()
    codes = np.ascontiguousarray(contexts.codes[:, columns])
    cards = np.array([layout.cards[v] for v in columns], dtype=np.int64)
    apart, together = np.empty(len(groups)), np.empty(len(groups))
    dependence(codes, weighed, cards, groups, apart, together)
    names = [layout.names[v] for v in columns]
    found = (
        Signal(
            parent, tuple(names[v] for v in group), max(float(tc), 0.0), float(h),
            float(np.log(cards[group]).sum()),
        )
        for group, tc, h in zip(groups, apart, together, strict=True)
    )  # fmt: skip
    counting = [each for each in found if each.reaches(settings.ranking, settings.threshold)]
    return tuple(sorted(counting, key=lambda each: -each.rank(settings.ranking)))


def strongest(
    contexts: Contexts,
    shares: Sequence[Floats],
    settings: Enrichment,
    tried: Collection[tuple[str, frozenset[str]]] = (),
) -> tuple[Signal, ...]:
    """The best group below every hidden variable that was not tried before, the best first."""
    found = []
    for at in contexts.hidden:
        name = contexts.layout.names[contexts.open[at].variable]
        new = (
            each
            for each in signals(contexts, shares, name, settings)
            if (name, frozenset(each.children)) not in tried
        )
        found += [each for each in [next(new, None)] if each is not None]
    return tuple(sorted(found, key=lambda each: -each.rank(settings.ranking)))


def lumped(
    contexts: Contexts, shares: Sequence[Floats], parent: str, above: Floats, settings: Enrichment
) -> tuple[Signal, ...]:
    """The same as if the hidden variable were not there: the groups that it holds together.

    A variable with many states may stand for several at once, each state for a state of all of
    them; then its children say nothing more about each other. What they say given what lies above
    it, (contexts, states) `above`, tells which of them belong together. [beside HV2 2.11]
    """
    at = _place(contexts, parent)
    weighed = contexts.weights[:, None] * shares[at]
    columns = _candidates(contexts, weighed, contexts.layout.places[parent], settings.candidates)
    return _groups(contexts, contexts.weights[:, None] * above, parent, columns, settings)


def _candidates(contexts: Contexts, weighed: Floats, hidden: int, most: int) -> list[int]:
    """The observed children with the largest entropies H(X|T), in the order of the layout."""
    layout = contexts.layout
    unseen = {contexts.open[at].variable for at in contexts.hidden}
    children = [
        family for family in layout.touching[hidden] if family != hidden and family not in unseen
    ]
    entropies = [_entropy(contexts.codes[:, v], layout.cards[v], weighed) for v in children]
    order = np.argsort(-np.array(entropies), kind="stable")[:most]
    return [children[at] for at in np.sort(order)]


def _entropy(codes: Codes, card: int, weighed: Floats) -> float:
    """H(X|T) over the cases that have X."""
    known = codes >= 0
    table = np.stack(
        [np.bincount(codes[known], each[known], card) for each in weighed.T], axis=1
    )  # fmt: skip
    total = max(float(table.sum()), TINY)
    logs = np.log(np.maximum(table, TINY) / np.maximum(table.sum(axis=0), TINY))
    return float(-(table * logs).sum()) / total


def _information(weighed: Floats) -> float:
    """I(T; Y) of shares times weights."""
    lines, total = weighed.sum(axis=1, keepdims=True), weighed.sum()
    mean = weighed.sum(axis=0) / total
    held = weighed > 0
    apart = np.log(weighed / np.maximum(lines, TINY), where=held, out=np.zeros_like(weighed))
    return float((weighed * (apart - np.log(np.maximum(mean, TINY)))).sum() / total)
