"""Fits of all groups turned into what people read: courses by name, intervals, log-likelihoods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.core.trials import Trials
from tacit.estimate.processes.moments import ProcessMoments
from tacit.estimate.processes.spread import Spread, own_spread, shared_spread
from tacit.estimate.processes.steps import Shared, fit_own, log_likelihoods, own_rest
from tacit.learn.fits import Stop
from tacit.learn.processes.alternating import Effort, fit_group
from tacit.learn.processes.bound import Bound
from tacit.learn.processes.fitted import ProcessGroup
from tacit.learn.processes.grouping import Groups


@dataclass(frozen=True, slots=True, eq=False)
class Fitted:
    """All groups; factor: the quantile of t that makes an interval of a standard deviation.

    left  (series,) the mean square that remains in each series
    """

    groups: tuple[ProcessGroup, ...]
    log_likelihood: float
    parameters: int
    factor: float
    left: Floats


def fit_all(
    total: ProcessMoments, bound: Bound, groups: Groups, effort: Effort, seed: int, level: float
) -> Fitted:
    """Every group by itself; series that share nothing are all fitted at once."""
    left = np.zeros(len(bound.trials.series))
    if not groups:
        made, parameters = _own_groups(total, bound, left)
    else:
        made, parameters = [], 0
        for name, series in groups:
            some = total.take(series)
            fitted = fit_group(some, bound.layout, effort, np.random.default_rng(seed))
            spread = shared_spread(some, fitted.found, bound.layout, effort.own)
            left[series] = fitted.found.rest[0] / np.maximum(some.counts[0], 1.0)
            parameters += spread.parameters
            best = fitted.best
            names = tuple(bound.trials.series[at] for at in series)
            told = (best.iterate.objective, best.trace, best.stop)
            made.append(_group(name, names, bound, fitted.found, spread, told))
    likelihood = sum(group.log_likelihood for group in made)
    free = max(int(total.counts.sum()) - parameters, 1)
    return Fitted(tuple(made), likelihood, parameters, _quantile(level, free), left)


def _quantile(level: float, free: int) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(free, 0.5 + level / 2))


def _group(
    name: str,
    series: tuple[str, ...],
    bound: Bound,
    found: Shared,
    spread: Spread,
    told: tuple[float, tuple[float, ...], Stop],
) -> ProcessGroup:
    blocks = dict(zip(bound.names, bound.layout.blocks, strict=True))
    return ProcessGroup(
        name=name,
        series=series,
        courses={each: found.courses[0, block] for each, block in blocks.items()},
        course_sd={each: spread.courses[block] for each, block in blocks.items()},
        scales={each: found.scales[0, at] for at, each in enumerate(bound.names)},
        scale_sd={each: spread.scales[at] for at, each in enumerate(bound.names)},
        noise=np.sqrt(found.variances[0]),
        log_likelihood=told[0],
        trace=told[1],
        stop=told[2],
    )


def _own_groups(
    total: ProcessMoments, bound: Bound, left: Floats
) -> tuple[list[ProcessGroup], int]:
    own = fit_own(total, bound.layout)
    spread = own_spread(total, own, bound.layout)
    rest = own_rest(total, own.courses)
    left[:] = rest[0] / np.maximum(total.counts[0], 1.0)
    likelihoods = log_likelihoods(total.counts, rest, own.variances)[0]
    scales = np.ones((1, len(bound.names), 1))
    made = []
    for at, name in enumerate(bound.trials.series):
        one = Shared(own.courses[:, :, at], scales, own.variances[:, [at]], rest[:, [at]])
        known = Spread(spread.courses[:, at], np.zeros((len(bound.names), 1)), 0)
        told = (float(likelihoods[at]), (float(likelihoods[at]),), Stop.CLOSED_FORM)
        made.append(_group(name, (name,), bound, one, known, told))
    return made, spread.parameters


def unused(trials: Trials) -> int:
    """How many series have no measurement at all."""
    seen = sum((~np.isnan(array)).sum(axis=0) for array in trials.values.values())
    return int(np.count_nonzero(np.asarray(seen) == 0))
