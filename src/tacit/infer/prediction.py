"""Posteriors of everything unobserved in many cases, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Bools, Floats, Ints, shares
from tacit.core.dataset import Dataset, absent
from tacit.core.errors import ColumnError, nearest
from tacit.core.grid import counted
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.families.table import Table, cells
from tacit.infer.bent.bulk import BentPosteriors, bent_posteriors
from tacit.infer.bent.straight import is_bent
from tacit.infer.bulk import Posteriors, posteriors
from tacit.infer.chains import impossible_causes
from tacit.infer.engine import Engine, engine_of
from tacit.infer.normal.bulk import RealPosteriors, is_real, real_posteriors
from tacit.infer.reach import check_values
from tacit.io.cases import read_cases


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prediction(Mapping[str, Floats]):
    """P(variable | what is observed) for every case.

    `prediction["A"]` is (cases, states) if A has states; observed cells have all mass in the state
    seen. If it is continuous, (cases,) its mean, beside `prediction.sd["A"]`; observed cells are
    their value, with sd 0. A case that the network holds impossible has nan in what is missing.
    impossible  the cases of probability 0, by position
    """

    network: Network
    data: Dataset
    posteriors: Posteriors
    impossible: Ints

    def __getitem__(self, name: str) -> Floats:
        if isinstance(self.posteriors, RealPosteriors) and not self._has_states(name):
            return self._real(self.posteriors.mean, name)
        values = shares(self.posteriors.of(self._place(name)))
        values[self._gone(name)] = np.nan
        return values

    @property
    def sd(self) -> Mapping[str, Floats]:
        """(cases,) of every continuous variable: the sd of what is known of it; 0 where observed.

        Where states are open, too, mean and sd are those of a mixture of normals, which `tc.query`
        gives in full.
        """
        held = self.posteriors
        if not isinstance(held, RealPosteriors):
            return {}
        return {name: self._real(held.sd, name) for name in self if not self._has_states(name)}

    def _has_states(self, name: str) -> bool:
        return isinstance(self.network.variables.get(name), Discrete)

    def _place(self, name: str) -> int:
        if name not in self.network:
            raise ColumnError(f"nothing was predicted for {name!r}{nearest(name, self.network)}")
        return list(self.network).index(name)

    def _real(self, values: Floats, name: str) -> Floats:
        self._place(name)
        assert isinstance(self.posteriors, RealPosteriors)
        column = values[:, self.posteriors.held.plan.frame.places[name]].copy()
        column[self._gone(name)] = np.nan
        return column

    def _gone(self, name: str) -> Ints:
        """The impossible cases that lack this cell."""
        gone = self.impossible
        unseen = absent(self.data[name][gone]) if name in self.data else np.ones(gone.size, bool)
        return gone[unseen]

    def most_probable(self, name: str) -> list[str]:
        """The most probable state of one variable in every case; "" where the case cannot be."""
        variable = self.network.variables[name]
        if not isinstance(variable, Discrete):
            raise ColumnError(
                f"{name!r} is continuous and has no states; prediction[{name!r}] is its mean"
            )
        values = self[name]
        states = [variable.states[at] for at in values.argmax(axis=1)]
        for case in np.flatnonzero(np.isnan(values[:, 0])):
            states[case] = ""
        return states

    def to_frame(self, backend: str | None = None) -> Any:
        """One line per case; of every variable that has gaps a column `A=yes` for each state, or
        `mean(X)` and `sd(X)`."""
        return frames.build(dict(self.columns()), backend)

    def columns(self) -> Iterator[tuple[str, Floats]]:
        """The columns of `to_frame`."""
        spread = self.sd
        for name in self.unobserved:
            variable, values = self.network.variables[name], self[name]
            if isinstance(variable, Discrete):
                for at, state in enumerate(variable.states):
                    yield f"{name}={state}", values[:, at]
            else:
                yield f"mean({name})", values
                yield f"sd({name})", spread[name]

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about it: around curves some of it is not exact."""
        drawn = self.posteriors.drawn if isinstance(self.posteriors, BentPosteriors) else 0
        if not drawn:
            return ()
        return (
            f"{counted(drawn, 'case')} with gaps above curves: posteriors by weighted draws, not "
            "exact",
        )

    @property
    def unobserved(self) -> tuple[str, ...]:
        """The variables of which some cell is missing."""
        return tuple(
            name
            for name in self.network.dag.names
            if name not in self.data or bool(absent(self.data[name]).any())
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self.network.dag.names)

    def __len__(self) -> int:
        return len(self.network)

    def __repr__(self) -> str:
        return (
            f"<Prediction of {len(self.data):,} cases, {len(self.unobserved)} unobserved variables>"
        )


def predict(network: Network, data: Any, *, threads: int = 1) -> Prediction:
    """The posterior of every unobserved variable of every case: probabilities of states, mean and
    sd of what is continuous. Exact, but where the parents of a curve are unknown; `notes` say so.

    data: anything `tc.read_cases` takes; variables without a column are unobserved in all cases.
    """
    cases = observed_columns(network, data)
    if is_real(network):
        real = (
            bent_posteriors(network, cases) if is_bent(network) else real_posteriors(network, cases)
        )
        return Prediction(network, cases, real, np.flatnonzero(real.impossible))
    engine = engine_of(network)
    found = posteriors(engine, cases, threads)
    gone = found.impossible.copy()
    _mark_contradictions(gone, engine, cases)
    gone |= impossible_causes(network, engine.layout, cases)
    return Prediction(network, cases, found, np.flatnonzero(gone))


def _mark_contradictions(gone: Bools, engine: Engine, cases: Dataset) -> None:
    """Mark the cases whose observed cells alone have probability 0 in some family."""
    for table in engine.kept("zeros", lambda: _with_zeros(engine.network)):
        names = (*table.parents, table.child)
        if _all_in(names, cases):
            at = cells(table.values.shape, [cases[each] for each in names])
            gone |= (at >= 0) & (table.values.ravel()[at] == 0)


def _with_zeros(network: Network) -> list[Table]:
    tables = [network[name] for name in network]
    return [table for table in tables if isinstance(table, Table) and (table.values == 0).any()]


def _all_in(names: tuple[str, ...], cases: Dataset) -> bool:
    return all(name in cases for name in names)


def observed_columns(network: Network, data: Any) -> Dataset:
    """The cases in the network's states; columns may be absent, but not all of them."""
    check_network(network)
    cases = read_cases(data, like=network, partial=True)
    check_values(cases)
    return cases
