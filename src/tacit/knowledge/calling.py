"""Functions of rules, called: their values and derivatives, and whether they are any good.

Without a gradient, derivatives are central differences of fourth order, with steps that are small
against the distance from 0 and 1, so that a function is only asked between them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from math import isfinite, nan
from numbers import Real

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import KnowledgeError
from tacit.knowledge.faults import fault
from tacit.knowledge.smooth import Smooth
from tacit.knowledge.statements import Rule
from tacit.knowledge.wording import plainly

_STEP, _NEAR = 1e-3, 1e-2
"""Steps of first derivatives: at most this, and this share of the distance from 0 and 1."""
_SECOND = 4.0
"""Those of second derivatives are so much longer: they take differences of differences."""
_LOW, _HIGH = 1e-12, 1.0 - 1e-5
"""Derivatives are taken between these; near 1, numbers are too coarse for smaller steps."""
_AGREE = 1e-4
_POINTS = 5
_STENCIL = ((-2, 1.0), (-1, -8.0), (1, 8.0), (2, -1.0))
"""f' ≈ Σ weight · f(x + at · step) / (12 · step), but for an error of order step⁴."""


def value_at(said: Smooth, point: Floats) -> float:
    """The function there; nan where it has no value."""
    try:
        return float(said.function(*point.tolist()))
    except (ArithmeticError, ValueError):
        return nan
    except Exception as problem:
        raise KnowledgeError(_raised(said, point.tolist(), problem)) from problem


def gradient_at(said: Smooth, point: Floats) -> Floats:
    """Its derivative by each probability; nan where there is none."""
    if said.gradient is None:
        return _differences(lambda at: np.array(value_at(said, at)), point)
    try:
        found = np.array(said.gradient(*point.tolist()), dtype=np.float64)
    except (ArithmeticError, ValueError):
        found = np.full(point.size, nan)
    except Exception as problem:
        raise KnowledgeError(_raised(said, point.tolist(), problem)) from problem
    return found


def hessian_at(said: Smooth, point: Floats) -> Floats:
    """Its second derivatives, by differences of the first."""
    found = _differences(lambda at: gradient_at(said, at), point, _SECOND)
    return np.asarray((found + found.T) / 2.0)


def _differences(
    function: Callable[[Floats], Floats], point: Floats, longer: float = 1.0
) -> Floats:
    """(probabilities, ...) the derivative of a function by each of its arguments."""
    inside = np.clip(point, _LOW, _HIGH)
    steps = longer * np.minimum(_STEP, _NEAR * np.minimum(inside, 1.0 - inside))
    found = []
    for at, step in enumerate(steps.tolist()):
        move = np.zeros(point.size)
        move[at] = step
        total = sum(weight * function(inside + far * move) for far, weight in _STENCIL)
        found.append(np.asarray(total) / (12.0 * step))
    return np.array(found)


def check_function(rule: Rule, said: Smooth) -> None:
    """Nothing, or an error: a function takes its probabilities and is finite between 0 and 1."""
    _check_arity(rule, said, said.function, "function")
    if said.gradient is not None:
        _check_arity(rule, said, said.gradient, "gradient")
    for point in _points(len(said.of)):
        found = _tried(rule, said, said.function, point)
        if not isinstance(found, Real) or not isfinite(found):
            raise fault(
                rule, None, f"{_call(said, point)} is {found!r:.80}",
                "the function must be a finite number wherever probabilities lie between 0 and 1",
            )  # fmt: skip
        if said.gradient is not None:
            _check_gradient(rule, said, point)


def _points(count: int) -> list[list[float]]:
    """Some points well inside, the middle among them."""
    steps = (np.arange(1, count + 1) * 0.6180339887498949)[None, :]
    found = 0.5 + np.arange(_POINTS)[:, None] * steps
    return [list(map(float, point)) for point in 0.05 + 0.9 * (found % 1.0)]


def _check_arity(rule: Rule, said: Smooth, what: Callable[..., object], kind: str) -> None:
    try:
        signature = inspect.signature(what)
    except (TypeError, ValueError):
        return  # a function of C has none; calling it will tell
    try:
        signature.bind(*[0.5] * len(said.of))
    except TypeError:
        count = len(said.of)
        raise fault(
            rule, None,
            f"the {kind} {said.name}{signature} cannot take the "
            f"{count} probabilit{'y' if count == 1 else 'ies'} that the rule names",
        ) from None  # fmt: skip


def _tried(rule: Rule, said: Smooth, what: Callable[..., object], point: list[float]) -> object:
    try:
        return what(*point)
    except Exception as problem:
        raise fault(rule, None, _raised(said, point, problem),
                    "the function must have a value wherever probabilities lie between 0 and 1",
                    ) from problem  # fmt: skip


def _check_gradient(rule: Rule, said: Smooth, point: list[float]) -> None:
    """It has as many numbers as there are probabilities, and they are the derivatives."""
    assert said.gradient is not None
    found = np.array(_tried(rule, said, said.gradient, point))
    if (
        found.shape != (len(point),)
        or found.dtype.kind not in "fiu"
        or not np.isfinite(found).all()
    ):
        raise fault(
            rule, None, f"the gradient of {_call(said, point)} is {found.tolist()!r:.80}",
            f"it must be {len(point)} finite numbers, the derivative by each probability",
        )  # fmt: skip
    plain = _differences(lambda at: np.array(value_at(said, at)), np.array(point))
    if not np.allclose(found, plain, rtol=_AGREE, atol=_AGREE * max(1.0, np.abs(plain).max())):
        raise fault(
            rule, None, f"the gradient of {_call(said, point)} is {_numbers(found)}, "
            f"but the function changes by {_numbers(plain)}",
            "give the derivative by each probability, or no gradient",
        )  # fmt: skip


def _numbers(values: Sequence[float] | Floats) -> str:
    return f"({', '.join(plainly(float(value)) for value in values)})"


def _call(said: Smooth, point: Sequence[float]) -> str:
    return f"{said.name}{_numbers(point)}"


def _raised(said: Smooth, point: Sequence[float], problem: Exception) -> str:
    return f"{_call(said, point)} raised {type(problem).__name__}: {problem}"
