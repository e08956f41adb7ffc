"""Default tables: some configurations have rows of their own, all others share one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from tacit.arrays import Column, Floats, Ints
from tacit.core.errors import TableError, quoted
from tacit.core.variables import Discrete
from tacit.families.cause_counts import distinct
from tacit.families.shared import SharedRows


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DefaultTable(SharedRows):
    """Rows for the configurations that are listed, and one for all the others.

    listed  (rows - 1, parents)  codes, no configuration twice
    values  (rows, states of the child)  the row of the others last

    [Friedman and Goldszmidt 1996]
    """

    variables: tuple[Discrete, ...]
    listed: Ints
    values: Floats
    kind: ClassVar[str] = "default-table"

    def __post_init__(self) -> None:
        sizes = np.array(self._sizes, dtype=np.int64)
        listed = np.array(self.listed, dtype=np.int64).reshape(len(self.listed), sizes.size)
        if (listed < 0).any() or (listed >= sizes).any():
            raise TableError(f"{quoted(self.child)} lists a configuration that its parents lack")
        if len(listed) > len(np.unique(listed, axis=0)):
            raise TableError(f"{quoted(self.child)} lists a configuration twice")
        listed.flags.writeable = False
        object.__setattr__(self, "listed", listed)
        self._check(len(listed) + 1)

    @classmethod
    def of(
        cls,
        child: Discrete,
        parents: Sequence[Discrete],
        rows: Mapping[tuple[str, ...], npt.ArrayLike],
        default: npt.ArrayLike,
    ) -> Self:
        """The default table that is written out: states of the parents, in order, and their row."""
        for states in rows:
            if not isinstance(states, tuple) or len(states) != len(parents):
                raise TableError(
                    f"a row of {quoted(child.name)} is listed under a state of each of its "
                    f"{len(parents)} parents, not under {states!r}"
                )
        codes = [
            [parent.code(state) for parent, state in zip(parents, states, strict=True)]
            for states in rows
        ]
        values = [np.asarray(row, dtype=np.float64) for row in (*rows.values(), default)]
        if any(row.shape != (len(child.states),) for row in values):
            raise TableError(f"every row of {quoted(child.name)} has {len(child.states)} numbers")
        family: Any = cls
        made: Self = family(
            (*parents, child),
            np.array(codes, dtype=np.int64).reshape(len(rows), len(parents)),
            np.array(values),
        )
        return made

    def rows_at(self, parents: Sequence[Column], cases: int) -> Ints:
        """(cases,) the row of every case, the last one where it is not listed."""
        return listed_at(self.listed, self._sizes, parents, cases)

    def with_values(self, values: Floats) -> Self:
        """The same list with other probabilities."""
        return replace(self, values=values)

    @property
    def shares(self) -> Floats:
        """(rows,) one configuration each, and all others."""
        each = 1.0 / prod(self._sizes)
        return np.append(np.full(len(self.listed), each), 1.0 - each * len(self.listed))

    def reading(self, order: Sequence[int]) -> tuple[Ints, ...]:
        """What is remembered is which listed configurations agree with what was read."""
        default = len(self.listed)
        known: list[tuple[int, ...]] = [tuple(range(default))]
        steps = []
        for axis in order:
            after: dict[tuple[int, ...], int] = {}
            step = np.empty((len(known), self._sizes[axis]), dtype=np.int64)
            for at, agreeing in enumerate(known):
                for state in range(self._sizes[axis]):
                    left = tuple(one for one in agreeing if self.listed[one, axis] == state)
                    step[at, state] = after.setdefault(left, len(after))
            known = list(after)
            steps.append(step)
        ends = np.array([one[0] if one else default for one in known], dtype=np.int64)
        if steps:
            steps[-1] = ends[steps[-1]]
        return tuple(steps)

    def labels(self) -> Iterator[str]:
        """The configuration of every row."""
        for codes in self.listed.tolist():
            yield ", ".join(
                f"{quoted(parent.name)}={quoted(parent.states[code])}"
                for parent, code in zip(self.variables, codes, strict=False)
            )
        yield "all others" if len(self.listed) else "every configuration"

    def _lines(self) -> Iterator[tuple[str, int]]:
        for row, label in enumerate(self.labels()):
            yield label, row

    @property
    def _sizes(self) -> list[int]:
        return [len(variable.states) for variable in self.variables[:-1]]

    def to_plain(self) -> dict[str, Any]:
        """Kind, names and numbers, as JSON holds them."""
        states = [parent.states for parent in self.variables[:-1]]
        rows = [
            {"states": [own[at] for own, at in zip(states, codes, strict=True)], "row": row}
            for codes, row in zip(self.listed.tolist(), self.values[:-1].tolist(), strict=True)
        ]
        return {
            "family": "default-table",
            "child": self.child,
            "parents": list(self.parents),
            "rows": rows,
            "default": self.values[-1].tolist(),
        }

    @staticmethod
    def from_plain(plain: Mapping[str, Any], variables: Mapping[str, Discrete]) -> DefaultTable:
        """The default table that `to_plain` described."""
        parents = tuple(variables[name] for name in plain["parents"])
        rows = {tuple(map(str, each["states"])): each["row"] for each in plain["rows"]}
        if len(rows) < len(plain["rows"]):
            raise TableError(f"{plain['child']!r} lists a configuration twice")
        return DefaultTable.of(variables[plain["child"]], parents, rows, plain["default"])


def listed_at(listed: Ints, sizes: Sequence[int], parents: Sequence[Column], cases: int) -> Ints:
    """(cases,) which of the listed configurations each case has; as many as there are: none."""
    codes = np.zeros((cases, len(sizes)), dtype=np.int64)
    for axis, column in enumerate(parents):
        codes[:, axis] = np.maximum(column, 0)
    which, _ = distinct(np.concatenate([listed, codes]), sizes)
    row = np.full(int(which.max(initial=-1)) + 1, len(listed), dtype=np.int64)
    row[which[: len(listed)]] = np.arange(len(listed))
    return np.asarray(row[which[len(listed) :]])
