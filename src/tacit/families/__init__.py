"""One file per conditional distribution, with its statistics."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tacit.core.errors import FormatError, TacitError
from tacit.core.family import Family
from tacit.core.variables import Variable
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.curved import SigmoidGaussian, SoftplusGaussian
from tacit.families.default_table import DefaultTable
from tacit.families.gaussian import LinearGaussian
from tacit.families.noisy_max import NoisyMax
from tacit.families.noisy_or import NoisyAnd, NoisyOr
from tacit.families.table import Table
from tacit.families.tree_table import TreeTable

KINDS: Mapping[str, Any] = {
    "table": Table,
    "linear-gaussian": LinearGaussian,
    "conditional-gaussian": ConditionalGaussian,
    "noisy-or": NoisyOr,
    "noisy-and": NoisyAnd,
    "noisy-max": NoisyMax,
    "tree-table": TreeTable,
    "default-table": DefaultTable,
    "sigmoid-gaussian": SigmoidGaussian,
    "softplus-gaussian": SoftplusGaussian,
}
"""The families that plain data can name, by the word under which they are saved."""


def family_from_plain(plain: Mapping[str, Any], variables: Mapping[str, Variable]) -> Family:
    """The family whose `to_plain` this is; what is lacking or damaged is a FormatError."""
    kind = str(plain.get("family"))
    if kind not in KINDS:
        raise FormatError(f"{kind!r} is no family; known are: {', '.join(KINDS)}")
    whose = f"the family of {plain.get('child')!r}"
    try:
        family: Family = KINDS[kind].from_plain(plain, variables)
    except TacitError:
        raise
    except KeyError as lacking:
        raise FormatError(f"{whose} needs {lacking}, which is not there") from None
    except (TypeError, ValueError):
        raise FormatError(f"{whose} holds something other than names and numbers") from None
    return family
