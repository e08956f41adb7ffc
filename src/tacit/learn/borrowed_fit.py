"""Fits that borrow from related sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import OptionError
from tacit.core.variables import Discrete, Variable
from tacit.estimate.estimates import MAP, ML
from tacit.estimate.transfer.enriched import Enriched
from tacit.estimate.transfer.fragments import Fragment, in_the_order_of
from tacit.families.table import Table
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.knowledge import Knowledge
from tacit.learn.borrowing import Target
from tacit.learn.choices import Choices
from tacit.learn.counted import Counted
from tacit.learn.fits import Fit
from tacit.learn.led import leading
from tacit.learn.lending import Lent, lend
from tacit.learn.loans import Borrowed
from tacit.learn.parts import discrete_axes
from tacit.learn.positions import tables_counted
from tacit.learn.ruled import certain_part
from tacit.learn.source_words import plain_sources
from tacit.learn.sources import Source, as_sources, fragments_of
from tacit.learn.structures import Structure
from tacit.learn.transfers import Aggregate, BestFragment, Mixture, Pool, Transfer


@dataclass(frozen=True, slots=True, eq=False)
class Lenders:
    """The sources of a fit, and how it borrows."""

    sources: tuple[Source, ...]
    fragments: tuple[Fragment, ...]
    transfer: Transfer


def lenders(sources: Any, transfer: Any, structure: Structure, choices: Choices) -> Lenders | None:
    """What was given as sources; None where nothing was."""
    if sources is None:
        if transfer is not None:
            raise OptionError("transfer= says how to borrow; sources= must say from whom")
        return None
    how = BestFragment() if transfer is None else transfer
    if not isinstance(how, BestFragment | Mixture | Aggregate | Pool):
        raise OptionError(f"transfer takes a value such as tc.BestFragment(), not {how!r:.60}")
    if isinstance(choices.estimate, ML):
        raise OptionError(
            "tc.ML() takes the cases alone, and borrows nothing"
            "\n\nuse estimate=tc.Smoothed(), which borrows, or leave out the sources"
        )
    _refuse_mode(how, choices)
    named = as_sources(sources)
    every = (each for source in named for each in fragments_of(source, structure.dag))
    return Lenders(named, tuple(each for each in every if each.cases > 0), how)


def _refuse_mode(transfer: Transfer, choices: Choices) -> None:
    """Ways to borrow that make an estimate of their own cannot make the most probable one."""
    normal = isinstance(transfer, BestFragment) and transfer.fusion == "normal"
    if isinstance(choices.estimate, MAP) and (normal or isinstance(transfer, Aggregate)):
        what = "the posterior mean" if normal else "most likely tables taken together"
        raise OptionError(
            f"{transfer.describe()} gives {what}, not what is most probable"
            "\n\nleave out estimate=tc.MAP(), or use transfer=tc.BestFragment()"
        )


def refuse_inferred(given: Lenders, tied: Any, kept: bool) -> None:
    """Nothing, or an error about what does not go with missing cells or hidden variables."""
    transfer = given.transfer
    normal = isinstance(transfer, BestFragment) and transfer.fusion == "normal"
    if normal or isinstance(transfer, Aggregate):
        raise OptionError(
            f"{transfer.describe()} needs complete cases"
            "\n\nuse transfer=tc.BestFragment(), whose evidence goes into EM as well"
        )
    if tied or kept:
        raise OptionError("sources= goes with neither tied= nor checkpoint=")


def fit_borrowing(
    learned: Callable[[Choices], Fit],
    families: Mapping[str, tuple[Variable, ...]],
    choices: Choices,
    knowledge: Knowledge | None,
    given: Lenders,
    counted: Counted | None = None,
    structure: Structure | None = None,
) -> Fit:
    """Learn without sources first; what the tables borrow follows from what was counted, or
    expected, then; and learn again with it. Hidden variables that a source has seen are led to its
    states in between. [EXT-9, EXT-11]

    counted, structure: complete cases
    """
    before = learned(choices)
    _refuse_no_prior(before.pseudo)
    target = target_of(families, before.evidence, before.pseudo, knowledge)
    given = _in_our_states(given, target)
    led = leading(target, given.fragments, before.settings.get("hidden", ()))
    if led:
        seen = learned(replace(choices, prior=Enriched(choices.prior, led)))
        target = target_of(families, seen.evidence, before.pseudo, knowledge)
    transfer = given.transfer
    if isinstance(transfer, Aggregate):
        from tacit.learn.aggregated import fit_aggregated

        return fit_aggregated(before, target, given, knowledge)
    lent = lent_to(target, given)
    if isinstance(transfer, BestFragment) and transfer.fusion == "normal":
        from tacit.learn.normal_fit import fit_normal

        assert counted is not None
        assert structure is not None
        found = fit_normal(before, structure, counted, lent, transfer, choices, knowledge)
    else:
        found = learned(enriched(choices, lent))
    return with_loans(found, before, lent, given)


def _refuse_no_prior(alpha: Mapping[str, Floats]) -> None:
    for name, values in alpha.items():
        if (values <= 0).any():
            raise OptionError(
                f"the prior of {name!r} is 0, and comparing tables of several sites needs one "
                "above 0 in every cell\n\ntake tc.BDeu(1), tc.Jeffreys() or tc.K2(), for example"
            )


def _in_our_states(given: Lenders, target: Target) -> Lenders:
    """The fragments with their states in the target's order: those of variables of the same names,
    and of others whose states are written alike."""
    states = {axes[-1].name: axes[-1].states for axes in target.families.values()}
    alike: dict[frozenset[str], set[tuple[str, ...]]] = {}
    for each in states.values():
        alike.setdefault(frozenset(each), set()).add(each)
    usual = {labels: next(iter(found)) for labels, found in alike.items() if len(found) == 1}
    return replace(
        given, fragments=tuple(in_the_order_of(each, states, usual) for each in given.fragments)
    )


def target_of(
    families: Mapping[str, tuple[Variable, ...]],
    evidence: Mapping[str, Any],
    alpha: Mapping[str, Floats],
    knowledge: Knowledge | None,
) -> Target:
    """The tables that want to borrow, with the certain rules bound to them: a rule that may not
    hold excludes no source."""
    tables = {
        name: discrete_axes(axes)
        for name, axes in families.items()
        if isinstance(axes[-1], Discrete)
    }
    return Target(tables, tables_counted(evidence), alpha, _bound(tables, families, knowledge))


def _bound(
    tables: Mapping[str, tuple[Discrete, ...]],
    families: Mapping[str, tuple[Variable, ...]],
    knowledge: Knowledge | None,
) -> Bound | None:
    if knowledge is None:
        return None
    cells = Cells.of(tables)
    others = [name for name in families if name not in tables]
    return bind(certain_part(knowledge).rules, cells, ordered=cells.declared, others=others)


def enriched(choices: Choices, lent: Lent) -> Choices:
    """The same choices with what was borrowed added to the prior."""
    return replace(choices, prior=Enriched(choices.prior, lent.counts))


def lent_to(target: Target, given: Lenders) -> Lent:
    """What the tables borrow."""
    assert not isinstance(given.transfer, Aggregate)
    return lend(target, given.sources, given.fragments, given.transfer)


def with_loans(fit: Fit, before: Fit, lent: Lent, given: Lenders) -> Fit:
    """The fit with what was borrowed told: from where, and how far it moved the estimate."""
    tables = tuple(replace(each, moved=_moved(fit, before, each.variable)) for each in lent.tables)
    if not given.fragments:
        tables = tuple(replace(each, why="no source has a case to lend") for each in tables)
    settings = {
        **fit.settings,
        "sources": plain_sources(given.sources),
        "transfer": given.transfer.describe(),
    }
    return replace(fit, borrowed=tables, settings=settings, notes=(*fit.notes, *_notes(tables)))


def _moved(fit: Fit, before: Fit, name: str) -> float:
    one, other = fit.network[name], before.network[name]
    assert isinstance(one, Table)
    assert isinstance(other, Table)
    with np.errstate(invalid="ignore"):
        change = np.abs(one.values - other.values)
    return float(np.nanmax(change)) if change.size else 0.0


def _notes(tables: tuple[Borrowed, ...]) -> tuple[str, ...]:
    lent = sum(bool(each.loans) for each in tables)
    by: dict[str, int] = {}
    for table in tables:
        for loan in table.loans[:1]:
            by[loan.source] = by.get(loan.source, 0) + 1
    told = ", ".join(f"{count} of {name}" for name, count in sorted(by.items()))
    said = f"{lent} of {len(tables)} tables were borrowed{': ' + told if told else ''}"
    kept = sum(bool(each.refused) for each in tables)
    if not kept:
        return (said,)
    whose = "a table" if kept == 1 else f"{kept} tables"
    return (said, f"rules excluded fragments for {whose}")
