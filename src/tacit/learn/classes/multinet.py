"""Multinets: each class has a network of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from tacit.arrays import Floats, readonly, shares, shares_of_logs
from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.errors import CasesError, MissingError, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.estimates import Estimate
from tacit.estimate.priors import Prior
from tacit.families.table import Table
from tacit.infer.likelihood import log_likelihood
from tacit.infer.sampling import fresh_seed
from tacit.io.cases import as_dataset
from tacit.learn.evaluation.evaluation import Evaluation
from tacit.learn.evaluation.predicted import class_of
from tacit.learn.fit import fit
from tacit.learn.structure.methods_exact import ChowLiu
from tacit.learn.structure.search import search
from tacit.learn.structure.structural_em import structural_em


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Multinet:
    """P(class) and, for every class, a network of all other variables. [Geiger, Heckerman 1996]

    target    the class
    shares    (classes,) P(class)
    networks  class -> network of its cases
    """

    target: Discrete
    shares: Floats
    networks: Mapping[str, Network]

    def __post_init__(self) -> None:
        object.__setattr__(self, "shares", readonly(self.shares))
        object.__setattr__(self, "networks", MappingProxyType(dict(self.networks)))

    def log_joint(self, data: Any) -> Floats:
        """(cases, classes) log P(class, what is observed of the case)."""
        first = next(iter(self.networks.values()))
        cases = as_dataset(data, like=first, columns=first.dag.names)
        each = [log_likelihood(network, cases).per_case for network in self.networks.values()]
        with np.errstate(divide="ignore"):
            return np.stack(each, axis=1) + np.log(self.shares)

    def predict(self, data: Any) -> Floats:
        """(cases, classes) P(class | what is observed); the shares where that is impossible."""
        found = shares_of_logs(self.log_joint(data))
        found[np.isnan(found[:, 0])] = shares(self.shares)
        return found

    def evaluate(self, data: Any) -> Evaluation:
        """How well the class is predicted from all other cells."""
        cases = as_dataset(data, like={self.target.name: self.target}, columns=[self.target.name])
        truth = cases[self.target.name].astype(np.int64)
        used = np.flatnonzero(truth >= 0)
        probability = self.predict(data)[used]
        states = self.target.states
        return Evaluation(self.target.name, states, truth[used], probability, None, used)

    def grid(self) -> Grid:
        """A line per class: its share, and the dag of its network."""
        rows = tuple(
            (state, f"{share:.3f}", str(network.dag))
            for share, (state, network) in zip(self.shares, self.networks.items(), strict=True)
        )
        return Grid(repr(self)[1:-1], (self.target.name, "share", "dag"), rows, labels=3)

    def __reduce__(self) -> tuple[type[Multinet], tuple[Any, ...]]:
        return Multinet, (self.target, self.shares, dict(self.networks))

    def __repr__(self) -> str:
        classes = len(self.target.states)
        return f"<Multinet of {quoted(self.target.name)}, {counted(classes, 'network')}>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()


def fit_multinet(
    data: Any,
    target: str,
    *,
    method: Any = None,
    prior: Prior | None = None,
    estimate: Estimate | None = None,
    seed: int | None = None,
) -> Multinet:
    """For every class the best dag of its cases, fitted to them:

    maximise  Σ over classes of log P(cases of the class | dag and θ of the class) + log P(class).

    The dags are trees unless `method` says otherwise, so that what depends on what may differ from
    class to class. A class without cases gets no arcs. [Friedman, Geiger and Goldszmidt 1997]

    data    anything `tc.read_cases` takes; every column but the target is a variable
    target  the class
    method  of search, as in `tc.search`: `tc.ChowLiu()` unless given; cells that are missing are
            completed by structural EM, with one parent each
    """
    seed, cases = fresh_seed(seed), as_dataset(data)
    variable = class_of(cases.variables, target)
    others = [name for name in cases.names if name != target]
    if not others:
        raise CasesError(f"there is no column but {quoted(target)} to tell its states by")
    if (cases[target] < 0).any():
        raise MissingError(f"{quoted(target)} is missing in some cases; multinets need it in all")
    options: dict[str, Any] = {
        "prior": prior,
        "estimate": estimate,
        "seed": seed,
        "progress": False,
    }
    shares = fit(Dag({target: ()}), cases.select([target]), **options).network[target]
    assert isinstance(shares, Table)
    networks = {}
    for at, state in enumerate(variable.states):
        inside = cases.take(np.flatnonzero(cases[target] == at)).select(others)
        networks[state] = fit(_dag(inside, method, seed), inside, **options).network
    return Multinet(variable, shares.values, networks)


def _dag(cases: Dataset, method: Any, seed: int) -> Dag:
    if len(cases) < 2 or cases.total_weight == 0 or len(cases.names) == 1:
        return Dag(dict.fromkeys(cases.names, ()))
    if any(cases.missing().values()):
        rules = "at most 1 parents"
        return structural_em(cases, knowledge=rules, as_given=True, seed=seed, progress=False).dag
    return search(cases, method=method or ChowLiu(), as_given=True, seed=seed, progress=False).dag
