"""Related sites: what they know, as fragments with the cases behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import OptionError, SizeError, TacitError
from tacit.core.network import Network
from tacit.core.variables import Variable
from tacit.engines.statistics import Statistics
from tacit.estimate.transfer.fragments import Fragment
from tacit.families.counts import Counts, SparseCounts
from tacit.families.table import Table
from tacit.infer.marginals import joint
from tacit.learn.fits import Evidence
from tacit.learn.parts import discrete_axes
from tacit.learn.source_cases import ALL_REAL, counted_there

MOST = 1e12
"""More cases than that leave no digits for the target's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """A related site: cases, statistics counted before, or a network that somebody published.

    data       cases (anything `tc.read_cases` takes), `tc.Statistics`, a `tc.Network` or its file
    name       what it is called in reports; made up if not given
    structure  of cases: a dag, its text or a network; that of the target if not given. Only
               columns with states are read: real values have no table to lend
    strength   of a network: how many cases it is worth. Of cases: how much each counts, 1 if not
               given; 0 is a source that says nothing
    related    how probable it is, before any case is seen, that a table of it is that of the target
    """

    data: Any
    name: str = ""
    structure: Dag | Network | str | Path | None = None
    strength: float | None = None
    related: float = 0.5

    def __post_init__(self) -> None:
        given: Any = self.strength
        number = isinstance(given, int | float) and not isinstance(given, bool)
        if given is not None and not (number and isfinite(given) and given >= 0):
            raise OptionError(f"strength={given!r} of a source is a number of cases, 0 or more")
        if given is not None and given > MOST:
            raise OptionError(f"strength={given!r} of a source is too much; {MOST:.0e} is the most")
        sure: Any = self.related
        number = isinstance(sure, int | float) and not isinstance(sure, bool)
        if not (number and 0 <= sure <= 1):
            raise OptionError(f"related={sure!r} is a probability between 0 and 1")
        name: Any = self.name
        if not isinstance(name, str):
            raise OptionError(f"the name of a source is a text, not {name!r:.60}")


def as_sources(given: Any) -> tuple[Source, ...]:
    """What was given as sources; each gets a name of its own."""
    if isinstance(given, Source) or not isinstance(given, list | tuple):
        given = (given,)
    found, names = [], set()
    for at, each in enumerate(given, 1):
        source = each if isinstance(each, Source) else Source(each)
        name = source.name or _made_up(source, at)
        if name in names:
            raise OptionError(f"two sources are named {name!r}; give each a name of its own")
        names.add(name)
        found.append(Source(source.data, name, source.structure, source.strength, source.related))
    return tuple(found)


def _made_up(source: Source, at: int) -> str:
    if isinstance(source.data, str | Path):
        return Path(str(source.data).removesuffix(".gz")).stem
    return f"source {at}"


@dataclass(frozen=True, slots=True, eq=False)
class Offer:
    """What a source has to lend: its tables, each with the cases behind it.

    notes  what to say of tables that it was asked for and cannot lend
    """

    fragments: tuple[Fragment, ...]
    notes: tuple[str, ...] = ()


def offer_of(source: Source, target: Dag, ours: Mapping[str, Variable] | None = None) -> Offer:
    """Every table of a source.

    target  the structure of a source of cases that has none of its own
    ours    the variables of the target, as far as they are known: of those that are continuous
            nothing is asked of a source without a structure
    """
    try:
        found = _offer(source, target, ours or {})
        if not found.fragments:
            raise OptionError(ALL_REAL)
        most = max(each.cases for each in found.fragments)
        if most > MOST:
            raise OptionError(
                f"it would be worth {most:.3g} cases\n\ngive it a strength that comes to "
                f"{MOST:.0e} cases at most; beyond that the target's own are lost in rounding"
            )
        return found
    except TacitError as problem:
        problem.args = (f"source {source.name!r}: {problem}",)
        raise


def _offer(source: Source, target: Dag, ours: Mapping[str, Variable]) -> Offer:
    data = _read(source.data)
    if source.structure is not None and isinstance(data, Network | Statistics):
        whose = (
            ("a network has", "its") if isinstance(data, Network) else ("statistics have", "their")
        )
        raise OptionError(f"{whose[0]} a structure of {whose[1]} own\n\nleave out structure=")
    if isinstance(data, Network):
        return Offer(_published(source, data))
    if isinstance(data, Statistics):
        return Offer(_counted(source, data.dag, data.variables, data.counts))
    found = counted_there(source.structure, data, target, ours)
    notes = tuple(f"source {source.name!r}: {each}" for each in found.notes)
    return Offer(_counted(source, found.dag, found.variables, found.evidence), notes)


def _read(data: Any) -> Any:
    """A network file is read; everything else stays what it is."""
    from tacit.io.formats import is_network_file, read

    if isinstance(data, str | Path) and is_network_file(str(data)):
        return read(data)
    return data


def _published(source: Source, network: Network) -> tuple[Fragment, ...]:
    if source.strength is None:
        raise OptionError(
            "a network without its cases does not say how much it is worth"
            "\n\nsay how many: tc.Source(network, strength=100)"
        )
    found = []
    for name in network:
        table = network[name]
        if isinstance(table, Table):
            names = tuple(axis.name for axis in table.variables)
            states = tuple(axis.states for axis in table.variables)
            counts = source.strength * _joint(network, names)
            found.append(Fragment(source.name, name, names[:-1], counts, states, nominal=True))
    return tuple(found)


def _joint(network: Network, names: tuple[str, ...]) -> Floats:
    try:
        return joint(network, names)
    except SizeError as problem:
        raise SizeError(
            f"{problem}\n\ndraw cases from it instead: "
            "tc.Source(tc.sample(network, 1000, seed=1), structure=network.dag)"
        ) from None


def _counted(
    source: Source, dag: Dag, variables: Mapping[str, Variable], evidence: Mapping[str, Evidence]
) -> tuple[Fragment, ...]:
    if not variables:
        raise OptionError("no cases were counted yet\n\nadd some with Statistics.update(cases)")
    scale = 1.0 if source.strength is None else source.strength
    found = []
    for name, held in evidence.items():
        if isinstance(held, Counts | SparseCounts):
            parents = tuple(dag.parents[name])
            axes = discrete_axes([variables[each] for each in (*parents, name)])
            states = tuple(axis.states for axis in axes)
            found.append(Fragment(source.name, name, parents, scale * held.dense().values, states))
    return tuple(found)
