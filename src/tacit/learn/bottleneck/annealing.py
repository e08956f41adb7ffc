"""Annealing without a path: what information bottleneck EM is compared with. [HV2 2.7, HV2-11]"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.errors import OptionError
from tacit.learn.bottleneck.settings import IBEM

NAIVE: dict[str, Any] = {"direction": "none", "longest": 0.001}
ENTROPIC: dict[str, Any] = {"direction": "none", "longest": 0.01, "penalty": "entropy"}
"""What differs from the defaults; any other setting can be given too."""


def naive_annealing(values: int = 1000, **settings: Any) -> IBEM:
    """Even steps of gamma, each settled from where the last one ended: no path is followed.

    values    steps from 0 to 1; those below the gamma at which hidden variables begin to say
              something change nothing and are left out
    settings  as of `tc.IBEM`

    [Elidan 2004, section 6.6]
    """
    return IBEM(**{**_even(NAIVE, values), **settings})


def deterministic_annealing(values: int = 100, **settings: Any) -> IBEM:
    """EM whose posteriors are taken to a power that rises from 0 to 1 in even steps:

    Q(t|y) ∝ P(x[y], t)^γ, which minimises -H_Q(T|Y) - γ E_Q log P(X, T): entropy is what is
    asked for at first, not that hidden states tell cases apart as little as possible.

    values, settings  as of `tc.naive_annealing`

    [Ueda and Nakano 1998; HV2 section 8]
    """
    return IBEM(**{**_even(ENTROPIC, values), **settings})


def _even(preset: Mapping[str, Any], values: int) -> dict[str, Any]:
    if not (type(values) is int and values >= 1):
        raise OptionError(f"values={values!r} must be a whole number, 1 or more")
    by = 1 / values
    return {**preset, "longest": by, "shortest": min(by, IBEM().shortest)}
