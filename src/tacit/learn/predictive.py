"""Predictions averaged over the posterior, not made with its mean.

P(case | old cases) = E[P(case given θ)]. Where a case uses every block of parameters at most once,
that is a product of posterior means; where rules tie cells that one case uses together, the
mean of a product is not the product of means, and the ratio of constants
Z(α + N + δ) / Z(α + N), or the mean over draws, is taken. [1.7, the caution on Thm 2.2.3; 1.8]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tacit.arrays import Floats, Ints, shares
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import OptionError
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.families.table import Table, cells
from tacit.infer.likelihood import log_likelihood
from tacit.infer.prediction import observed_columns, predict
from tacit.learn.posteriors import Posterior, Tables

BLOCK = 2**22
"""Draws times cases that are held at once."""


def log_predictive(posterior: Posterior, data: Any) -> Floats:
    """(cases,) log P(case given the old cases).

    Cells that are missing are summed out under every draw.
    """
    cases = observed_columns(posterior.network, data)
    names = tuple(posterior.cells.families)
    if any(name not in cases or bool(absent(cases[name]).any()) for name in posterior.network):
        return _averaged(posterior, cases)
    total = np.zeros(len(cases))
    for own in posterior.lines.values():
        total += own.log_predictive([cases[axis.name] for axis in own.axes])
    total += _by_draws(posterior, cases)
    places = np.full(posterior.cells.size, -1, dtype=np.int64)
    places[posterior.whole.cells] = np.arange(posterior.whole.cells.size)
    used = np.empty((len(cases), len(names)), dtype=np.int64)
    with np.errstate(divide="ignore"):
        for at, name in enumerate(names):
            table = posterior.network[name]
            columns = [cases[each] for each in (*table.parents, name)]
            inside = cells(posterior.alpha[name].shape, columns)
            used[:, at] = places[posterior.cells.starts[name] + inside]
            plain = np.log(posterior.mean[name].ravel()[inside])
            total += np.where(used[:, at] < 0, plain, 0.0)
    return total + _together(posterior, used)


def _by_draws(posterior: Posterior, cases: Dataset) -> Floats:
    """(cases,) log E[Π density] over the regressions that are known by draws, a block of cases at a
    time: rules may tie several that one case uses."""
    lines = [own for own in posterior.lines.values() if own.drawn]
    found = np.zeros(len(cases))
    if not lines:
        return found
    step = max(1, BLOCK // len(lines[0].drawn[0].values))
    for start in range(0, len(cases), step):
        here = slice(start, start + step)
        logs = sum(own.log_densities([cases[axis.name][here] for axis in own.axes])
                   for own in lines)  # fmt: skip
        top = np.max(logs, axis=0)
        found[here] = top + np.log(np.exp(logs - top).mean(axis=0))
    return found


def _together(posterior: Posterior, used: Ints) -> Floats:
    """(cases,) log E[Π θ] over the ruled cells that each case uses."""
    kinds, which = np.unique(np.sort(used, axis=1), axis=0, return_inverse=True)
    return np.array([_log_mean(posterior, kind[kind >= 0]) for kind in kinds])[which.ravel()]


def _log_mean(posterior: Posterior, used: Ints) -> float:
    """log E[Π θ] of some ruled cells.

    Tables that are one, as the rules say, may use the same cell twice.
    """
    if not used.size:
        return 0.0
    whole = posterior.whole
    block = whole.block[used]
    total = 0.0
    for each in np.unique(block).tolist():
        mine = used[block == each]
        exact = whole.powers(mine) if mine.size > 1 else None
        if exact is not None:
            total += exact
            continue
        if mine.size == 1:
            value = float(whole.mean[mine[0]])
        else:
            value = float(whole.draws[:, mine].prod(axis=1).mean())
        total += np.log(value) if value > 0 else -np.inf
    return total


def networks(posterior: Posterior, draws: int) -> Iterator[Network]:
    """Networks drawn from the posterior, spread evenly over all draws."""
    if not isinstance(draws, int) or isinstance(draws, bool) or draws < 1:
        raise OptionError(f"draws={draws!r} must be a whole number above 0")
    chosen = np.linspace(0, posterior.size - 1, min(draws, posterior.size)).astype(np.int64)
    mean = posterior.network
    drawn = {name: posterior.draws[name][chosen] for name in mean}
    for at in range(chosen.size):
        families: dict[str, Family] = {
            name: Table(axes, drawn[name][at]) for name, axes in posterior.cells.families.items()
        }
        for name, own in posterior.lines.items():
            families[name] = own.family(drawn[name][at])
        yield Network(mean.dag, mean.variables, families)


def _averaged(posterior: Posterior, cases: Dataset, draws: int = 200) -> Floats:
    logs = np.array([log_likelihood(each, cases).per_case for each in networks(posterior, draws)])
    top = logs.max(axis=0)
    safe = np.where(np.isneginf(top), 0.0, top)
    with np.errstate(divide="ignore"):
        return np.asarray(safe + np.log(np.exp(logs - safe).mean(axis=0)))


def predicted(posterior: Posterior, data: Any, draws: int = 200) -> Mapping[str, Floats]:
    """Per variable (cases, states) P(variable | what is observed of the case, old cases).

    = E[P(variable, observed given θ)] / E[P(observed given θ)]: every draw counts as much as it
    finds the case probable.
    """
    cases = observed_columns(posterior.network, data)
    names = tuple(posterior.network)
    sums: dict[str, Floats] = {}
    total = np.zeros(len(cases))
    top = log_likelihood(posterior.network, cases).per_case
    for network in networks(posterior, draws):
        with np.errstate(invalid="ignore"):
            weight = np.exp(log_likelihood(network, cases).per_case - top)
        weight = np.where(np.isnan(weight), 0.0, weight)
        total += weight
        found = predict(network, cases)
        for name in names:
            part = np.nan_to_num(found[name])
            part = part * (weight if part.ndim == 1 else weight[:, None])
            sums[name] = sums[name] + part if name in sums else part
    means = {name: _shared_out(each, total) for name, each in sums.items()}
    return Tables(names, means.__getitem__)


def _shared_out(sums: Floats, total: Floats) -> Floats:
    """Means of values, or shares of states; nan in the cases that no draw holds possible."""
    with np.errstate(invalid="ignore", divide="ignore"):
        means = sums / total if sums.ndim == 1 else shares(sums)
    means[total == 0] = np.nan
    return means
