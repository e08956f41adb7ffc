"""The JSON in which the classic linear Gaussian networks circulate; it is read, not written.

{"nodes": ["A", "B"], "arcs": [["A", "B"]],
 "cpds": {"B": {"coefficients": {"(Intercept)": [1.5], "A": [0.2]}, "variance": [0.7],
                "parents": ["A"]}, ...}}
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import Any

import numpy as np

from tacit.core.errors import FormatError
from tacit.core.network import Network
from tacit.core.variables import Continuous
from tacit.families.gaussian import LinearGaussian
from tacit.io.words import short

INTERCEPT = "(Intercept)"


def is_gaussian(plain: Any) -> bool:
    """Whether this is such a network, and none of our own."""
    return isinstance(plain, Mapping) and {"nodes", "arcs", "cpds"} <= set(plain)


def from_plain(plain: Mapping[str, Any]) -> Network:
    """The network, with the variables in the order of `nodes`."""
    nodes, cpds = plain["nodes"], plain["cpds"]
    if not isinstance(nodes, list) or not nodes or not all(isinstance(n, str) for n in nodes):
        raise FormatError('"nodes" must be a list of names')
    if len(set(nodes)) < len(nodes):
        twice = next(name for name in nodes if nodes.count(name) > 1)
        raise FormatError(f"variable {short(twice)} is listed twice")
    if not isinstance(cpds, Mapping):
        raise FormatError('"cpds" must be an object with one entry for each of the nodes')
    for name in cpds:
        if name not in nodes:
            raise FormatError(f"there are coefficients for {short(name)}, which is no node")
    network = Network.of(_family(name, cpds.get(name)) for name in nodes)
    _check_arcs(network, plain["arcs"])
    return network


def _family(name: str, plain: Any) -> LinearGaussian:
    if not isinstance(plain, Mapping):
        raise FormatError(f"{short(name)} has no coefficients")
    parents, coefficients = plain.get("parents", []), plain.get("coefficients")
    if not isinstance(parents, list) or not all(isinstance(each, str) for each in parents):
        raise FormatError(f"the parents of {short(name)} must be a list of names")
    if not isinstance(coefficients, Mapping) or set(coefficients) != {INTERCEPT, *parents}:
        raise FormatError(f"{short(name)} needs one coefficient for each parent and {INTERCEPT!r}")
    whose = f"the coefficient of {short(name)} for"
    values = {
        each: _number(value, f"{whose} {short(each)}") for each, value in coefficients.items()
    }
    variance = _number(plain.get("variance"), f"the variance of {short(name)}")
    if not variance >= 0:
        raise FormatError(f"the variance of {short(name)} is {variance:g}; it must be 0 or more")
    return LinearGaussian(
        tuple(map(Continuous, (*parents, name))),
        np.array([values[parent] for parent in parents], dtype=np.float64),
        values[INTERCEPT],
        sqrt(variance),
    )


def _number(plain: Any, whose: str) -> float:
    """A number, which may stand in a list of its own."""
    value = plain[0] if isinstance(plain, list) and len(plain) == 1 else plain
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise FormatError(f"{whose} is no number")
    return float(value)


def _check_arcs(network: Network, arcs: Any) -> None:
    pairs = (
        {tuple(arc) for arc in arcs if isinstance(arc, list)} if isinstance(arcs, list) else None
    )
    if pairs != set(network.dag.arcs):
        raise FormatError('"arcs" and the parents in "cpds" do not agree')
