"""How far apart two dags are: links too few, too many, and turned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from tacit.core.dag import AnyDag, as_dag
from tacit.core.equivalence import Cpdag, cpdag
from tacit.core.errors import DagError, listed, quoted
from tacit.core.grid import counted

Pair: TypeAlias = tuple[str, str]
"""Two variables; parent and child where an arc joins them."""


@dataclass(frozen=True, slots=True)
class DagDifference:
    """What tells a dag that was found from the true one.

    missing  links that only the truth has, as (parent, child) or in alphabetical order
    extra    links that only the found one has, alike
    turned   links of both that do not point alike, as the truth has them; one that points in one
             class and may turn in the other is among them
    common   how many links both have, turned ones included
    """

    missing: tuple[Pair, ...]
    extra: tuple[Pair, ...]
    turned: tuple[Pair, ...]
    common: int

    @property
    def distance(self) -> int:
        """The structural Hamming distance: how many links to add, take out or turn."""
        return len(self.missing) + len(self.extra) + len(self.turned)

    @property
    def precision(self) -> float:
        """The share of the links found that are true; nan if none was found."""
        return _share(self.common, len(self.extra))

    @property
    def recall(self) -> float:
        """The share of the true links that were found; nan if there are none."""
        return _share(self.common, len(self.missing))

    def __str__(self) -> str:
        lines = [
            f"structural Hamming distance {self.distance}; {counted(self.common, 'link')} in common"
        ]
        for what in ("missing", "extra", "turned"):
            pairs = getattr(self, what)
            if pairs:
                shown = listed((f"{quoted(a)} - {quoted(b)}" for a, b in pairs), 12)
                lines.append(f"{what} {len(pairs)}: {shown}")
        return "\n".join(lines)


def compare_dags(
    found: AnyDag | Cpdag, truth: AnyDag | Cpdag, *, classes: bool = True
) -> DagDifference:
    """What is missing, extra and turned in a dag, against one that is known.

    found, truth  dags over the same variables: a search, a fit, a network, a dag, its text, or the
                  class of a dag
    classes       compare what cases can tell, the classes of equivalent dags: an arc that
                  equivalent dags turn has no direction there, so equivalent dags do not differ.
                  False compares the arcs as they stand

    [Tsamardinos, Brown, Aliferis 2006: the structural Hamming distance of classes]
    """
    one, other = _ways(found, classes), _ways(truth, classes)
    _check_variables(_names(found), _names(truth))
    return DagDifference(
        missing=_pairs(other[key] for key in other if key not in one),
        extra=_pairs(one[key] for key in one if key not in other),
        turned=_pairs(other[key] for key in other if key in one and one[key] != other[key]),
        common=len(one.keys() & other.keys()),
    )


def shd(found: AnyDag | Cpdag, truth: AnyDag | Cpdag, *, classes: bool = True) -> int:
    """The structural Hamming distance: how many links of `found` are to be added, taken out or
    turned to have `truth`. `compare_dags` tells which."""
    return compare_dags(found, truth, classes=classes).distance


@dataclass(frozen=True, slots=True)
class _Way:
    """A link: its ends, and whether it points from the first to the second."""

    ends: Pair
    points: bool


def _ways(given: AnyDag | Cpdag, classes: bool) -> Mapping[frozenset[str], _Way]:
    if isinstance(given, Cpdag):
        if not classes:
            raise DagError("classes=False compares dags, and the class of a dag is given")
        pattern = given
    elif classes:
        pattern = cpdag(given)
    else:
        dag = as_dag(given)
        pattern = Cpdag(frozenset(dag.names), frozenset(dag.arcs), frozenset())
    directed = {frozenset(arc): _Way(arc, True) for arc in pattern.arcs}
    return directed | {frozenset(link): _Way(link, False) for link in pattern.links}


def _names(given: AnyDag | Cpdag) -> frozenset[str]:
    return given.names if isinstance(given, Cpdag) else frozenset(as_dag(given).names)


def _check_variables(found: frozenset[str], truth: frozenset[str]) -> None:
    if found == truth:
        return
    only = [
        f"only in {which}: {listed(map(quoted, sorted(names)), 8)}"
        for which, names in (("the first", found - truth), ("the second", truth - found))
        if names
    ]
    raise DagError(
        "dags are compared over the same variables\n\n" + "\n".join(only) + "\n\n"
        "add a variable without arcs by its name alone, as in 'A -> B; C'"
    )


def _pairs(ways: Iterable[_Way]) -> tuple[Pair, ...]:
    return tuple(sorted(way.ends for way in ways))


def _share(right: int, wrong: int) -> float:
    return right / (right + wrong) if right + wrong else float("nan")
