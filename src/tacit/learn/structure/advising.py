"""`advise`: which way of learning a dag suits some cases, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.grid import counted
from tacit.core.variables import Continuous
from tacit.io.cases import as_dataset

FEW = 20
"""Variables whose best dag can be proven in seconds."""
MANY = 500
"""Variables from which on every restart is long, and candidates for parents are chosen first."""
SPARSE = 20.0
"""Cases per state of a hidden variable and observed variable below which starts end far apart."""


@dataclass(frozen=True, slots=True)
class Advice:
    """A way to learn a dag: the call as Python writes it, and the reasons.

    function  "search", "structural_em" or "discretise", which comes first where gaps are continuous
    """

    function: str
    call: str
    reasons: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([self.call, *(f"  {reason}" for reason in self.reasons)])

    def _repr_html_(self) -> str:
        items = "".join(f"<li>{escape(reason)}</li>" for reason in self.reasons)
        return f"<pre>{escape(self.call)}</pre><ul>{items}</ul>"


def advise(data: Any, hidden: Mapping[str, int] | None = None) -> Advice:
    """Which method suits these cases: by how many there are, their kinds, and what is missing.

    hidden  variables that nobody measured, with their numbers of states: {"H": 2}

    What is said of restarts and annealing was measured in the experiments of this package.
    [HV1 section 5]
    """
    cases = as_dataset(data)
    if not cases.names or not len(cases):
        raise CasesError("there are no cases to give advice about")
    unseen = _states(hidden)
    gaps = sum(cases.missing().values())
    real = [quoted(v.name) for v in cases.variables.values() if isinstance(v, Continuous)]
    if (gaps or unseen) and real:
        first = f"{real[0]} is continuous, and what is missing is inferred for states only"
        call = "tc.discretise(data, ...), then tc.structural_em(data)"
        return Advice("discretise", call, (first,))
    if unseen:
        return _hidden(cases, unseen)
    if gaps:
        return _incomplete(cases, gaps)
    return _complete(cases, bool(real))


def _states(hidden: Any) -> dict[str, int]:
    if hidden is None:
        return {}
    sound = isinstance(hidden, Mapping) and all(
        isinstance(name, str) and type(states) is int and states >= 1
        for name, states in hidden.items()
    )
    if not sound:
        raise OptionError(
            f'hidden={hidden!r:.60} must say how many states each variable has: {{"H": 2}}'
        )
    return dict(hidden)


def _complete(cases: Dataset, real: bool) -> Advice:
    many = len(cases.names)
    kinds = " with score BIC, which knows both kinds" if real else ""
    if many <= FEW:
        reason = f"{counted(many, 'variable')}: the best dag there is can be proven{kinds}"
        return Advice("search", "tc.search(data, method=tc.Exact())", (reason,))
    if many <= MANY:
        return Advice(
            "search",
            "tc.search(data)",
            (
                f"complete cases of {counted(many, 'variable')}: hill climbing with restarts by "
                f"reordering{kinds}",
                "weight annealing on complete cases is no better at equal effort; where seeds "
                "disagree, take tc.HillClimb(restarts=200)",
            ),
        )
    return Advice(
        "search",
        "tc.search(data, method=tc.HillClimb(restarts=0, candidates=10))",
        (
            f"{counted(many, 'variable')}: parents are chosen among promising candidates{kinds}",
            "restarts are long; allow a few when there is time",
        ),
    )


def _incomplete(cases: Dataset, gaps: int) -> Advice:
    share = gaps / (len(cases) * len(cases.names))
    return Advice(
        "structural_em",
        "tc.structural_em(data)",
        (
            f"{counted(gaps, 'cell')} missing, {share:.1%} of all: no case is left out",
            "score=tc.BIC() gives rounds that never fall, and fewer arcs; cells that are missing "
            "for a reason of their own want tc.missing_as_state first",
        ),
    )


def _hidden(cases: Dataset, hidden: Mapping[str, int]) -> Advice:
    said = "{" + ", ".join(f"{name!r}: {states}" for name, states in hidden.items()) + "}"
    ratio = cases.total_weight / (sum(hidden.values()) * len(cases.names))
    if ratio >= SPARSE:
        return Advice(
            "structural_em",
            f"tc.structural_em(data, hidden={said}, restarts=10)",
            (
                "many cases for what is to be learned: several starts, the best counts",
                "compare with tc.search(data, score=tc.BDeu(5)), which has no hidden variable",
            ),
        )
    return Advice(
        "structural_em",
        f"tc.structural_em(data, hidden={said}, "
        "method=tc.WeightAnnealing(tc.HillClimb(restarts=0)))",
        (
            "few cases for what is to be learned: starts end far apart, and annealed weights led "
            "to higher scores than starts of equal effort",
            "compare with tc.search(data, score=tc.BDeu(5)), which has no hidden variable",
        ),
    )
