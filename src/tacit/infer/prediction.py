"""Posteriors of everything unobserved in many cases, in one call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit import frames
from tacit.arrays import Bools, Floats, Ints
from tacit.core.dataset import Dataset
from tacit.core.errors import ColumnError, nearest
from tacit.core.network import Network, check_network
from tacit.core.variables import Discrete
from tacit.families.table import Table, cells
from tacit.infer.bulk import Posteriors, posteriors
from tacit.infer.engine import Engine, engine_of
from tacit.io.cases import read_cases


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Prediction(Mapping[str, Floats]):
    """P(variable | what is observed) for every case: `prediction["A"]` is (cases, states).

    Observed cells have all mass in the state seen; a case that the network holds impossible has nan
    in what is missing of it.
    impossible  the cases of probability 0, by position
    """

    network: Network
    data: Dataset
    posteriors: Posteriors
    impossible: Ints

    def __getitem__(self, name: str) -> Floats:
        layout = engine_of(self.network).layout
        if name not in layout.places:
            raise ColumnError(f"nothing was predicted for {name!r}{nearest(name, layout.places)}")
        place = layout.places[name]
        values = self.posteriors.of(place)
        gone = self.impossible
        if gone.size:
            unseen = self.data[name][gone] < 0 if name in self.data else np.ones(gone.size, bool)
            values[gone[unseen]] = np.nan
        return values

    def most_probable(self, name: str) -> list[str]:
        """The most probable state of one variable in every case; "" where the case cannot be."""
        variable = self.network.variables[name]
        assert isinstance(variable, Discrete)
        values = self[name]
        states = [variable.states[at] for at in values.argmax(axis=1)]
        for case in np.flatnonzero(np.isnan(values[:, 0])):
            states[case] = ""
        return states

    def to_frame(self, backend: str | None = None) -> Any:
        """One line per case; a column `A=yes` for every state of every variable that has gaps."""
        columns: dict[str, Any] = {}
        for name in self.unobserved:
            variable = self.network.variables[name]
            assert isinstance(variable, Discrete)
            values = self[name]
            for at, state in enumerate(variable.states):
                columns[f"{name}={state}"] = values[:, at]
        return frames.build(columns, backend)

    @property
    def unobserved(self) -> tuple[str, ...]:
        """The variables of which some cell is missing."""
        return tuple(
            name
            for name in self.network.dag.names
            if name not in self.data or bool((self.data[name] < 0).any())
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
    """The posterior of every unobserved variable of every case, exactly.

    data: anything `tc.read_cases` takes; variables without a column are unobserved in all cases.
    """
    cases = observed_columns(network, data)
    engine = engine_of(network)
    found = posteriors(engine, cases, threads)
    gone = found.impossible.copy()
    _mark_contradictions(gone, engine, cases)
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
    return read_cases(data, like=network, partial=True)
