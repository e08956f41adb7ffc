"""The posterior of a quantity that is computed from parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import KnowledgeError
from tacit.core.grid import Grid, number, percentage
from tacit.estimate.curved.functions import functions_of
from tacit.infer.queries import query
from tacit.knowledge.applying import rule
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.expansion import instance
from tacit.knowledge.expressions import Coefficient, Expression, Factors, Link, Operand
from tacit.knowledge.parsing import expression_of, rule_of
from tacit.knowledge.rows import Rows
from tacit.knowledge.terms import Probability
from tacit.learn.continuous.derived import Margin, measured, speaks_of_numbers
from tacit.learn.posteriors import Posterior
from tacit.learn.predictive import networks

MOST_ASKED = 1_000
"""Networks that are asked about an event."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Derived:
    """A quantity for every value of what it leaves free, with its draws.

    labels   each instance in words; one, the text itself, where nothing is free
    draws    (draws, instances)
    margins  closed forms of all instances, where regressions have them: what is told is then exact
    """

    text: str
    labels: tuple[str, ...]
    draws: Floats
    level: float
    margins: tuple[Margin, ...] | None = None

    @property
    def mean(self) -> Floats:
        """(instances,)"""
        if self.margins is not None:
            return np.array([each.mean for each in self.margins])
        return np.asarray(self.draws.mean(axis=0))

    @property
    def sd(self) -> Floats:
        """(instances,)"""
        if self.margins is not None:
            return np.array([each.sd for each in self.margins])
        return np.asarray(self.draws.std(axis=0))

    @property
    def interval(self) -> tuple[Floats, Floats]:
        """Lower and upper ends, equal tails cut off."""
        tails = [(1 - self.level) / 2, (1 + self.level) / 2]
        if self.margins is not None:
            low, high = (np.array([each.quantile(tail) for each in self.margins]) for tail in tails)
            return low, high
        lower, upper = np.quantile(self.draws, tails, axis=0)
        return np.asarray(lower), np.asarray(upper)

    def above(self, limit: float) -> Floats:
        """(instances,) the probability that it is above this."""
        if self.margins is not None:
            return np.array([each.above(limit) for each in self.margins])
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
        heads = ("", "mean", "sd", f"{percentage(self.level)} interval")
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
    said = expression_of(text)
    if speaks_of_numbers(said):
        own = measured(posterior, text)
        return Derived(text, own.labels, own.draws, posterior.level, own.margins)
    cells = posterior.cells
    bound = bind(
        [rule_of(f"{text} <= 0")], cells, ordered=cells.declared, others=tuple(posterior.lines)
    )
    if any(isinstance(part.of, Factors) for part in said.parts):
        return _by_functions(posterior, text, said)
    if bound.curved:
        return Derived(text, (text,), _by_queries(posterior, said), posterior.level)
    rows = bound.rows
    if not len(rows):
        return Derived(text, (text,), np.zeros((posterior.size, 1)), posterior.level)
    used, at = np.unique(rows.cells, return_inverse=True)
    values = rows_under(posterior, replace(rows, cells=at), used) - rows.limits
    labels = (text,) if len(rows) == 1 else tuple(map(_label, _lines(bound)))
    return Derived(text, labels, values, posterior.level)


def _by_functions(posterior: Posterior, text: str, said: Expression) -> Derived:
    """Products and quotients, computed as they are written under every draw.

    A rule would multiply a quotient out, which says the same of a bound, but has other values.
    """
    asked = rule(
        lambda *values: _value(said, iter(values)), [str(each) for each in _asked(said)], at_most=0,
        name="f",
    )  # fmt: skip
    bound = bind([asked], posterior.cells, ordered=posterior.cells.declared)
    functions = functions_of(bound, posterior.network.dag)
    drawn = cells_under(posterior, functions.support)
    theta, values = np.zeros(posterior.cells.size), np.empty((posterior.size, len(functions)))
    for at, each in enumerate(drawn):
        theta[functions.support] = each
        values[at] = functions.values(theta)
    if np.isnan(values).any():
        broken = int(np.isnan(values).any(axis=1).sum())
        raise KnowledgeError(
            f"{text} divides by 0 in {broken:,} of {posterior.size:,} draws"
            "\n\nask for what is divided and for what divides it, each by itself"
        )
    labels = (text,) if len(functions) == 1 else tuple(map(_inner, functions.texts))
    return Derived(text, labels, values, posterior.level)


def _asked(said: Operand) -> Iterator[Probability]:
    """The probabilities of an expression, from left to right."""
    if isinstance(said, Probability):
        yield said
        return
    for part in said.parts:
        if isinstance(part.of, Factors):
            for each in (*part.of.over, *part.of.under):
                yield from _asked(each)
        elif isinstance(part.of, Probability):
            yield part.of


def _value(said: Operand, values: Iterator[float]) -> float:
    """The expression, its probabilities having these values from left to right."""
    if isinstance(said, Probability):
        return next(values)
    return float(sum(part.factor * _times(part.of, values) for part in said.parts))


def _times(of: Probability | Coefficient | Link | Factors | None, values: Iterator[float]) -> float:
    if not isinstance(of, Factors):
        return 1.0 if of is None else next(values)
    found = 1.0
    for each in of.over:
        found *= _value(each, values)
    for each in of.under:
        found /= _value(each, values)
    return found


def _inner(text: str) -> str:
    """f(P(A=a), P(B=b)) <= 0 without all but the probabilities."""
    return text.removeprefix("f(").removesuffix(" <= 0").removesuffix(")")


def _by_queries(posterior: Posterior, said: Expression) -> Floats:
    """(draws, 1) a sum of probabilities of events, each asked of every network drawn."""
    parts = said.parts
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
    theta = cells_under(posterior, used)
    return np.array([rows.values(each) for each in theta]).reshape(posterior.size, len(rows))


def cells_under(posterior: Posterior, used: Ints) -> Floats:
    """(draws, cells) some cells under every draw."""
    theta = np.zeros((posterior.size, used.size))
    for name in posterior.cells.families:
        start = posterior.cells.starts[name]
        inside = (used >= start) & (used < start + posterior.alpha[name].size)
        if inside.any():
            drawn = posterior.draws[name].reshape(posterior.size, -1)
            theta[:, inside] = drawn[:, used[inside] - start]
    return theta


def _lines(bound: Bound) -> list[str]:
    return [instance(bound, at) for at in range(len(bound.rows))]


def _label(line: str) -> str:
    """What stands on both sides of a comparison, as one difference."""
    left, _, right = line.partition(" <= ")
    if right in ("0", ""):
        return left
    return f"{left} - ({right})" if " " in right.split("|")[-1].strip() else f"{left} - {right}"
