"""One file per conditional distribution, with its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.errors import FormatError
from tacit.core.family import Family
from tacit.core.variables import Variable
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import Table

KINDS: Mapping[str, Any] = {"table": Table, "linear-gaussian": LinearGaussian}
"""The families that plain data can name, by the word under which they are saved."""


def family_from_plain(plain: Mapping[str, Any], variables: Mapping[str, Variable]) -> Family:
    """The family whose `to_plain` this is."""
    kind = plain.get("family")
    if kind not in KINDS:
        raise FormatError(f"{kind!r} is no family; known are: {', '.join(KINDS)}")
    family: Family = KINDS[kind].from_plain(plain, variables)
    return family
