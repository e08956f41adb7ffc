"""The posterior of a quantity that is computed from parameters."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import KnowledgeError
from tacit.core.grid import Grid, number
from tacit.infer.queries import query
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.expansion import instance
from tacit.knowledge.parsing import expression_of, rule_of
from tacit.knowledge.rows import Rows
from tacit.learn.posteriors import Posterior
from tacit.learn.predictive import networks

MOST_ASKED = 1_000
"""Networks that are asked about an event."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derived:
    """A quantity for every value of what it leaves free, with its draws.

    labels  each instance in words; one, the text itself, where nothing is free
    draws   (draws, instances)
    """

    text: str
    labels: tuple[str, ...]
    draws: Floats
    level: float

    @property
    def mean(self) -> Floats:
        """(instances,)"""
        return np.asarray(self.draws.mean(axis=0))

    @property
    def sd(self) -> Floats:
        """(instances,)"""
        return np.asarray(self.draws.std(axis=0))

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper ends, equal tails cut off."""
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        lower, upper = np.quantile(self.draws, tails, axis=0)
        return np.asarray(lower), np.asarray(upper)

    def above(self, limit: float) -> Floats:
        """(instances,) the probability that it is above this."""
        return np.asarray((self.draws > limit).mean(axis=0))

    def __float__(self) -> float:
        if len(self.labels) != 1:
            raise KnowledgeError(f"{self.text} stands for {len(self.labels)} quantities, not one")
        return float(self.mean[0])

    def grid(self) -> Grid:
        """A line for each instance."""
        lower, upper = self.interval
        rows = tuple(
            (label, number(m), number(s), f"{low:.3g} to {high:.3g}")
            for label, m, s, low, high in zip(
                self.labels, self.mean, self.sd, lower, upper, strict=True
            )
        )
        heads = ("", "mean", "sd", f"{self.level:.0%} interval")
        title = self.text if len(self.labels) > 1 else ""
        return Grid(title, heads, rows, labels=1)

    def __str__(self) -> str:
        return str(self.grid())

    def __repr__(self) -> str:
        return f"<{self.text}: {', '.join(map(str, self.mean[:6].round(4)))}>"

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def derived(posterior: Posterior, text: str) -> Derived:
    """The quantity under every draw."""
    if not isinstance(text, str):
        raise KnowledgeError(f'a quantity is a text such as "P(A=a | B=b)", not {text!r:.60}')
    families = posterior.cells.families
    declared = {a.name for axes in families.values() for a in axes if not a.inferred_order}
    bound = bind([rule_of(f"{text} <= 0")], posterior.cells, ordered=declared)
    if bound.curved:
        return Derived(text, (text,), _by_queries(posterior, text), posterior.level)
    rows = bound.rows
    used, at = np.unique(rows.cells, return_inverse=True)
    values = rows_under(posterior, replace(rows, cells=at), used) - rows.limits
    labels = (text,) if len(rows) == 1 else tuple(map(_label, _lines(bound)))
    return Derived(text, labels, values, posterior.level)


def _by_queries(posterior: Posterior, text: str) -> Floats:
    """(draws, 1) a sum of probabilities of events, each asked of every network drawn."""
    parts = expression_of(text).parts
    values = []
    for network in networks(posterior, MOST_ASKED):
        total = 0.0
        for part in parts:
            asked = 1.0 if part.of is None else query(network, str(part.of))
            if not isinstance(asked, float) and asked.variables:
                raise KnowledgeError(
                    f"{part.of} leaves {asked.variables[0].name!r} open; name a state of it"
                )
            total += part.factor * float(asked)
        values.append([total])
    return np.array(values)


def rows_under(posterior: Posterior, rows: Rows, used: Ints) -> Floats:
    """(draws, rows) linear rows over the cells `used`, under every draw."""
    theta = np.zeros((posterior.size, used.size))
    for name in posterior.cells.families:
        start = posterior.cells.starts[name]
        inside = (used >= start) & (used < start + posterior.alpha[name].size)
        if inside.any():
            drawn = posterior.draws[name].reshape(posterior.size, -1)
            theta[:, inside] = drawn[:, used[inside] - start]
    return np.array([rows.values(each) for each in theta]).reshape(posterior.size, len(rows))


def _lines(bound: Bound) -> list[str]:
    return [instance(bound, at) for at in range(len(bound.rows))]


def _label(line: str) -> str:
    """What stands on both sides of a comparison, as one difference."""
    left, _, right = line.partition(" <= ")
    if right in ("0", ""):
        return left
    return f"{left} - ({right})" if " " in right.split("|")[-1].strip() else f"{left} - {right}"
