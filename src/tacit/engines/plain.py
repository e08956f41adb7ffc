"""Statistics as JSON can hold them, and back; what comes back is the same to the last bit."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from math import isfinite, prod
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.errors import FormatError, TacitError
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.tasks import Evidence
from tacit.families.cause_counts import CauseCounts
from tacit.families.conditional_moments import ConditionalMoments
from tacit.families.counts import DENSE_CELLS, Counts, SparseCounts
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.moments import Moments
from tacit.families.table import MOST_AXES
from tacit.io.files import read_text, write_whole
from tacit.io.ownjson import parse_json

T = TypeVar("T")
MOST_STATES = 2**31


def evidence_to_plain(evidence: Evidence) -> dict[str, Any]:
    """Counts, sparse counts or moments as lists of numbers."""
    if isinstance(evidence, CauseCounts):
        return causes_to_plain(evidence)
    if isinstance(evidence, ConditionalMoments):
        return {
            "statistics": "conditional moments",
            "weights": evidence.weights.tolist(),
            "means": evidence.means.tolist(),
            "scatter": evidence.scatter.tolist(),
        }
    if isinstance(evidence, CurveEvidence):
        return {
            **_moments_to_plain(evidence.moments),
            "statistics": "curve",
            "tangent": evidence.tangent.tolist(),
            "bands": evidence.bands.tolist(),
        }
    if isinstance(evidence, Moments):
        return _moments_to_plain(evidence)
    plain = {"shape": list(evidence.shape), "values": evidence.values.ravel().tolist()}
    if isinstance(evidence, Counts):
        return {"statistics": "counts", **plain}
    return {"statistics": "sparse counts", "at": evidence.at.tolist(), **plain}


def evidence_from_plain(plain: Any) -> Evidence:
    """The statistics that `evidence_to_plain` described; an error if they could never have been."""
    kind = plain.get("statistics") if isinstance(plain, Mapping) else None
    if kind == "moments":
        return _moments(plain)
    if kind == "curve":
        return _curve(plain)
    if kind == "conditional moments":
        return _conditional_moments(plain)
    if kind == "cause counts":
        return _causes(plain)
    if kind not in ("counts", "sparse counts"):
        raise FormatError(
            f"{kind!r} are no statistics; known are: counts, sparse counts, moments, "
            "conditional moments, cause counts, curve"
        )
    shape, values = _shape(plain), _reals(plain, "values")
    if values.ndim != 1 or (values < 0).any():
        raise FormatError("counts must be a list of numbers, 0 or more")
    if kind == "sparse counts":
        return SparseCounts(shape, _positions(plain, shape, values.size), values)
    if values.size != prod(shape) or values.size > 20 * DENSE_CELLS:
        raise FormatError(
            f"counts of the shape {shape} need {prod(shape):,} numbers, not {values.size:,}"
        )
    return Counts(values.reshape(shape))


def variable_to_plain(variable: Variable) -> dict[str, Any]:
    """A name, and the states if there are any."""
    if not isinstance(variable, Discrete):
        return {"name": variable.name}
    plain = {"name": variable.name, "states": list(variable.states)}
    return {**plain, "inferred_order": True} if variable.inferred_order else plain


def variable_from_plain(plain: Any) -> Variable:
    """The variable that `variable_to_plain` described."""
    if not isinstance(plain, Mapping):
        raise FormatError("a variable must be an object with a name")
    if "states" not in plain:
        return Continuous(plain.get("name", ""))
    states = plain["states"]
    if not isinstance(states, list):
        raise FormatError(f"the states of {plain.get('name')!r} must be a list")
    inferred = bool(plain.get("inferred_order", False))
    return Discrete(plain.get("name", ""), tuple(states), inferred)


def real(plain: Mapping[str, Any], key: str) -> float:
    """A finite number, 0 or more, as weights are."""
    found = plain.get(key)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise FormatError(f"{key!r} must be a number, not {found!r}")
    if not (isfinite(found) and found >= 0):
        raise FormatError(f"{key!r} must be a finite number, 0 or more, not {found!r}")
    return float(found)


def part(plain: Mapping[str, Any], key: str, kind: type) -> Any:
    """What stands under a key; an error if it is of another kind, or a number below 0."""
    found: Any = plain.get(key)
    if type(found) is not kind or (isinstance(found, int) and found < 0):
        raise FormatError(f"{key!r} is missing or of the wrong kind")
    return found


def check_format(plain: Any, name: str, version: int) -> None:
    """Nothing, or an error if the data are of another format or release."""
    if not isinstance(plain, Mapping) or plain.get("format") != name:
        raise FormatError(f'this JSON holds something else; wanted is "format": "{name}"')
    if plain.get("version") != version:
        raise FormatError(
            f"version {plain.get('version')!r} of this format is not known here; "
            f"this release reads version {version}"
        )


def save_plain(plain: Mapping[str, Any], path: str | Path) -> None:
    """Write plain data as JSON, whole or not at all."""
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    try:
        write_whole(path, f"{text}\n".encode())
    except UnicodeEncodeError:
        raise FormatError(
            f"{path}: a name holds half a character, which no file can hold"
        ) from None


def loaded(path: str | Path, build: Callable[[Any], T]) -> T:
    """The value that JSON in a file describes; every error says the file."""
    plain = parse_json(read_text(path), str(path))
    try:
        return build(plain)
    except TacitError as problem:
        raise FormatError(f"{path}: {problem}") from None


def _shape(plain: Mapping[str, Any]) -> tuple[int, ...]:
    found = plain.get("shape")
    sizes = found if isinstance(found, list) else []
    good = all(type(each) is int and 0 < each <= MOST_STATES for each in sizes)
    if not (good and 0 < len(sizes) <= MOST_AXES):
        raise FormatError("the shape of counts must be a list of numbers of states")
    return tuple(sizes)


def _reals(plain: Mapping[str, Any], key: str) -> Floats:
    try:
        found = np.asarray(plain.get(key), dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise FormatError(f"{key!r} must hold numbers") from None
    if not np.isfinite(found).all():
        raise FormatError(f"{key!r} must hold finite numbers")
    return found


def _positions(plain: Mapping[str, Any], shape: tuple[int, ...], size: int) -> Ints:
    found = plain.get("at")
    if not isinstance(found, list) or not all(type(at) is int for at in found):
        raise FormatError("'at' must be a list of positions")
    end = min(prod(shape), np.iinfo(np.int64).max)
    if len(found) != size or any(not 0 <= at < end for at in found):
        raise FormatError("every count needs its position in the table")
    at = np.array(found, dtype=np.int64)
    if (np.diff(at) <= 0).any():
        raise FormatError("the positions of counts must rise")
    return at


def _moments(plain: Mapping[str, Any]) -> Moments:
    means, scatter = _reals(plain, "means"), _reals(plain, "scatter")
    if means.ndim != 1 or scatter.shape != (means.size, means.size):
        raise FormatError("moments need one mean per variable and a square table of co-products")
    return Moments(real(plain, "weight"), means, scatter)


def _moments_to_plain(moments: Moments) -> dict[str, Any]:
    return {
        "statistics": "moments",
        "weight": moments.weight,
        "means": moments.means.tolist(),
        "scatter": moments.scatter.tolist(),
    }


def _curve(plain: Mapping[str, Any]) -> CurveEvidence:
    moments, tangent, bands = _moments(plain), _reals(plain, "tangent"), _reals(plain, "bands")
    size = moments.means.size + 1
    if tangent.shape != (size, size) or bands.ndim != 2 or bands.shape[1] != 4:
        raise FormatError("a curve needs a square tangent and bands of four numbers")
    return CurveEvidence(moments, tangent, bands)


def _conditional_moments(plain: Mapping[str, Any]) -> ConditionalMoments:
    weights, means, scatter = (_reals(plain, key) for key in ("weights", "means", "scatter"))
    size = means.shape[-1] if means.ndim else 0
    if means.shape != (*weights.shape, size) or scatter.shape != (*means.shape, size):
        raise FormatError(
            "conditional moments need one mean per variable and a square table of co-products "
            "in every configuration"
        )
    if not size or (weights < 0).any():
        raise FormatError("the weights of configurations must be numbers, 0 or more")
    return ConditionalMoments(weights, means, scatter)


def causes_to_plain(evidence: CauseCounts) -> dict[str, Any]:
    """What was seen of independent causes, and what is expected of each of them."""
    rest = {} if evidence.expected is None else {"expected": evidence.expected.tolist()}
    return {
        "statistics": "cause counts",
        "shape": list(evidence.shape),
        "seen": evidence.seen.tolist(),
        "values": evidence.values.tolist(),
        **rest,
    }


def _causes(plain: Mapping[str, Any]) -> CauseCounts:
    values = _reals(plain, "values")
    if (values < 0).any():
        raise FormatError("counts must be numbers, 0 or more")
    shape = plain.get("shape")
    if not isinstance(shape, list) or not all(type(each) is int and each > 0 for each in shape):
        raise FormatError("the shape of counts must be a list of numbers of states")
    values = values.reshape(-1, shape[-1]) if values.size == 0 else values
    seen = np.asarray(plain.get("seen"))
    if not seen.size:
        seen = np.zeros((len(values), len(shape) - 1), dtype=np.int64)
    if seen.shape != (len(values), len(shape) - 1) or values.shape != (len(values), *shape[-1:]):
        raise FormatError("every configuration needs its states and its counts")
    if seen.size and (seen.dtype.kind != "i" or (seen < 0).any() or (seen >= shape[:-1]).any()):
        raise FormatError("a configuration holds something that is no state")
    return CauseCounts(tuple(shape), seen.astype(np.int64), values, _expected(plain))


def _expected(plain: Mapping[str, Any]) -> Floats | None:
    if plain.get("expected") is None:
        return None
    found = _reals(plain, "expected")
    if found.ndim != 3 or found.shape[-1] != 2 or (found < 0).any():
        raise FormatError("what is expected of causes are two numbers for every cause and level")
    return found
