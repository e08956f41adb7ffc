"""Continuous columns cut into intervals that become states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from tacit.arrays import Floats, code_type
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError, listed
from tacit.core.variables import Discrete, Variable
from tacit.io.cases import as_dataset, read_cases
from tacit.io.states import number_text

METHODS = ("quantile", "uniform")


def discretise(
    data: Any,
    name: str | Sequence[str],
    into: int = 4,
    *,
    method: str = "quantile",
    edges: Sequence[float] | None = None,
    labels: Sequence[str] | None = None,
) -> Dataset:
    """The same cases with one or several columns cut into intervals; missing cells stay missing.

    into    how many intervals; fewer where equal values leave no room for as many, which is noted
    method  "quantile": about as many cases in each; "uniform": all of the same width
    edges   where to cut instead: k edges make k + 1 intervals, the first and last without end
    labels  the names of the intervals, lowest first; by default `<20`, `20 to 40`, `>=40`

    An interval holds its lower edge and not its upper one. The order of the states is declared.
    """
    names = (name,) if isinstance(name, str) else tuple(name)
    if method not in METHODS:
        raise OptionError(f"method is {' or '.join(map(repr, METHODS))}, not {method!r}")
    if edges is None and into < 2:
        raise OptionError(f"a column is cut into 2 or more intervals, not {into}")
    given = None if edges is None else _checked(edges)
    cases = as_dataset(data)
    cases = read_cases(cases, continuous=[each for each in names if cases[each].size])
    for each in names:
        values = cases[each]
        cuts = given if given is not None else _cuts(cases, each, into, method)
        cases = _replaced(cases, each, np.asarray(values), cuts, labels)
        if given is None and cuts.size + 1 < into:
            note = f"{each!r} was cut into {cuts.size + 1}, not {into}: too many values are equal"
            cases = replace(cases, notes=(*cases.notes, note))
    return cases


def _checked(edges: Sequence[float]) -> Floats:
    """The edges where values can be cut: those at infinity say nothing."""
    cuts = np.asarray(edges, dtype=np.float64)
    if cuts.ndim != 1 or np.isnan(cuts).any() or not (np.diff(cuts) > 0).all():
        raise OptionError(f"edges are numbers, each larger than the one before, not {list(edges)}")
    finite = cuts[np.isfinite(cuts)]
    if not finite.size:
        raise OptionError("edges need at least one finite number")
    return finite


def _cuts(cases: Dataset, name: str, into: int, method: str) -> Floats:
    values = np.asarray(cases[name])
    present = ~np.isnan(values)
    if not present.any():
        raise CasesError(f"{name!r} has no value in any case; it cannot be cut into intervals")
    seen = values[present]
    low, high = float(seen.min()), float(seen.max())
    if low == high:
        raise CasesError(f"{name!r} is {low:g} in every case; it cannot be cut into intervals")
    if method == "uniform":
        shares = np.arange(1, into) / into
        cuts = low * (1 - shares) + high * shares
    else:
        weights = None if cases.weights is None else cases.weights[present]
        cuts = _quantiles(seen, into, weights)
    inner = np.unique(cuts[(cuts > low) & (cuts <= high)])
    if not inner.size:  # most cases have the lowest value: cut it off
        inner = seen[seen > low].min(keepdims=True)
    return _readable(inner, seen)


def _quantiles(values: Floats, into: int, weights: Floats | None) -> Floats:
    """Cuts below which i/into of the cases lie."""
    shares = np.arange(1, into) / into
    if weights is None:
        return np.asarray(np.quantile(values, shares))
    if not weights.sum() > 0:
        raise CasesError("the cases weigh nothing, so they have no quantiles")
    return np.asarray(np.quantile(values, shares, weights=weights, method="inverted_cdf"))


def _readable(cuts: Floats, values: Floats) -> Floats:
    """Each cut with as few digits as leave every value on the same side."""
    ordered = np.sort(values)

    def short(cut: float) -> float:
        rounded = (float(f"{cut:.{digits}g}") for digits in range(2, 18))
        side = np.searchsorted(ordered, cut)
        return next(number for number in rounded if np.searchsorted(ordered, number) == side)

    return np.array([short(float(cut)) for cut in cuts])


def _replaced(
    cases: Dataset, name: str, values: Floats, cuts: Floats, labels: Sequence[str] | None
) -> Dataset:
    states = interval_names(cuts) if labels is None else tuple(map(str, labels))
    if len(states) != cuts.size + 1:
        raise OptionError(
            f"{cuts.size + 1} intervals of {name!r} need as many labels, not {len(states)}"
            f"\n\nintervals: {listed(interval_names(cuts))}"
        )
    codes = np.searchsorted(cuts, values, side="right").astype(code_type(len(states)))
    codes[np.isnan(values)] = -1
    variables: Mapping[str, Variable] = {**cases.variables, name: Discrete(name, states)}
    kinds = {other: kind for other, kind in cases.kinds.items() if other != name}
    return replace(cases, variables=variables, columns={**cases.columns, name: codes}, kinds=kinds)


def interval_names(cuts: Floats) -> tuple[str, ...]:
    """`<20`, `20 to 40`, `>=40`."""
    texts = [number_text(float(cut)) for cut in cuts]
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"<{texts[0]}", *between, f">={texts[-1]}")
