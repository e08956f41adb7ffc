"""Answers about continuous variables: a normal distribution, or a mixture of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Bools, Floats, Ints, readonly, shares
from tacit.core.errors import OptionError, QueryError, listed, nearest, quoted
from tacit.core.grid import Grid, number, percentage
from tacit.core.variables import Continuous, Discrete
from tacit.families.table import cells
from tacit.infer.answers import Answer

LEVEL = 0.95


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NormalAnswer(Answer):
    """The distribution of continuous variables given findings: a mixture of normals, exactly, or,
    around curves, of many by weighted draws; `drawn` says how far to trust these.

    There is one normal for each configuration of states that was left open and matters, a single
    one where none was. `mean` and `sd` are those of the mixture. Where discrete variables were
    asked for as well, `variables` and `values` are theirs, as in other answers.

    reals           the continuous variables asked for
    weights         (normals,) how probable each is
    means           (normals, reals)
    covariances     (normals, reals, reals)
    configurations  (normals, variables) the states each stands for, as positions
    """

    reals: tuple[Continuous, ...] = ()
    weights: Floats = field(default_factory=lambda: np.ones(1))
    means: Floats = field(default_factory=lambda: np.zeros((1, 0)))
    covariances: Floats = field(default_factory=lambda: np.zeros((1, 0, 0)))
    configurations: Ints = field(default_factory=lambda: np.zeros((1, 0), np.int64))

    def __post_init__(self) -> None:
        for name in ("values", "weights", "means", "covariances"):
            object.__setattr__(self, name, readonly(getattr(self, name)))

    @property
    def names(self) -> tuple[str, ...]:
        """The continuous variables by name: the order of all arrays."""
        return tuple(variable.name for variable in self.reals)

    @property
    def mean(self) -> Mapping[str, float]:
        """The mean of each variable."""
        return self._named(self.weights @ self.means)

    @property
    def sd(self) -> Mapping[str, float]:
        """The standard deviation of each variable."""
        return self._named(np.sqrt(np.maximum(np.diag(self.covariance), 0.0)))

    @property
    def covariance(self) -> Floats:
        """(variables, variables) the covariance of the mixture, in the order of `names`."""
        apart = self.means - self.weights @ self.means
        within = np.einsum("k,kij->ij", self.weights, self.covariances)
        return np.asarray(within + np.einsum("k,ki,kj->ij", self.weights, apart, apart))

    @property
    def interval(self) -> Mapping[str, tuple[float, float]]:
        """Where each variable lies with probability 0.95, as much above as below."""
        ends = ((1 - LEVEL) / 2, (1 + LEVEL) / 2)
        found = {name: self.quantiles(name, ends) for name in self.names}
        return MappingProxyType({name: (each[0], each[1]) for name, each in found.items()})

    def quantiles(self, name: str, shares: Sequence[float]) -> tuple[float, ...]:
        """The values below which a variable lies with these probabilities, exactly."""
        if not all(0 < share < 1 for share in shares):
            raise OptionError(f"quantiles are asked for between 0 and 1, not {list(shares)}")
        at = self._place(name)
        means, sds = self.means[:, at], np.sqrt(np.maximum(self.covariances[:, at, at], 0.0))
        return tuple(_quantile(self.weights, means, sds, share) for share in shares)

    def probability(
        self, name: str, *, above: float | None = None, below: float | None = None
    ) -> float:
        """The probability that a variable lies above a value, below one, or between two."""
        at = self._place(name)
        means, sds = self.means[:, at], np.sqrt(np.maximum(self.covariances[:, at, at], 0.0))
        under = np.zeros(means.size) if above is None else _below(means, sds, above)
        over = np.zeros(means.size) if below is None else _above(means, sds, below)
        if below is None:
            within = np.ones(means.size) if above is None else _above(means, sds, above)
        else:
            within = np.maximum(_below(means, sds, below) - under, 0.0)
        masses = np.array([self.weights @ within, self.weights @ under, self.weights @ over])
        return float(shares(masses)[0])

    def where(self, **states: str) -> NormalAnswer:
        """The distribution where discrete variables that were asked for have these states."""
        kept = np.ones(self.weights.size, dtype=np.bool_)
        known = [variable.name for variable in self.variables]
        for name, state in states.items():
            if name not in known:
                raise QueryError(f"{self.query} does not ask for the states of {name!r}")
            at = known.index(name)
            kept &= self.configurations[:, at] == self.variables[at].code(state)
        said = ", ".join(f"{quoted(name)}={quoted(state)}" for name, state in states.items())
        if not self.weights[kept].sum() > 0:
            raise QueryError(f"{self.query} holds {said} impossible")
        return self._kept(kept, f"{self.query} where {said}")

    def of(self, name: str) -> NormalAnswer:
        """The distribution of one of the continuous variables."""
        at = self._place(name)
        found = normals(
            self.query, self.variables, (self.reals[at],), self.weights, self.means[:, [at]],
            self.covariances[:, [at]][:, :, [at]], self.configurations,
        )  # fmt: skip
        return replace(found, drawn=self.drawn)

    def __float__(self) -> float:
        if len(self.reals) > 1:
            raise QueryError(f"{self.query} has {len(self.reals)} means; take mean[...] of one")
        return float(self.weights @ self.means[:, 0])

    def by_state(self) -> list[tuple[tuple[str, ...], NormalAnswer]]:
        """The states asked for that are possible, and the distribution where they hold."""
        shape, found = self.values.shape, []
        at = cells(shape, list(self.configurations.T))
        for cell in np.flatnonzero(self.values.ravel() > 0).tolist():
            codes = np.unravel_index(cell, shape)
            states = tuple(v.states[c] for v, c in zip(self.variables, codes, strict=True))
            kept = at == cell
            found.append((states, self._kept(kept, self.query)))
        return found

    def _kept(self, kept: Bools, title: str) -> NormalAnswer:
        """The mixture of some of its normals."""
        mixture = (
            shares(self.weights[kept]),
            self.means[kept],
            self.covariances[kept],
            self.configurations[kept],
        )
        return replace(normals(title, self.variables, self.reals, *mixture), drawn=self.drawn)

    def to_frame(self, backend: str | None = None) -> Any:
        """One line per variable: mean, sd and the interval of 95%. Where states were asked for as
        well, one line for each of them: its probability, and the means and sds where it holds."""
        if self.variables:
            return frames.build(self._state_columns(), backend)
        interval = list(self.interval.values())
        return frames.build(
            {
                "variable": list(self.names),
                "mean": np.array(list(self.mean.values())),
                "sd": np.array(list(self.sd.values())),
                "lower": np.array([lower for lower, _ in interval]),
                "upper": np.array([upper for _, upper in interval]),
            },
            backend,
        )

    def _state_columns(self) -> dict[str, Any]:
        parts = self.by_state()
        columns: dict[str, Any] = {
            v.name: [states[at] for states, _ in parts] for at, v in enumerate(self.variables)
        }
        columns["probability"] = self.values.ravel()[self.values.ravel() > 0]
        for name in self.names:
            columns[f"mean({name})"] = np.array([part.mean[name] for _, part in parts])
            columns[f"sd({name})"] = np.array([part.sd[name] for _, part in parts])
        return columns

    def _state_grid(self, most_rows: int) -> Grid:
        columns, labels = self._state_columns(), len(self.variables)
        lines = list(zip(*columns.values(), strict=True))
        rows = tuple(
            (*line[:labels], number(float(line[labels])), *(f"{x:.4g}" for x in line[labels + 1 :]))
            for line in lines[:most_rows]
        )
        more = len(lines) - len(rows)
        foot = [f"  ... and {more:,} more"] if more else []
        foot += [f"  {self.drawn}"] if self.drawn is not None else []
        return Grid(self.query, tuple(columns), rows, labels=labels, foot="\n".join(foot))

    def grid(self, most_rows: int = 60) -> Grid:
        """The answer as a labelled table."""
        if self.variables:
            return self._state_grid(most_rows)
        mean, sd, interval = self.mean, self.sd, self.interval
        rows = tuple(
            (quoted(name), *(f"{x:.4g}" for x in (mean[name], sd[name], *interval[name])))
            for name in self.names[:most_rows]
        )
        tails = [percentage(round((1 + side * LEVEL) / 2, 6)) for side in (-1, 1)]
        more = len(self.reals) - len(rows)
        foot = [f"  ... and {more:,} more"] if more else []
        if self.drawn is not None:
            foot.append(f"  {self.drawn}")
        elif self.weights.size > 1:
            foot.append(f"  a mixture of {self.weights.size:,} normals")
        return Grid(self.query, ("variable", "mean", "sd", *tails), rows, foot="\n".join(foot))

    def _named(self, values: Floats) -> Mapping[str, float]:
        return MappingProxyType(dict(zip(self.names, values.tolist(), strict=True)))

    def _place(self, name: str) -> int:
        if name not in self.names:
            raise QueryError(
                f"{self.query} does not ask for {name!r}{nearest(name, self.names)}"
                f"\n\nasked for: {listed(self.names)}"
            )
        return self.names.index(name)

    def __repr__(self) -> str:
        shown = listed((f"{name} {mean:.4g}" for name, mean in self.mean.items()), 4)
        return f"<NormalAnswer {self.query}: {shown}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def normals(
    query: str,
    variables: tuple[Discrete, ...],
    reals: tuple[Continuous, ...],
    weights: Floats,
    means: Floats,
    covariances: Floats,
    configurations: Ints,
) -> NormalAnswer:
    """The answer of a mixture, its discrete part summed up."""
    shape = tuple(len(variable.states) for variable in variables)
    at = cells(shape, list(configurations.T)) if shape else np.zeros(weights.size, np.int64)
    values = np.zeros(prod(shape))
    np.add.at(values, at, weights)
    mixture = (reals, weights, means, covariances, configurations)
    return NormalAnswer(query, variables, shares(values).reshape(shape), None, None, *mixture)


def _below(means: Floats, sds: Floats, value: float) -> Floats:
    """P(no larger than a value) under each of some normals; an sd of 0 is a step."""
    from scipy.special import ndtr

    safe = np.where(sds > 0, sds, 1.0)
    return np.where(sds > 0, ndtr((value - means) / safe), value >= means)


def _above(means: Floats, sds: Floats, value: float) -> Floats:
    """P(larger than a value) under each of them, to the last digit however small it is."""
    return np.where(sds > 0, _below(-means, sds, -value), value < means)


def _quantile(weights: Floats, means: Floats, sds: Floats, share: float) -> float:
    """By halving between the least and the largest quantile of the normals in it."""
    from scipy.special import ndtri

    ends = means + sds * ndtri(share)
    low, high = float(ends.min()), float(ends.max())
    for _ in range(200):
        middle = low + (high - low) / 2
        if not low < middle < high:
            break
        if weights @ _below(means, sds, middle) < share:
            low = middle
        else:
            high = middle
    return high
