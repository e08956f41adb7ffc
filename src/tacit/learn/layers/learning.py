"""Hidden variables one after the other: arcs are searched, then the next is put where columns miss
the same. [HV2 3.8, §7.6]"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Ints
from tacit.learn.fits import Stop
from tacit.learn.layers.changing import (
    WORTH,
    Bench,
    inserted,
    place_of,
    rewired,
    with_arcs,
)
from tacit.learn.layers.fitting import Fitted
from tacit.learn.layers.model import Layer

MOST_ROUNDS = 15
"""Rounds of arcs and EM between two hidden variables."""
Heard = Callable[[int, float], None]
"""Told after every hidden variable: how many there are, and the score."""


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """The two layers that were found, with the score after every hidden variable."""

    fitted: Fitted
    trace: tuple[float, ...]
    stop: Stop


def learn_layers(
    bench: Bench, codes: Ints, heard: Heard, steps: list[Fitted] | None = None
) -> Learned:
    """maximise  log-likelihood - price of the parameters   over hidden roots and their arcs.

    The first hidden variable is above all columns; every further one above the cluster that misses
    the same most (or above all, `insert="all"`). It stays if the score gains, otherwise the search
    ends.

    steps  what was there after every hidden variable is put in here
    """
    fitted = Fitted.at(Layer.empty(codes, bench.columns), bench.columns)
    best, trace = bench.worth(fitted), []
    trace.append(best)
    stop = Stop.CONVERGED
    try:
        while fitted.layer.hidden < bench.method.most_hidden:
            cluster = place_of(bench, fitted, bench.method.insert == "all")
            if cluster is None:
                break
            tried = settled(bench, inserted(bench, fitted, cluster))
            worth = bench.worth(tried)
            if worth <= best + WORTH * abs(best):
                break
            fitted, best = tried, worth
            trace.append(best)
            if steps is not None:
                steps.append(fitted)
            heard(fitted.layer.hidden, best)
        else:
            stop = Stop.STEP_LIMIT
    except KeyboardInterrupt:
        stop = Stop.INTERRUPTED
    return Learned(fitted, tuple(trace), stop)


def settled(bench: Bench, fitted: Fitted) -> Fitted:
    """Structural EM: arcs at the present beliefs, then EM, while the score gains."""
    best = bench.worth(fitted)
    for _ in range(MOST_ROUNDS):
        arcs = rewired(bench, fitted)
        if np.array_equal(arcs, fitted.layer.arcs):
            break
        after = with_arcs(bench, fitted, arcs)
        worth = bench.worth(after)
        if worth <= best + WORTH * abs(best):
            break
        fitted, best = after, worth
    return fitted
