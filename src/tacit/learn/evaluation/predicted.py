"""`evaluate`: a variable predicted from all other cells of every case, beside what came."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tacit.arrays import Column, Floats, Ints
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.core.network import Network, check_network
from tacit.core.variables import Continuous, Discrete, Variable
from tacit.infer.bent.bulk import bent_spreads
from tacit.infer.bent.straight import is_bent
from tacit.infer.likelihood import log_likelihood
from tacit.infer.normal.spreads import Spreads, normal_spreads
from tacit.infer.prediction import observed_columns, predict
from tacit.learn.evaluation.densities import crps, log_densities, shares_below
from tacit.learn.evaluation.evaluation import AnyEvaluation, Evaluation
from tacit.learn.evaluation.reals import RealEvaluation
from tacit.learn.fits import Fit


def evaluate(network: Network | Fit, data: Any, target: str, *, threads: int = 1) -> AnyEvaluation:
    """How well a network predicts one variable from all others.

    P(target | all other cells of the case) is computed exactly for every case, missing cells summed
    out, and compared with what came. If the target has states: log score, Brier score, accuracy,
    area under the ROC curve, calibration. If it is continuous: log density, RMSE, MAE, R², CRPS,
    coverage of intervals, calibration; exact, too, but where it or what is missing stands above a
    curve. On the cases the network was learned from this flatters: hold some out, or use
    `tc.cross_validate(..., target=...)`.

    network  or a fit of one
    data     anything `tc.read_cases` takes; it needs a column of the target
    target   a variable
    """
    known = network.network if isinstance(network, Fit) else network
    check_network(known)
    variable = target_of(known.variables, target)
    cases = observed_columns(known, data)
    if target not in cases:
        raise ColumnError(
            f"the cases have no column {quoted(target)}{nearest(target, cases.names)}, so nothing "
            f"says what came\n\ncolumns: {listed(cases.names)}"
        )
    found = evaluated(known, cases, variable, np.arange(len(cases)), threads)
    if not len(found):
        if not bool(absent(cases[target]).all()):
            raise CasesError(f"no case can be judged: {found.notes[-1]}")
        what = "state" if isinstance(variable, Discrete) else "value"
        raise CasesError(f"no case says which {what} of {quoted(target)} came")
    if cases.weights is not None and not cases.weights[~absent(cases[target])].any():
        raise CasesError(f"all cases that say what came of {quoted(target)} weigh 0")
    return found


def target_of(variables: Mapping[str, Variable], target: Any) -> Variable:
    """The variable that is to be predicted, or an error that says what could be."""
    if not isinstance(target, str) or target not in variables:
        near = nearest(target, variables) if isinstance(target, str) else ""
        raise OptionError(
            f"target={target!r} is no variable of the network{near}"
            f"\n\nvariables: {listed(map(quoted, variables))}"
        )
    return variables[target]


def class_of(variables: Mapping[str, Variable], target: Any) -> Discrete:
    """The same where only what has states will do."""
    variable = target_of(variables, target)
    if not isinstance(variable, Discrete):
        raise OptionError(
            f"target={target!r} is continuous, and a class has states"
            "\n\nmake it discrete with tc.discretise"
        )
    return variable


def evaluated(
    network: Network, cases: Dataset, target: Variable, places: Ints, threads: int = 1
) -> AnyEvaluation:
    """The target predicted in cases that stand at `places` of the data."""
    if isinstance(target, Continuous):
        return _values_predicted(network, cases, target, places)
    truth = cases[target.name].astype(np.int64)
    probability = predict(network, _blind(cases, target.name), threads=threads)[target.name]
    used = np.flatnonzero((truth >= 0) & ~np.isnan(probability).any(axis=1))
    found = Evaluation(
        target.name,
        target.states,
        truth[used],
        probability[used],
        None if cases.weights is None else cases.weights[used],
        places[used],
    )
    return replace(found, notes=tuple(left_out(cases, found)))


def _values_predicted(
    network: Network, cases: Dataset, target: Continuous, places: Ints
) -> RealEvaluation:
    """The same of a continuous target: what is said of each of its mixtures."""
    truth = cases[target.name].astype(np.float64)
    said = _spreads(network, _blind(cases, target.name), target.name)
    told, drawn = np.full((5, len(cases)), np.nan), np.zeros(len(cases), np.bool_)
    for each in said.parts:
        mixture = truth[each.cases], each.weights, each.means, each.sds
        told[:2, each.cases] = each.moments()
        told[2:, each.cases] = log_densities(*mixture), crps(*mixture), shares_below(*mixture)
    drawn[said.drawn] = True
    usable = ~np.isnan(truth) & ~said.impossible
    rough = np.flatnonzero(drawn & usable)
    if rough.size:
        told[2, rough] = _densities(network, cases.take(rough), target.name)
    used = np.flatnonzero(usable)
    mean, sd, density, distance, below = told[:, used]
    found = RealEvaluation(
        target=target.name,
        truth=truth[used],
        mean=mean,
        sd=sd,
        log_density=density,
        distance=distance,
        below=below,
        drawn=drawn[used],
        weights=None if cases.weights is None else cases.weights[used],
        cases=places[used],
    )
    return replace(found, notes=tuple(left_out(cases, found)))


def _spreads(network: Network, cases: Dataset, name: str) -> Spreads:
    spreads = bent_spreads if is_bent(network) else normal_spreads
    return spreads(network, cases, name)


def _densities(network: Network, cases: Dataset, name: str) -> Floats:
    """(cases,) log P(all of the case) - log P(all but the target): draws have no density."""
    whole = log_likelihood(network, cases).per_case
    return np.asarray(whole - log_likelihood(network, _blind(cases, name)).per_case)


def _blind(cases: Dataset, name: str) -> Dataset:
    """The cases without what they say of a variable."""
    column = cases[name]
    unknown: Column = np.full_like(column, np.nan if column.dtype.kind == "f" else -1)
    return Dataset(cases.variables, {**cases.columns, name: unknown})


def left_out(cases: Dataset, found: AnyEvaluation) -> Iterator[str]:
    """What is to be said of an evaluation of these cases: which it lacks, and what is not exact."""
    target, unseen = quoted(found.target), int(absent(cases[found.target]).sum())
    impossible = len(cases) - unseen - len(found)
    if unseen:
        lack = "lacks" if unseen == 1 else "lack"
        yield f"{counted(unseen, 'case')} {lack} {target} and cannot be judged"
    if impossible:
        verb = "is" if impossible == 1 else "are"
        yield (
            f"{counted(impossible, 'case')} {verb} impossible under the network whatever {target} "
            "is, and left out"
        )
    drawn = int(found.drawn.sum()) if isinstance(found, RealEvaluation) else 0
    if drawn:
        yield (
            f"in {counted(drawn, 'case')} what is unknown stands above a curve, and {target} "
            "was predicted by weighted draws, not exactly"
        )
