"""Tacit's own JSON: variables with their states in order, and families of every kind.

    {"format": "tacit-network", "version": 1,
     "variables": [{"name": "Smoker", "states": ["yes", "no"]}, {"name": "Power"}, ...],
     "families": [{"family": "table", "child": "Smoker", "parents": [], "values": [0.3, 0.7]}, ...]}

A variable without states takes real values.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tacit.core.errors import FormatError, TacitError, marked, nearest
from tacit.core.family import Family
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.families import family_from_plain
from tacit.families.table import Table
from tacit.io import gaussianjson
from tacit.io.draft import placed, rescaled, settled
from tacit.io.words import short
from tacit.io.writing import check_complete

FORMAT = "tacit-network"
VERSION = 1


def read_json(text: str, where: str) -> tuple[Network, tuple[str, ...]]:
    """The network of our own JSON, or of the JSON of linear Gaussian networks, with notes."""
    plain = parse_json(text, where)
    try:
        if gaussianjson.is_gaussian(plain):
            return gaussianjson.from_plain(plain), ()
        network, notes = _noted(plain)
    except TacitError as problem:
        raise placed(problem, where) from None
    return network, tuple(f"{where}: {note}" for note in notes)


def parse_json(text: str, where: str) -> Any:
    """What a JSON text holds; an error marks where it is damaged."""
    if not text.strip():
        raise FormatError(f"{where}: the file is empty")
    try:
        return json.loads(text)
    except json.JSONDecodeError as problem:
        at = min(problem.pos, max(0, len(text) - 1))
        what = f"the JSON is damaged here: {problem.msg}"
        raise FormatError(marked(text, at, at + 1, what, where)) from None
    except RecursionError:
        raise FormatError(f"{where}: the JSON is nested too deeply") from None
    except ValueError:
        raise FormatError(f"{where}: the JSON holds a number with too many digits") from None


def write_json(network: Network) -> str:
    """The network as JSON, one variable and one family a line."""
    for family in network.families.values():
        if isinstance(family, Table):
            check_complete(family)
    plain = network_to_plain(network)
    lines = ["{", f'"format": {_line(FORMAT)},', f'"version": {VERSION},']
    for key in ("variables", "families"):
        last = "]" if key == "families" else "],"
        lines += [f'"{key}": [', ",\n".join(f"  {_line(each)}" for each in plain[key]), last]
    return "\n".join([*lines, "}"]) + "\n"


def _line(plain: Any) -> str:
    return json.dumps(plain, ensure_ascii=False, allow_nan=False)


def network_to_plain(network: Network) -> dict[str, Any]:
    """The network as JSON holds it."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "variables": [_variable_to_plain(each) for each in network.variables.values()],
        "families": [family.to_plain() for family in network.families.values()],
    }


def network_from_plain(plain: Any) -> Network:
    """The network that `network_to_plain` described."""
    return _noted(plain)[0]


def _variable_to_plain(variable: Variable) -> dict[str, Any]:
    if not isinstance(variable, Discrete):
        return {"name": variable.name}
    plain = {"name": variable.name, "states": list(variable.states)}
    return {**plain, "inferred_order": True} if variable.inferred_order else plain


def _noted(plain: Any) -> tuple[Network, list[str]]:
    if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
        raise FormatError(f'this JSON holds no network; one has "format": "{FORMAT}"')
    if plain.get("version") != VERSION:
        raise FormatError(
            f"version {short(str(plain.get('version')))} of this format is not known here; "
            f"this release reads version {VERSION}"
        )
    variables: dict[str, Variable] = {}
    for each in _listed(plain, "variables"):
        variable = _variable_from_plain(each)
        if variable.name in variables:
            raise FormatError(f"variable {short(variable.name)} is declared twice")
        variables[variable.name] = variable
    notes: list[str] = []
    families: dict[str, Family] = {}
    for each in _listed(plain, "families"):
        family = _family(each, variables, notes)
        if family.child in families:
            raise FormatError(f"{short(family.child)} has two families")
        families[family.child] = family
    for name in variables:
        if name not in families:
            raise FormatError(f"{short(name)} has no family")
    return Network.of(families[name] for name in variables), notes


def _listed(plain: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    found = plain.get(key)
    if not isinstance(found, list) or not all(isinstance(each, Mapping) for each in found):
        raise FormatError(f'"{key}" must be a list of objects')
    if not found:
        raise FormatError(f'"{key}" is empty')
    return found


def _variable_from_plain(plain: Mapping[str, Any]) -> Variable:
    name = plain.get("name")
    if not isinstance(name, str):
        raise FormatError(f"a variable needs a name, not {short(str(name))}")
    if "states" not in plain:
        return Continuous(name)
    states = plain["states"]
    if not isinstance(states, list):
        raise FormatError(f"the states of {short(name)} must be a list")
    return Discrete(name, tuple(states), bool(plain.get("inferred_order", False)))


def _family(
    plain: Mapping[str, Any], variables: Mapping[str, Variable], notes: list[str]
) -> Family:
    child, parents = plain.get("child"), plain.get("parents")
    if not isinstance(parents, list):
        raise FormatError(f"the parents of {short(str(child))} must be a list")
    for name in (child, *parents):
        if not isinstance(name, str) or name not in variables:
            near = nearest(str(name), variables) if len(variables) < 2000 else ""
            raise FormatError(f"a family names {short(str(name))}, which is no variable{near}")
    if plain.get("family") == "table":
        axes = [variables[name] for name in (*parents, child)]
        plain = {**plain, "values": _settled(str(child), axes, plain, notes)}
    return family_from_plain(plain, variables)


def _settled(
    child: str, axes: Sequence[Variable], plain: Mapping[str, Any], notes: list[str]
) -> Any:
    """The numbers of a table, rows that are only rounded rescaled; shapes are checked elsewhere."""
    if plain.get("partial"):
        return plain.get("values")  # unknown rows hold null
    try:
        values = np.asarray(plain.get("values"))
    except (ValueError, TypeError, OverflowError, RecursionError):
        values = np.asarray(None)
    if values.dtype.kind not in "iuf" or values.ndim == 0:
        raise FormatError(f"the table of {short(child)} must be nested lists of numbers")
    discrete = [axis for axis in axes if isinstance(axis, Discrete)]
    shape = tuple(len(axis.states) for axis in discrete)
    if len(discrete) < len(axes) or values.shape != shape:
        return values.astype(np.float64)
    rows, off = settled(
        discrete,
        values.reshape(-1, shape[-1]).astype(np.float64),
        lambda _, what: FormatError(what),
    )
    if off is not None:
        notes.append(rescaled(child, off))
    return rows.reshape(shape)
