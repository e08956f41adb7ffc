"""Normal priors on single cells, cut off at 0 and 1 and held to rows that add up to one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Floats
from tacit.core.errors import OptionError, listed, nearest
from tacit.core.variables import Discrete


@dataclass(frozen=True, slots=True, eq=False)
class TruncatedNormal:
    """θ ~ Π Normal(mean, sd) on the rows that add up to one and obey the rules.

    mean  {variable: one row of numbers, or a whole table}; variables not named are uniform
    sd    likewise, or one number for all

    The priors of MPL-TC, where mean and sd come from a related site. [estimation 3.3, 3.6]
    """

    mean: Mapping[str, npt.ArrayLike]
    sd: Mapping[str, npt.ArrayLike] | float
    _means: Mapping[str, Floats] = field(init=False, repr=False)
    _sds: Mapping[str, Floats] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        given: Any = self.mean
        if not isinstance(given, Mapping) or not given:
            raise OptionError(
                "tc.TruncatedNormal takes means by variable, {'A': [0.2, 0.8]} for example, "
                f"not {given!r:.60}"
            )
        means = {name: _numbers(f"mean of {name!r}", values) for name, values in given.items()}
        spread = self.sd if isinstance(self.sd, Mapping) else dict.fromkeys(means, self.sd)
        if missing := [name for name in means if name not in spread]:
            raise OptionError(f"tc.TruncatedNormal has a mean but no sd for {missing[0]!r}")
        sds = {name: _numbers(f"sd of {name!r}", spread[name]) for name in means}
        for name, values in sds.items():
            if not (values > 0).all():
                raise OptionError(f"the sd of {name!r} must be above 0 everywhere")
        object.__setattr__(self, "_means", means)
        object.__setattr__(self, "_sds", sds)

    def factors(self, axes: tuple[Discrete, ...]) -> tuple[Floats, Floats]:
        """centre and spread of every cell of a table; a spread of inf where nothing was said."""
        shape, child = tuple(len(axis.states) for axis in axes), axes[-1].name
        if child not in self._means:
            return np.zeros(shape), np.full(shape, np.inf)
        return _spread(child, self._means[child], shape), _spread(child, self._sds[child], shape)

    def check_names(self, names: Mapping[str, Any]) -> None:
        """Nothing, or an error about a variable the prior names and the network lacks."""
        for name in self._means:
            if name not in names:
                raise OptionError(
                    f"the prior names {name!r}, which is no variable of the network"
                    f"{nearest(name, names)}\n\nvariables: {listed(names)}"
                )

    def describe(self) -> str:
        """The prior as Python writes it, numbers left out."""
        named = listed((f"{name!r}: ..." for name in self._means), 4)
        return f"TruncatedNormal({{{named}}}, sd=...)"


def _numbers(what: str, values: npt.ArrayLike) -> Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise OptionError(f"the {what} must be numbers, not {values!r:.60}") from None
    if np.isnan(found).any() or (what.startswith("mean") and not np.isfinite(found).all()):
        raise OptionError(f"the {what} must be finite numbers, not {values!r:.60}")
    return found


def _spread(child: str, values: Floats, shape: tuple[int, ...]) -> Floats:
    if values.shape not in ((), shape[-1:], shape):
        raise OptionError(
            f"the prior of {child!r} has the shape {values.shape}; "
            f"it must be one number, one row {shape[-1:]} or the table {shape}"
        )
    return np.broadcast_to(values, shape).copy()
