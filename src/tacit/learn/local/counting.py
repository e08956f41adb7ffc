"""Families with local structure from complete cases: their rows are found, then estimated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError, quoted
from tacit.core.family import Family
from tacit.core.grid import counted
from tacit.core.variables import Discrete
from tacit.estimate.estimates import Estimate
from tacit.estimate.local.exact import best_tree
from tacit.estimate.local.growing import Told, grown_tree
from tacit.estimate.local.listing import listed_rows
from tacit.estimate.local.settings import GrowTree
from tacit.estimate.local.worth import RowWorth
from tacit.estimate.priors import BDeu, Dirichlet, Prior, TablePrior
from tacit.estimate.scores.values import BIC
from tacit.estimate.tables import estimate_table, log_probability
from tacit.estimate.transfer.enriched import without_loans
from tacit.families.cause_counts import CauseCounts
from tacit.families.counts import Counts
from tacit.families.default_table import DefaultTable
from tacit.families.shared import SharedRows
from tacit.families.table import check_size
from tacit.families.tree_table import TreeTable
from tacit.infer.marginals import joint
from tacit.learn.choices import Choices
from tacit.learn.fits import Evidence
from tacit.learn.local.choosing import Local
from tacit.learn.parts import Part


@dataclass(frozen=True, slots=True, eq=False)
class LocalParts:
    """All families with local structure of a network, and alpha of their rows."""

    parts: Mapping[str, Part] = field(default_factory=dict)
    alpha: Mapping[str, Floats] = field(default_factory=dict)


def fit_local(
    local: Mapping[str, Local], counted_: Mapping[str, Evidence], choices: Choices
) -> LocalParts:
    """Every family with local structure from what was counted, configuration by configuration."""
    parts, alpha = {}, {}
    for name, each in local.items():
        counts = counted_[name]
        assert isinstance(counts, CauseCounts)
        family = found_rows(each, counts)
        alpha[name] = row_prior(choices.prior, family)
        parts[name] = estimate_rows(family, family.pooled(counts), alpha[name], choices.estimate)
    return LocalParts(parts, alpha)


def found_rows(each: Local, counts: CauseCounts) -> SharedRows:
    """The family with its rows found, and all of them even."""
    if isinstance(each.how, SharedRows):
        return each.how
    states = counts.shape[-1]
    worth = RowWorth.of(each.how.score or BIC(), states, counts.total, each.how.priced)
    if isinstance(each.how, GrowTree):
        seek = best_tree if each.how.exact else grown_tree
        tree, _ = seek(Told.of(counts), worth, each.how.tests, each.bans)
        return TreeTable(each.axes, tree, np.full((tree.leaves, states), 1 / states))
    listed, _ = listed_rows(counts, worth)
    return DefaultTable(each.axes, listed, np.full((len(listed) + 1, states), 1 / states))


def estimate_rows(family: SharedRows, counts: Counts, alpha: Floats, estimate: Estimate) -> Part:
    """maximise  Σ (N + pseudo) log θ  over the rows θ, N counted over all that share a row."""
    if estimate.empty in ("nan", "zeros"):
        raise OptionError(
            f"the rows of the {family.kind} of {quoted(family.child)} are all known: "
            f"empty={estimate.empty!r} leaves some open\n\nuse empty='uniform' or a prior"
        )
    axes = (family.row_axis, family.variables[-1])
    found = estimate_table(axes, counts, alpha, estimate)
    pseudo = np.maximum(counts.values + estimate.pseudo(alpha), 0.0)
    return Part(
        family.with_values(found.table.values),
        log_probability(found.table, counts.values),
        log_probability(found.table, pseudo),
        found.undetermined,
    )


def row_prior(prior: Prior, family: SharedRows) -> Floats:
    """alpha of every row, (rows, states of the child).

    A prior that speaks of single cells says of a row what it says of all cells that share it, as
    BDeu does; one that treats all rows alike treats these alike, too.
    """
    states, prior = family.values.shape[1], without_loans(prior)
    if isinstance(prior, BDeu):
        return np.repeat(prior.strength * family.shares[:, None] / states, states, axis=1)
    rows = Discrete("row", tuple(map(str, range(len(family.values)))))
    if isinstance(prior, TablePrior) and not _by_cell(prior, family):
        return prior.pseudo_counts((rows, family.variables[-1]))
    check_size(family.child, [len(variable.states) for variable in family.variables])
    alpha = prior.resolved([family.variables], joint).pseudo_counts(family.variables)
    at = np.indices(alpha.shape[:-1]).reshape(alpha.ndim - 1, -1)
    found = np.zeros((len(family.values), states))
    np.add.at(found, family.rows_at(list(at), family.configurations), alpha.reshape(-1, states))
    return found


def _by_cell(prior: TablePrior, family: SharedRows) -> bool:
    """Whether the prior says something of every cell of the whole table."""
    if not isinstance(prior, Dirichlet) or isinstance(prior.alpha, int | float):
        return False
    said = np.asarray(prior.alpha.get(family.child, 0.0), dtype=np.float64)
    return said.shape not in ((), family.values.shape[1:])


def local_notes(parts: Mapping[str, Part]) -> tuple[str, ...]:
    """What the reader should know of these families."""
    return shape_notes({name: part.family for name, part in parts.items()}, parts)


def shape_notes(families: Mapping[str, Family], names: Iterable[str]) -> tuple[str, ...]:
    """How many rows each of these families has."""
    told = []
    for name in names:
        family = families[name]
        assert isinstance(family, SharedRows)
        rows = counted(len(family.values), "row")
        told.append(
            f"{quoted(name)} has a {family.kind}: {rows} for "
            f"{counted(family.configurations, 'configuration')} of its parents"
        )
    return tuple(told)
