"""Fits that take the nearest table of the sources together with their own. [estimation 3.7]"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.core.grid import counted
from tacit.core.network import Network
from tacit.estimate.tables import log_probability
from tacit.estimate.transfer.choosing import Candidate
from tacit.estimate.transfer.fitness import compared_under, log_bayes_factor, related
from tacit.estimate.transfer.metric import most_likely_rows, zhou2015
from tacit.estimate.transfer.pools import (
    confidence,
    distance_pool,
    distance_shares,
    linear_pool,
    local_pool,
    logarithmic_pool,
)
from tacit.families.table import Table
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.borrowing import Target, loan_of, offers
from tacit.learn.fits import Fit
from tacit.learn.lending import SAME, Lent
from tacit.learn.loans import Borrowed, Loan
from tacit.learn.ruled import about_tables
from tacit.learn.transfers import Aggregate

if TYPE_CHECKING:
    from tacit.learn.borrowed_fit import Lenders


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """A table made of two, how much of it is the source's, and rows that neither saw."""

    values: Floats
    share: float
    unseen: int


def fit_aggregated(before: Fit, target: Target, given: Lenders, knowledge: Knowledge | None) -> Fit:
    """Every table is that of the cases and that of the nearest fragment, taken together.

    They are most likely tables, without a prior, and so the objective is the log-likelihood. Rows
    that nobody saw and tables that no source has stay as they were without sources.
    """
    from tacit.learn.borrowed_fit import with_loans

    transfer = given.transfer
    assert isinstance(transfer, Aggregate)
    _refuse_rules(knowledge, transfer)
    sure = {source.name: source.related for source in given.sources}
    tables, told, unseen = {}, [], 0
    for name, axes in target.families.items():
        found = _nearest_first(target, name, given, transfer)
        loans: tuple[Loan, ...] = ()
        if found:
            own = before.network[name]
            assert isinstance(own, Table)
            taken = _together(target.counts[name], found[0].match.counts, own.values, transfer)
            tables[name] = Table(axes, taken.values, own.partial)
            loans = (_loan(target, name, found[0], taken.share, sure),)
            unseen += taken.unseen
        told.append(_told(target, name, found, loans))
    fit = _with(before, target, tables, unseen)
    return with_loans(fit, before, Lent({}, {}, tuple(told), sure), given)


def _refuse_rules(knowledge: Knowledge | None, transfer: Aggregate) -> None:
    if knowledge is not None and about_tables(knowledge).parameters:
        raise OptionError(
            f"{transfer.describe()} takes tables together without regard to rules"
            "\n\nuse transfer=tc.BestFragment(), which keeps them, or leave out the knowledge"
        )


def _nearest_first(
    target: Target, name: str, given: Lenders, transfer: Aggregate
) -> list[Candidate]:
    """Fragments by the divergence of their most likely tables from the target's."""
    own = most_likely_rows(target.counts[name])

    def nearness(counts: Floats) -> float:
        return -zhou2015(own, most_likely_rows(counts))

    return offers(target, name, given.fragments, transfer, nearness)


def _together(counts: Floats, theirs: Floats, filling: Floats, transfer: Aggregate) -> _Taken:
    """Both tables by the variant; `filling` where neither has a case."""
    own, other = most_likely_rows(counts), most_likely_rows(theirs)
    sizes = np.array([counts.sum(), theirs.sum()])
    weights = sizes / sizes.sum()
    part: float | Floats = float(weights[1])
    if transfer.variant == "local":
        trust = confidence(float(sizes[0]), counts.size, transfer.low)
        values, part = local_pool(own, other, trust), 1 - trust
    elif transfer.variant == "distance":
        values, part = distance_pool(own, other), distance_shares(own, other)
    else:
        pool = linear_pool if transfer.variant == "linear" else logarithmic_pool
        values = pool(np.stack([own, other]), weights)
    mine, seen = (np.broadcast_to(t.sum(-1, keepdims=True) > 0, t.shape) for t in (own, other))
    share = np.where(seen, np.where(mine, part, 1.0), 0.0)
    nobody = ~mine & ~seen
    values = np.where(nobody, filling, values)
    return _Taken(values, float(share.mean()), int(nobody[..., 0].sum()))


def _loan(
    target: Target, name: str, chosen: Candidate, share: float, sure: Mapping[str, float]
) -> Loan:
    """What was taken: the source's share of the table, in cases of the source; and how well it
    fits by the Bayes factor, which took no part in the choice."""
    match = chosen.match
    alpha = compared_under(target.alpha[name])
    factor = log_bayes_factor(match.counts, target.counts[name], alpha)
    found = replace(chosen, log_factor=factor - match.price)
    return loan_of(found, related(found.log_factor, sure[match.fragment.source]), share)


def _told(
    target: Target, name: str, found: Sequence[Candidate], loans: tuple[Loan, ...]
) -> Borrowed:
    tied = len(found) > 1 and abs(found[0].log_factor - found[1].log_factor) < SAME
    parents = tuple(axis.name for axis in target.families[name][:-1])
    why = "" if loans else "no source has a fragment of this shape"
    return Borrowed(name, parents, loans, len(found), tied=tied, why=why)


def _with(before: Fit, target: Target, tables: Mapping[str, Table], unseen: int) -> Fit:
    """The fit with other tables, and its likelihood anew."""
    network, likelihood = before.network, before.log_likelihood
    for name, table in tables.items():
        own = network[name]
        assert isinstance(own, Table)
        counts = target.counts[name]
        likelihood += log_probability(table, counts) - log_probability(own, counts)
    notes = list(before.notes)
    if unseen:
        notes.append(f"{counted(unseen, 'row')} that no site saw stayed as without sources")
    if likelihood == -np.inf:
        notes.append("the tables taken together exclude states that cases show")
    return replace(
        before,
        network=Network(network.dag, network.variables, {**network.families, **tables}),
        objective=likelihood,
        trace=(likelihood,),
        notes=tuple(notes),
        log_likelihood=likelihood,
        log_marginal_likelihood=None,
    )
