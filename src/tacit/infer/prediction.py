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
from tacit.infer.engine import Engine, engine_of
from tacit.infer.pieces import Compiled, ContextPosteriors, compile_cases, context_posteriors
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
    compiled: Compiled
    posteriors: ContextPosteriors
    impossible: Ints

    def __getitem__(self, name: str) -> Floats:
        layout = self.compiled.layout
        if name not in layout.places:
            raise ColumnError(f"nothing was predicted for {name!r}{nearest(name, layout.places)}")
        place = layout.places[name]
        values = np.zeros((len(self.data), layout.cards[place]))
        if name in self.data:
            codes = self.data[name]
            seen = np.flatnonzero(codes >= 0)
            values[seen, codes[seen]] = 1.0
        pieces = self.compiled.pieces
        offset = self._offsets(place)[pieces.kind[pieces.context]]
        used = offset >= 0
        start = self.posteriors.at[pieces.context[used]] + offset[used]
        values[pieces.case[used]] = self.posteriors.values[
            start[:, None] + np.arange(values.shape[1])
        ]
        gone = self.impossible
        if gone.size:
            unseen = self.data[name][gone] < 0 if name in self.data else np.ones(gone.size, bool)
            values[gone[unseen]] = np.nan
        return values

    def _offsets(self, place: int) -> Ints:
        """Per kind, where the posterior of a variable lies in that of a context; -1: nowhere."""
        planted, cards = self.compiled.planted, self.compiled.layout.graph.cards
        offsets = np.full(planted.cells.size + 1, -1, dtype=np.int64)
        found = np.flatnonzero(planted.members == place)
        kind = np.searchsorted(planted.member_at, found, side="right") - 1
        before = np.concatenate([[0], np.cumsum(cards[planted.members])])
        offsets[kind] = before[found] - before[planted.member_at[kind]]
        return offsets

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
    engine: Engine = engine_of(network)
    compiled = compile_cases(cases, engine.layout)
    posteriors = context_posteriors(compiled, engine.theta, threads)
    gone = np.zeros(len(cases), dtype=np.bool_)
    gone[compiled.pieces.case[posteriors.log_masses[compiled.pieces.context] == -np.inf]] = True
    _mark_contradictions(gone, network, cases)
    return Prediction(network, cases, compiled, posteriors, np.flatnonzero(gone))


def _mark_contradictions(gone: Bools, network: Network, cases: Dataset) -> None:
    """Mark the cases whose observed cells alone have probability 0 in some family."""
    for name in network:
        table = network[name]
        names = (*table.parents, name)
        if not (isinstance(table, Table) and (table.values == 0).any() and _all_in(names, cases)):
            continue
        at = cells(table.values.shape, [cases[each] for each in names])
        gone |= (at >= 0) & (table.values.ravel()[at] == 0)


def _all_in(names: tuple[str, ...], cases: Dataset) -> bool:
    return all(name in cases for name in names)


def observed_columns(network: Network, data: Any) -> Dataset:
    """The cases in the network's states; columns may be absent, but not all of them."""
    check_network(network)
    return read_cases(data, like=network, partial=True)
