"""`residuals`: whether the cases lie about lines and curves of Gaussian families as these say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from tacit.arrays import Column, Floats
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import NetworkError, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network, check_network
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.io.cases import as_dataset
from tacit.learn.fits import Fit

Straying: TypeAlias = LinearGaussian | ConditionalGaussian | CurvedGaussian
"""Families with a mean and noise about it."""
BANDS = 8
"""Bands of cases with similar fitted values."""
LEAST = 20
"""Cases from which on a family is judged."""
DOUBTFUL = 0.01
"""What comes by chance less often than this is told."""


@dataclass(frozen=True, slots=True)
class Band:
    """Cases with similar fitted values: how many, the mean of these and of the child, and how many
    standard errors the two are apart."""

    cases: float
    fitted: float
    seen: float
    errors: float


@dataclass(frozen=True, slots=True)
class ResidualCheck:
    """What the residuals of one family, in units of its sd, look like.

    cases       those complete in the family
    skewness    0 for a normal distribution
    kurtosis    in excess of a normal distribution's: above 0 has heavy tails
    normal      how often skewness and tails would be so large by chance (Jarque and Bera 1987)
    straight    how often the bands would lie so far off the line by chance
    even        how often the size of residuals would go so much with fitted values by chance
    along       what the mean follows: "line" or "curve"
    """

    variable: str
    cases: float
    mean: float
    sd: float
    skewness: float
    kurtosis: float
    normal: float
    straight: float
    even: float
    bands: tuple[Band, ...]
    along: str = "line"

    @property
    def doubts(self) -> tuple[str, ...]:
        """What is hardly chance, in words."""
        found = []
        if self.straight < DOUBTFUL:
            found.append(f"the mean bends away from the {self.along}")
        if self.even < DOUBTFUL:
            found.append(f"the noise grows or shrinks along the {self.along}")
        if self.normal < DOUBTFUL:
            tails = "heavy tails" if self.kurtosis > 0 else "light tails"
            heavy = abs(self.kurtosis) / 2 > abs(self.skewness)
            found.append(f"the noise has {tails}" if heavy else "the noise is skewed")
        return tuple(found)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Residuals:
    """One check per continuous variable, by name; prints as a table."""

    checks: Mapping[str, ResidualCheck]

    def __getitem__(self, name: str) -> ResidualCheck:
        return self.checks[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.checks)

    def __len__(self) -> int:
        return len(self.checks)

    def grid(self) -> Grid:
        """One line per variable."""
        heads = ("variable", "cases", "skewness", "kurtosis", "normal", "straight", "even")
        rows = tuple(
            (quoted(name), f"{each.cases:,.6g}", f"{each.skewness:.2f}", f"{each.kurtosis:.2f}",
             *map(chance, (each.normal, each.straight, each.even)))
            for name, each in self.checks.items()
        )  # fmt: skip
        doubts = [
            f"  {quoted(name)}: {', '.join(each.doubts)}"
            for name, each in self.checks.items()
            if each.doubts
        ]
        return Grid("Residuals", heads, rows, foot="\n".join(doubts))

    def to_plain(self) -> list[dict[str, Any]]:
        """All of it as plain data."""
        return [
            {
                "variable": each.variable, "cases": each.cases, "mean": each.mean, "sd": each.sd,
                "skewness": each.skewness, "kurtosis": each.kurtosis,
                "normal": _finite(each.normal), "straight": _finite(each.straight),
                "even": _finite(each.even), "doubts": list(each.doubts),
                "along": each.along,
                "bands": [
                    {"cases": b.cases, "fitted": b.fitted, "seen": b.seen, "errors": b.errors}
                    for b in each.bands
                ],
            }
            for each in self.checks.values()
        ]  # fmt: skip

    def __repr__(self) -> str:
        return f"<Residuals of {counted(len(self), 'variable')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def residuals(network: Network | Fit, data: Any) -> Residuals:
    """The residuals of every Gaussian family on these cases: are they normal, does the mean follow
    the line, or the curve, is the noise the same along it?

    network  a network, or a fit of one
    data     anything `tc.read_cases` takes; a family is judged on the cases complete in it
    """
    given = network.network if isinstance(network, Fit) else network
    check_network(given)
    names = [name for name in given.dag.names if isinstance(given[name], Straying)]
    if not names:
        raise NetworkError("the network has no Gaussian family, so no residuals")
    whole = as_dataset(data)
    known = [name for name in given.dag.names if name in whole]
    cases = as_dataset(whole, like={name: given.variables[name] for name in known}, columns=known)
    found = {}
    for name in names:
        axes = (*given.dag.parents[name], name)
        if all(axis in cases for axis in axes):
            found[name] = _check(given, name, cases)
    return Residuals(found)


def _check(network: Network, name: str, cases: Dataset) -> ResidualCheck:
    family = network[name]
    assert isinstance(family, Straying)
    columns = [cases[axis] for axis in (*family.parents, name)]
    there = ~np.logical_or.reduce([absent(column) for column in columns])
    parents: Sequence[Column] = [column[there] for column in columns[:-1]]
    child = np.asarray(columns[-1][there], dtype=np.float64)
    weights = np.ones(child.size) if cases.weights is None else cases.weights[there]
    fitted = family.mean(parents, child.size)
    sd = _spread(family, parents, child.size)
    used = (sd > 0) & (weights > 0)
    off = (child[used] - fitted[used]) / sd[used]
    return _judged(name, off, (fitted[used], child[used], sd[used]), weights[used], family)


def residuals_of(fit: Fit, data: Any) -> Residuals | None:
    """Those that a report adds by itself: None where no family has a mean that cases could leave,
    or its columns are not among them."""
    if not any(isinstance(family, Straying) for family in fit.network.families.values()):
        return None
    found = residuals(fit, data)
    return found if len(found) else None


def _spread(family: Straying, parents: Sequence[Column], cases: int) -> Floats:
    if isinstance(family, ConditionalGaussian):
        return family.spread(parents, cases)
    return np.full(cases, family.sd)


def _judged(
    name: str,
    off: Floats,
    along: tuple[Floats, Floats, Floats],
    weights: Floats,
    family: Straying,
) -> ResidualCheck:
    from scipy.special import chdtrc

    total = float(weights.sum())
    if off.size < 2 or total < 2 or not np.ptp(off) > 0:
        nan = float("nan")
        return ResidualCheck(name, total, nan, nan, nan, nan, 1.0, 1.0, 1.0, ())
    mean = float(weights @ off / total)
    powers = [float(weights @ (off - mean) ** n / total) for n in (2, 3, 4)]
    sd = powers[0] ** 0.5
    skewness, kurtosis = powers[1] / sd**3, powers[2] / sd**4 - 3
    bands = tuple(_bands(off, along, weights)) if family.parents else ()
    judged = total >= LEAST
    bent = isinstance(family, CurvedGaussian)
    freedom = len(bands) - len(family.parents) - (2 if bent else 1)
    squares = sum(band.errors**2 for band in bands)
    return ResidualCheck(
        name, total, mean, sd, skewness, kurtosis,
        float(chdtrc(2, total / 6 * (skewness**2 + kurtosis**2 / 4))) if judged else 1.0,
        float(chdtrc(freedom, squares)) if judged and freedom > 0 else 1.0,
        _even(np.abs(off - mean), along[0], weights) if judged and family.parents else 1.0,
        bands, "curve" if bent else "line",
    )  # fmt: skip


def _bands(off: Floats, along: tuple[Floats, Floats, Floats], weights: Floats) -> Iterator[Band]:
    """Cases in the order of their fitted values, in bands of about as many."""
    fitted, child, _ = along
    order = np.argsort(fitted, kind="stable")
    for here in np.array_split(order, min(BANDS, max(1, off.size // 3))):
        weight = float(weights[here].sum())
        yield Band(
            weight,
            float(weights[here] @ fitted[here] / weight),
            float(weights[here] @ child[here] / weight),
            float(weights[here] @ off[here] / weight**0.5),
        )


def _even(size: Floats, fitted: Floats, weights: Floats) -> float:
    """How often sizes and fitted values would be so correlated by chance."""
    from scipy.special import stdtr

    total = float(weights.sum())
    one, other = (each - weights @ each / total for each in (size, fitted))
    scale = float((weights @ one**2) * (weights @ other**2)) ** 0.5
    if scale <= 0:
        return 1.0
    correlation = min(1.0, max(-1.0, float(weights @ (one * other)) / scale))
    if abs(correlation) >= 1:
        return 0.0
    t = correlation * ((total - 2) / (1 - correlation**2)) ** 0.5
    return float(2 * stdtr(total - 2, -abs(t)))


def chance(value: float) -> str:
    """A probability of chance, in two digits."""
    return "< 0.0001" if value < 1e-4 else f"{value:.2g}"


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
