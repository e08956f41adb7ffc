"""`evaluate`: a variable predicted from all other cells of every case, beside what came."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, ColumnError, OptionError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.infer.prediction import observed_columns, predict
from tacit.learn.evaluation.evaluation import Evaluation
from tacit.learn.fits import Fit


def evaluate(network: Network | Fit, data: Any, target: str, *, threads: int = 1) -> Evaluation:
    """How well a network predicts one variable from all others.

    P(target | all other cells of the case) is computed exactly for every case, missing cells summed
    out, and compared with the state that came: log score, Brier score, accuracy, area under the ROC
    curve, calibration. On the cases the network was learned from this flatters: hold some out, or
    use `tc.cross_validate(..., target=...)`.

    network  or a fit of one
    data     anything `tc.read_cases` takes; it needs a column of the target
    target   a variable with states
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
        raise CasesError(f"no case says which state of {quoted(target)} came")
    return found


def target_of(variables: Any, target: Any) -> Discrete:
    """The variable that is to be predicted, or an error that says what could be."""
    if not isinstance(target, str) or target not in variables:
        near = nearest(target, variables) if isinstance(target, str) else ""
        raise OptionError(
            f"target={target!r} is no variable of the network{near}"
            f"\n\nvariables: {listed(map(quoted, variables))}"
        )
    variable = variables[target]
    if not isinstance(variable, Discrete):
        raise OptionError(
            f"target={target!r} is continuous; predictions are judged by state"
            "\n\nmake it discrete with tc.discretise"
        )
    return variable


def evaluated(
    network: Network, cases: Dataset, target: Discrete, places: Any, threads: int = 1
) -> Evaluation:
    """The target predicted in cases that stand at `places` of the data."""
    others = cases.select([name for name in cases.names if name != target.name])
    truth = cases[target.name].astype(np.int64)
    if others.names and len(cases):
        probability = predict(network, others, threads=threads)[target.name]
    else:
        probability = np.tile(_alone(network, target), (len(cases), 1))
    seen, possible = truth >= 0, ~np.isnan(probability).any(axis=1)
    used = np.flatnonzero(seen & possible)
    weights = None if cases.weights is None else cases.weights[used]
    notes = _notes(target.name, int((~seen).sum()), int((seen & ~possible).sum()))
    return Evaluation(
        target.name,
        target.states,
        truth[used],
        probability[used],
        weights,
        np.asarray(places)[used],
        notes,
    )


def _alone(network: Network, target: Discrete) -> Any:
    from tacit.infer.queries import query

    return query(network, target.name).values


def _notes(target: str, unseen: int, impossible: int) -> tuple[str, ...]:
    notes = []
    if unseen:
        lack = "lacks" if unseen == 1 else "lack"
        notes.append(f"{counted(unseen, 'case')} {lack} {quoted(target)} and cannot be judged")
    if impossible:
        verb = "is" if impossible == 1 else "are"
        notes.append(
            f"{counted(impossible, 'case')} {verb} impossible under the network whatever "
            f"{quoted(target)} is, and left out"
        )
    return tuple(notes)
