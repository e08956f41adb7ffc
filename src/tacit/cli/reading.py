"""Arguments that name a network or cases, turned into values."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tacit.cli.options import plain_name, plain_names
from tacit.core.errors import OptionError, listed, marked, nearest, quoted
from tacit.core.paths import is_file, neighbours

if TYPE_CHECKING:
    from tacit.cli.targets import Target
    from tacit.core.dag import Dag
    from tacit.core.dataset import Dataset
    from tacit.core.network import Network
    from tacit.learn.origins import FitT


def network_of(text: str) -> tuple[Network, tuple[str, ...]]:
    """The network in a file, and what was noted on reading it."""
    from tacit.io import formats

    if "->" in text or "<-" in text:
        what = "a network file is needed; this is a dag as text, which has no numbers"
        raise OptionError(marked(text, 0, len(text), what, "NET"))
    return formats.read_noted(text)


def structure_of(text: str) -> tuple[Dag | Network, tuple[str, ...]]:
    """A network or dag from a file, or the dag that the text itself describes."""
    from tacit.core.dag import Dag
    from tacit.io import formats

    if formats.is_network_file(text):
        if formats.is_dag_file(text):
            return formats.read_dag(text), ()
        return formats.read_noted(text)
    _refuse_lost_file(text)
    return Dag.parse(text), ()


def told_network(
    found: FitT,
    network: str | None,
    targets: Iterable[Target],
    at: str = "network_file",
    within: str | None = None,
) -> FitT:
    """The fit, which knows the file of its network, unless what is written takes that place.

    at  the setting that tells it; within: the part of the settings in which it stands
    """
    from tacit.learn.origins import network_file, read_from

    if network is None or not network_file(network):
        return found
    if any(Path(target.path).resolve() == Path(network).resolve() for target in targets):
        return found
    return read_from(found, network, at, within)


def _refuse_lost_file(text: str) -> None:
    """Nothing, or an error about a word that looks like a file and would be a dag of one name."""
    from tacit.io import formats

    if is_file(text):
        what = "this file has no suffix of a network or a dag"
        known = f"\n\nsuffixes: {', '.join(formats.SUFFIXES)} or {formats.DAG_SUFFIX}"
        raise OptionError(marked(text, 0, len(text), what) + known)
    if re.fullmatch(r"[^\s;,<>\"]*[./\\][^\s;,<>\"]*", text):
        raise OptionError(
            f"there is no file {text!r}{nearest(Path(text).name, neighbours(text))}"
            "\n\na dag of one variable stands in double quotes"
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """How cases are to be read: the options that `fit` and `score` share."""

    weights: str | None
    missing: tuple[str, ...]
    discrete: tuple[str, ...]
    continuous: tuple[str, ...]
    table: str | None
    query: str | None

    @staticmethod
    def of(
        weights: str | None,
        missing: list[str] | None,
        discrete: list[str] | None,
        continuous: list[str] | None,
        table: str | None,
        query: str | None,
    ) -> Reading:
        """The options as the command line gives them, names without their quotes."""
        if table is not None and query is not None:
            raise OptionError("--table and --query exclude each other: both say what to read")
        return Reading(
            plain_name(weights) if weights is not None else None,
            tuple(missing or ()),
            tuple(plain_names(discrete)),
            tuple(plain_names(continuous)),
            table,
            query,
        )

    def kept(self, as_given: bool) -> bool | tuple[str, ...]:
        """Which columns are kept though they say nothing: all, or those that options name."""
        named = (*self.discrete, *self.continuous)
        return True if as_given else tuple(name for name in named if name != self.weights)

    def like(self, source: str, other: Dataset, threads: int | None = None) -> Dataset:
        """The columns that other cases have, in their states."""
        from tacit.io.cases import read_cases

        return read_cases(
            source,
            like=other,
            weights=self.weights,
            missing=self.missing,
            threads=threads,
        )

    def cases(
        self,
        source: str,
        structure: Dag | Network | None,
        threads: int | None = None,
        *,
        partial: bool = False,
    ) -> Dataset:
        """The columns that the structure names, or all; `partial`: as far as there are any."""
        from tacit.core.network import Network
        from tacit.io.cases import read_cases

        network = structure if isinstance(structure, Network) else None
        return read_cases(
            source,
            like=network,
            columns=None if structure is None else tuple(structure),
            weights=self.weights,
            missing=self.missing,
            discrete=self.discrete,
            continuous=self.continuous,
            table=self.table,
            query=self.query,
            threads=threads,
            partial=partial,
        )


def unmeasured(
    network: Network, data: Dataset, treated: str, hidden: Collection[str] = ()
) -> list[str]:
    """A note about the variables that have no column, those aside that were hidden."""
    known = {*data.names, *hidden}
    names = [quoted(name) for name in network.dag.names if name not in known]
    verb = "has" if len(names) == 1 else "have"
    return [f"{listed(names, 6)} {verb} no column: {treated}"] if names else []
