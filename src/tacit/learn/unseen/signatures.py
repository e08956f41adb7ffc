"""The traces that a variable leaves which nobody measured: sets of variables all too linked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from tacit.core.dag import AnyDag, as_dag
from tacit.core.errors import OptionError, quoted
from tacit.core.grid import Grid, counted
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.unseen.growing import (
    THRESHOLDS,
    Links,
    Members,
    Threshold,
    grown_by_links,
    grown_in_order,
)
from tacit.learn.unseen.soft_signatures import expected_links, links_of

ORDERS = ("most_links", "index", "random")
SHOWN = 20


@dataclass(frozen=True, slots=True)
class Signature:
    """Variables so linked to each other that a common parent nobody measured may be missing.

    members  in alphabetical order
    links    how many links there are among them; expected ones if they come from resampling
    weakest  of the members' shares of the others that they are linked to, the smallest
    """

    members: tuple[str, ...]
    links: float
    weakest: float

    @property
    def saves(self) -> float:
        """How many arcs fewer it takes to link every member to one parent instead."""
        return self.links - len(self.members)

    def __str__(self) -> str:
        most = len(self.members) * (len(self.members) - 1) // 2
        return f"{', '.join(map(quoted, self.members))}: {self.links:.4g} of {most} links"


@dataclass(frozen=True, slots=True, repr=False)
class Signatures:
    """All that were found, those first that a hidden parent would rid of the most links.

    threshold, order  how they were looked for
    samples           how many dags the links were counted in: 1, or the bootstrap samples
    """

    found: tuple[Signature, ...]
    threshold: Threshold
    order: str
    samples: int

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Signature]:
        return iter(self.found)

    def __getitem__(self, at: int) -> Signature:
        return self.found[at]

    def __repr__(self) -> str:
        return f"<Signatures: {counted(len(self.found), 'set')} of variables>"

    def __str__(self) -> str:
        return str(self.grid())

    def _repr_html_(self) -> str:
        return self.grid()._repr_html_()

    def grid(self, most: int = SHOWN) -> Grid:
        """One line per set."""
        rows = [
            (
                ", ".join(map(quoted, each.members)),
                f"{each.links:.4g} of {len(each.members) * (len(each.members) - 1) // 2}",
                f"{each.weakest:.2f}",
                f"{each.saves:+.4g}",
            )
            for each in self.found[:most]
        ]
        source = f", in {counted(self.samples, 'bootstrap sample')}" if self.samples > 1 else ""
        more = len(self.found) - len(rows)
        return Grid(
            f"{counted(len(self.found), 'set')} of variables that may have a hidden parent{source}",
            ("variables", "links", "weakest", "saves"),
            tuple(rows),
            labels=1,
            foot=f"  ... and {counted(more, 'more set')}" if more else "",
        )


def signatures(
    given: AnyDag | ArcConfidence,
    *,
    threshold: Threshold | None = None,
    least: int = 4,
    order: str = "most_links",
    seed: int = 0,
) -> Signatures:
    """Sets of variables that a hidden variable may have made dependent: semi-cliques.

    A variable that is left out leaves its children joined, each two of them (`remove_variable`).
    Learned dags show that with links missing and added, so a set is taken in which each member is
    linked to half of it, whichever way the arcs go. Sets are grown from triangles, one variable
    at a time; not all semi-cliques are found that way, nor need be [fig. 4.2a].

    given      a dag, or how sure its arcs are (`search(..., bootstrap=...)`): then links count by
               the share of the samples that have them, which shows sets that no single dag shows
    threshold  "strict": each member is linked to more than half of the set; "half": at least to
               half of it; "others": to half of the others; a number: to that share of the others.
               None: "half" for a dag, "others" for shares
    least      how many variables a set has at least
    order      by what a set grows. "most_links": by the variable most linked to it, and every
               way where several are; the same for any order of the variables and any names.
               "index": by the first variable that fits, as they are listed [Algorithm 5];
               "random": the first in an order drawn with `seed`
    [Def. 4.1.2, Algorithm 5 and ExpandClique; errata E30, E32; HV1-26, HV1-27]
    """
    _check(threshold, least, order)
    if isinstance(given, ArcConfidence):
        names, threshold = given.names, "others" if threshold is None else threshold
        links = Links(*expected_links(given), threshold)
    else:
        dag = as_dag(given)
        names, threshold = dag.names, "half" if threshold is None else threshold
        links = Links(*links_of(dag, names), threshold)
    found = [
        _signature(links, names, each) for each in _grown(links, order, seed) if len(each) >= least
    ]
    found.sort(key=lambda each: (-each.saves, -each.weakest, each.members))
    return Signatures(tuple(found), threshold, order, links.whole)


def _grown(links: Links, order: str, seed: int) -> Iterable[Members]:
    if order == "most_links":
        return grown_by_links(links, links.triangles())
    n = len(links.counts)
    rank = np.random.default_rng(seed).permutation(n) if order == "random" else np.arange(n)
    return dict.fromkeys(grown_in_order(links, each, rank) for each in links.triangles())


def _signature(links: Links, names: tuple[str, ...], members: Members) -> Signature:
    inside = links.counts[np.ix_(members, members)].sum(axis=0)
    weakest = int(inside.min()) / (links.whole * (len(members) - 1))
    total = int(inside.sum()) / (2 * links.whole)
    return Signature(tuple(sorted(names[at] for at in members)), total, weakest)


def _check(threshold: Threshold | None, least: int, order: str) -> None:
    share = isinstance(threshold, int | float) and not isinstance(threshold, bool)
    if not (threshold is None or threshold in THRESHOLDS or (share and 0 < float(threshold) <= 1)):
        raise OptionError(
            f"threshold={threshold!r} must be one of {', '.join(THRESHOLDS)}, "
            "or a share of the others, above 0 and at most 1"
        )
    if isinstance(least, bool) or not isinstance(least, int | np.integer) or least < 3:
        raise OptionError(f"least={least!r} must be a whole number from 3 on")
    if order not in ORDERS:
        raise OptionError(f"order={order!r} must be one of {', '.join(ORDERS)}")
