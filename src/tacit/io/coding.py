"""Raw columns become columns of cases: which variable it is, which states, which codes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from tacit.arrays import Bools, Column, Floats
from tacit.core.errors import CasesError, ColumnError, StateError, listed, nearest
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.frames import Labels, Numbers, RawColumn
from tacit.io.labels import Known, few, known
from tacit.io.remarks import Remark, Topic
from tacit.io.states import MARKERS, is_endless, natural_order, number
from tacit.io.words import short

FEW = 20
"""Whole numbers of up to so many different values are taken as states."""
MANY = 10_000
"""More states than this are worth a note; so are fewer, if few cases share one."""
EXACT = 2.0**53
"""Whole reals below this are integers to the last digit."""

Place = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Declared:
    """What the caller said about the columns.

    missing     texts that stand for a missing value
    discrete    columns whose values are states, numbers or not
    continuous  columns whose values are reals
    variables   the variables that columns of the same name are to be, with all their states
    """

    missing: frozenset[str] = frozenset()
    discrete: frozenset[str] = frozenset()
    continuous: frozenset[str] = frozenset()
    variables: Mapping[str, Variable] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Coded:
    """A column of cases, what its values were (see `Dataset.kinds`), and remarks about it."""

    variable: Variable
    column: Column
    kind: str = "text"
    remarks: tuple[Remark, ...] = ()


def code(raw: RawColumn, declared: Declared, place: Place) -> Coded:
    """The variable and column that a raw column is, by what was declared or else by its values."""
    told = declared.variables.get(raw.name)
    if isinstance(told, Discrete):
        return _as_told(known(raw, declared.missing), told, place)
    if told is not None or raw.name in declared.continuous:
        return _as_reals(raw, declared, place)
    if raw.name in declared.discrete:
        found = known(raw, declared.missing)
        return as_states(found, found.kind())
    if isinstance(raw, Labels):
        return _by_labels(known(raw, declared.missing), place)
    return _by_numbers(raw, declared, place)


def reals(raw: RawColumn, missing: frozenset[str], place: Place) -> Floats:
    """The column as doubles, nan where missing; an error names the first value that is none."""
    if isinstance(raw, Labels):
        return _spelt_reals(known(raw, missing), place)
    absent = _absent(raw, missing)
    values = raw.values.astype(np.float64)
    if absent is not None:
        values[absent] = np.nan
    if np.isinf(values).any():
        at = int(np.argmax(np.isinf(values)))
        raise CasesError(f"{place(at)}: {raw.name!r} is infinite; a real must be finite")
    return values


def _kind(raw: Numbers) -> str:
    return "integer" if raw.values.dtype.kind in "iu" else "real"


def _as_reals(raw: RawColumn, declared: Declared, place: Place) -> Coded:
    kind = _kind(raw) if isinstance(raw, Numbers) else "real"
    return Coded(Continuous(raw.name), reals(raw, declared.missing, place), kind)


def _spelt_reals(found: Known, place: Place) -> Floats:
    sizes = [number(text) for text in found.texts]
    wrong = [at for at, text in enumerate(found.texts) if text and sizes[at] is None]
    case = found.first(wrong) if wrong else -1
    if case >= 0:
        value = found.texts[int(found.raw.codes[case])]
        hint = f"\n\nif it stands for a missing value, say missing=[{value!r}]"
        raise CasesError(
            f"{place(case)}: {found.name!r} is to be continuous, but {value!r} is no number{hint}"
        )
    return found.reals([np.nan if size is None else size for size in sizes])


def _as_told(found: Known, variable: Discrete, place: Place) -> Coded:
    """Codes of the states a variable is declared to have; another value is an error."""
    exact = {state: at for at, state in enumerate(variable.states)}
    sizes = [number(state) for state in variable.states]
    alone = {size for size, times in Counter(sizes).items() if times == 1}
    by_size = {size: at for at, size in enumerate(sizes) if size is not None and size in alone}
    folded = {state.casefold(): at for at, state in enumerate(variable.states)}

    def position(label: object, text: str) -> int:
        size = number(text)
        at = exact.get(text, None if size is None else by_size.get(size))
        if at is None and isinstance(label, bool):
            at = folded.get(text.casefold())
        return -1 if at is None else at

    positions = [position(*pair) for pair in zip(found.raw.labels, found.texts, strict=True)]
    unknown = [at for at, text in enumerate(found.texts) if text and positions[at] < 0]
    case = found.first(unknown) if unknown else -1
    if case >= 0:
        value = found.texts[int(found.raw.codes[case])]
        hint = nearest(value, variable.states)
        raise StateError(
            f"{place(case)}: {variable.name!r} has no state {value!r}{hint}"
            f"\n\nstates of {variable.name!r}: {listed(variable.states)}"
        )
    return Coded(variable, found.codes(positions, len(variable.states)), found.kind())


def _by_labels(found: Known, place: Place) -> Coded:
    """Text that is all numbers is numbers; other text, booleans and categories are states."""
    kind = found.kind()
    if not found.present:
        empty = Remark(Topic.EMPTY, found.name)
        nothing = found.reals([np.nan] * len(found.texts))
        return Coded(Continuous(found.name), nothing, "real", (empty,))
    if found.raw.categorical or not found.spelt:
        _refuse_endless(found, place)
        return as_states(found, kind)
    sizes = {text: number(text) or 0 for text in found.present}
    whole = all(size == int(size) for size in sizes.values())
    if whole and len(sizes) <= FEW:
        return as_states(found, kind)
    remarks = (Remark(Topic.INTEGERS, found.name, str(FEW)),) if whole else ()
    column = found.reals([sizes.get(text, np.nan) for text in found.texts])
    kind = "integer" if kind == "integer" else "real"
    return Coded(Continuous(found.name), column, kind, remarks)


def _refuse_endless(found: Known, place: Place) -> None:
    """Nothing, or an error where all but infinite numbers are finite ones: no state is meant."""
    endless = [at for at, text in enumerate(found.texts) if is_endless(text)]
    if found.raw.categorical or not endless:
        return
    others = [text for text in found.present if not is_endless(text)]
    case = found.first(endless) if others and None not in map(number, others) else -1
    if case >= 0:
        value, name = found.texts[int(found.raw.codes[case])], found.name
        raise CasesError(
            f"{place(case)}: {name!r} is infinite ({short(value)}); a real must be finite"
            f"\n\nif it stands for a missing value, say missing=[{short(value)}]; if these numbers "
            f"are states, discrete=[{name!r}]"
        )


def _by_numbers(raw: Numbers, declared: Declared, place: Place) -> Coded:
    """Few whole numbers are states; many, and any that are not whole, are reals."""
    absent = _absent(raw, declared.missing)
    values: npt.NDArray[Any] = raw.values if absent is None else raw.values[~absent]
    if not values.size:
        return _by_labels(known(Labels(raw.name, (), np.full(len(raw.values), -1)), ()), place)
    whole = bool(values.dtype.kind in "iu" or (values == np.rint(values)).all())
    if whole and values.dtype.kind == "f" and np.abs(values).max() < EXACT:
        kind = np.dtype(np.int64)  # integers are told apart faster
    else:
        kind = values.dtype
    if whole and np.isfinite(values).all() and few(values.astype(kind), FEW):
        filled = raw.values if absent is None else np.where(absent, values[0], raw.values)
        found = known(Numbers(raw.name, filled.astype(kind), absent), ())
        return as_states(found, _kind(raw))
    coded = _as_reals(raw, declared, place)
    remarks = (Remark(Topic.INTEGERS, raw.name, str(FEW)),) if whole else ()
    return Coded(coded.variable, coded.column, coded.kind, remarks)


def _absent(raw: Numbers, missing: frozenset[str]) -> Bools | None:
    """Which cells are missing; None if there are none."""
    absent = raw.absent
    if raw.values.dtype.kind == "f":
        nan = np.isnan(raw.values)
        absent = nan if absent is None else absent | nan
    for size in (number(text) for text in sorted(missing)):
        if size is not None:
            hit = raw.values == size
            absent = hit if absent is None else absent | hit
    return absent if absent is not None and absent.any() else None


def as_states(found: Known, kind: str) -> Coded:
    """A discrete variable whose states are the labels; their order is declared or inferred."""
    states, remarks = _states_of(found, kind)
    if not states:
        raise ColumnError(
            f"column {found.name!r} has no value in any case, so its states are unknown"
            "\n\norder={...} or like=... would name them"
        )
    variable = Discrete(found.name, tuple(states), inferred_order=not found.raw.ordered)
    place = {state: at for at, state in enumerate(states)}
    positions = [place.get(text, -1) for text in found.texts]
    codes = found.codes(positions, len(states))
    return Coded(variable, codes, kind, (*remarks, *_remarks(found, states)))


def _states_of(found: Known, kind: str) -> tuple[list[str], tuple[Remark, ...]]:
    if kind == "boolean":
        return ["False", "True"], ()
    if found.raw.ordered:
        return found.present, ()
    occurs = found.occurring() if found.raw.categorical else np.zeros(0, dtype=np.bool_)
    if not occurs.any():
        return natural_order(found.present), ()
    used = {text for text, seen in zip(found.texts, occurs, strict=True) if text and seen}
    unused = [text for text in found.present if text not in used]
    remarks = (Remark(Topic.UNUSED, found.name, listed(unused)),) if unused else ()
    return natural_order(used), remarks


def _remarks(found: Known, states: list[str]) -> Iterator[Remark]:
    for state in states:
        if state.casefold() in MARKERS:
            yield Remark(Topic.MARKER, found.name, state)
    if len(states) > MANY or 2 * len(states) > max(100, len(found.raw.codes)):
        yield Remark(Topic.STATES, found.name, f"{len(states):,}")
    strange = [state for state in states if number(state) is None]
    if not found.raw.categorical and len(states) > 3 and len(strange) * 2 < len(states) and strange:
        yield Remark(Topic.ALMOST, found.name, repr(strange[0]))
    if len({state.strip() for state in states}) < len(states):
        alike = [state for state in states if state != state.strip()]
        yield Remark(Topic.SPACES, found.name, listed(map(repr, alike)))
    blank = [
        at
        for at, label in enumerate(found.raw.labels)
        if isinstance(label, str) and label.isspace()
    ]
    if blank:
        cells = int(np.isin(found.raw.codes, blank).sum())
        yield Remark(Topic.BLANK, found.name, f"{cells:,}")
