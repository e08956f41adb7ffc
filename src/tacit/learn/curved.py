"""Which continuous variables get a curve for a straight line, and their fits."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dataset import Dataset
from tacit.core.errors import (
    KnowledgeError,
    MissingError,
    OptionError,
    listed,
    nearest,
    quoted,
)
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.engines.scales import check_scales
from tacit.estimate.curves import curve_log_likelihood, estimate_curve
from tacit.families import KINDS
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.knowledge.knowledge import Knowledge

if TYPE_CHECKING:
    from tacit.learn.fits import Fit

CURVED: Mapping[str, type[CurvedGaussian]] = {
    word: kind
    for word, kind in KINDS.items()
    if isinstance(kind, type) and issubclass(kind, CurvedGaussian)
}
STRAIGHT = (LinearGaussian, "linear-gaussian")
Curves = Mapping[str, type[CurvedGaussian]]


@dataclass(frozen=True, slots=True, eq=False)
class CurveFit:
    """One curve with its evidence."""

    family: CurvedGaussian
    evidence: CurveEvidence
    log_likelihood: float


def apart(given: Any) -> tuple[dict[str, Any] | type[CurvedGaussian], Any]:
    """What `families=` says of continuous variables, and what is left for the others."""
    if isinstance(given, Mapping):
        told = {name: said for name, said in given.items() if _of_curves(said)}
        return told, {name: said for name, said in given.items() if name not in told} or None
    kind = _kind(given)
    if kind is not None:
        return kind, None
    return {}, given


def _of_curves(said: Any) -> bool:
    return _kind(said) is not None or (isinstance(said, str | type) and said in STRAIGHT)


def _kind(said: Any) -> type[CurvedGaussian] | None:
    """The curved kind that a word, a class or a family stands for; None for any other."""
    if isinstance(said, str):
        return CURVED.get(said)
    kind = type(said) if isinstance(said, CurvedGaussian) else said
    known = isinstance(kind, type) and kind in CURVED.values()
    return kind if known else None


def curved_of(
    told: dict[str, Any] | type[CurvedGaussian],
    network: Network | None,
    families: Mapping[str, tuple[Variable, ...]],
) -> dict[str, type[CurvedGaussian]]:
    """The curved kinds by the name of the child; one without parents is a plain normal.

    told      what `apart` found; one kind alone is for every variable with parents
    network   whose own curves are kept where nothing else is said
    """
    chosen: dict[str, Any] = own_curves(network)
    if isinstance(told, dict):
        _check_told(told, families)
    chosen |= told if isinstance(told, dict) else dict.fromkeys(families, told)
    found = {}
    for name, said in chosen.items():
        kind = _kind(said)
        if kind is not None and name in families and len(families[name]) > 1:
            _check_real(name, families[name], kind)
            found[name] = kind
    return found


def _check_told(told: Mapping[str, Any], families: Mapping[str, tuple[Variable, ...]]) -> None:
    """Nothing, or an error about a name that is no variable, or lines of what has states."""
    for name, said in told.items():
        if name not in families:
            raise OptionError(
                f"families= names {name!r}, which is no variable of the structure"
                f"{nearest(str(name), families)}\n\nvariables: {listed(families)}"
            )
        if _kind(said) is None and not isinstance(families[name][-1], Continuous):
            shown = said.__name__ if isinstance(said, type) else repr(said)
            raise OptionError(
                f"families= says {shown} of {name!r}, which has states, no real values"
                "\n\nleave it out, or name it continuous when the cases are read"
            )


def _check_real(name: str, axes: Sequence[Variable], kind: type[CurvedGaussian]) -> None:
    for axis in axes:
        if not isinstance(axis, Continuous):
            raise OptionError(
                f"{quoted(name)} cannot be a {kind.kind}: {quoted(axis.name)} has states, and a "
                "curve is of continuous variables only"
            )


def one_wish(family: Any, families: Any) -> Any:
    """What `family=` and `families=` say; both say the same thing, so only one of them is given."""
    if family is not None and families is not None:
        raise OptionError("family= and families= say the same thing: give one of them")
    return families if family is None else family


def curves_among(given: Any, variables: Mapping[str, Variable]) -> dict[str, type[CurvedGaussian]]:
    """The columns of a search that get curves where they have parents."""
    if given is None:
        return {}
    told, rest = apart(given)
    if rest is not None:
        said = next(iter(rest.values())) if isinstance(rest, Mapping) else rest
        known = ", ".join(f"tc.{kind.__name__}" for kind in CURVED.values())
        raise OptionError(
            f"families= says {said.__name__ if isinstance(said, type) else repr(said)}, and a "
            f"search chooses among curves of continuous columns\n\nthere are: {known}"
        )
    if isinstance(told, dict):
        for name in told:
            if name not in variables:
                raise OptionError(
                    f"families= names {name!r}, which is no column of the cases"
                    f"{nearest(str(name), variables)}\n\ncolumns: {listed(variables)}"
                )
        chosen: Mapping[str, Any] = told
    else:
        chosen = {n: told for n, each in variables.items() if isinstance(each, Continuous)}
    found = {name: _kind(said) for name, said in chosen.items()}
    for name, kind in found.items():
        if kind is not None:
            _check_real(name, (variables[name],), kind)
    return {name: kind for name, kind in found.items() if kind is not None}


def own_curves(network: Network | None) -> dict[str, type[CurvedGaussian]]:
    """The curves of a network, by the name of the child."""
    own = {} if network is None else network.families
    return {name: type(each) for name, each in own.items() if isinstance(each, CurvedGaussian)}


def refuse_curved(
    curves: Curves, knowledge: Knowledge | None, tied: Sequence[Sequence[str]] | None
) -> None:
    """Nothing, or an error about wishes that a curve cannot grant."""
    if not curves:
        return
    name, kind = next(iter(curves.items()))
    said = f"the {kind.kind} of {quoted(name)}"
    if tied:
        raise OptionError(f"{said}: tied= speaks of tables\n\nleave it out, or families=")
    for rule in knowledge.parameters if knowledge else ():
        if name in str(rule):
            raise KnowledgeError(
                f"{said}: rules speak of tables and of straight lines\n\n    {rule}\n\n"
                "leave out the rule, or families="
            )


def refuse_gaps(
    hidden: Collection[str], families: Mapping[str, tuple[Variable, ...]], curves: Curves
) -> None:
    """Nothing, or an error about curves where something has to be inferred that EM cannot."""
    for name in curves:
        if name in hidden:
            raise OptionError(
                f"{quoted(name)} is hidden, and what is hidden follows a straight line: the noise "
                "around it gives it its scale\n\nname the variables that follow curves one by one: "
                "families={name: tc.SigmoidGaussian}"
            )
    for name, axes in families.items() if curves else ():
        if isinstance(axes[-1], Discrete):
            unseen = name in hidden
            raise OptionError(
                f"{quoted(name)} has states, and EM around curves is of continuous variables "
                f"alone{'' if unseen else ': cells are missing'}\n\nleave out families=, or "
                + (f'make it hidden={{{name!r}: "continuous"}}' if unseen
                   else "use method=tc.AvailableCases()")
            )  # fmt: skip


def fit_curves(
    cases: Dataset,
    families: Mapping[str, tuple[Variable, ...]],
    curves: Curves,
    *,
    available: bool,
) -> dict[str, CurveFit]:
    """Every curve, by non-linear least squares on the cases that are whole in it."""
    for name in curves:
        check_scales(cases, [axis.name for axis in families[name]])
    return {
        name: fit_curve(kind, *whole_cases(cases, families[name], available))
        for name, kind in curves.items()
    }


def fit_curve(
    kind: type[CurvedGaussian],
    variables: tuple[Continuous, ...],
    values: Floats,
    weights: Floats | None,
) -> CurveFit:
    """One curve from (cases, variables)."""
    family = estimate_curve(kind, variables, values, weights)
    evidence = CurveEvidence.of(family, values, weights)
    return CurveFit(family, evidence, curve_log_likelihood(family, values, weights))


def whole_cases(
    cases: Dataset, axes: Sequence[Variable], available: bool
) -> tuple[tuple[Continuous, ...], Floats, Floats | None]:
    """The continuous axes, their cells, and the weights of the cases that lack none of them."""
    real = tuple(axis for axis in axes if isinstance(axis, Continuous))
    values = np.array([cases[axis.name] for axis in real], dtype=np.float64).T
    gone = np.isnan(values).any(axis=1)
    if gone.any() and not available:
        raise MissingError(
            f"{counted(int(gone.sum()), 'case')} with gaps in the family of "
            f"{quoted(real[-1].name)}: a curve is fitted to whole cases"
            "\n\nuse method=tc.AvailableCases()"
        )
    weights = None if cases.weights is None else cases.weights[~gone]
    return real, values[~gone], weights


def curves_said(curves: Curves) -> dict[str, str]:
    """The curves as the settings of a fit keep them."""
    return {name: kind.kind for name, kind in curves.items()}


def curves_asked(curves: Curves, columns: int) -> str | dict[str, str]:
    """The curves that a search was asked for: one word where every column has the same."""
    said = curves_said(curves)
    kinds = set(said.values())
    return kinds.pop() if len(kinds) == 1 and len(said) == columns else said


def curves_fit(fit: Fit) -> bool:
    """Whether the evidence of curves is that of the curves of the network, and of no others."""
    curves = {
        name: len(family.variables)
        for name, family in fit.network.families.items()
        if isinstance(family, CurvedGaussian)
    }
    return curves == {
        name: held.moments.means.size
        for name, held in fit.evidence.items()
        if isinstance(held, CurveEvidence)
    }
