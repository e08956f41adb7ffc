"""Fits that borrow from related sites."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import OptionError, listed, quoted
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
from tacit.learn.fits import Fit
from tacit.learn.gathered import Gathered
from tacit.learn.led import leading
from tacit.learn.lending import Lent, lend
from tacit.learn.loans import Borrowed
from tacit.learn.parts import discrete_axes
from tacit.learn.positions import tables_counted
from tacit.learn.ruled import about_tables, certain_part
from tacit.learn.source_words import plain_sources
from tacit.learn.sources import Source, as_sources, offer_of
from tacit.learn.transfers import Aggregate, BestFragment, Mixture, Pool, Transfer


@dataclass(frozen=True, slots=True, eq=False)
class Lenders:
    """The sources of a fit, and how it borrows.

    fragments  their tables, once they were read
    notes      what was noted of them then
    """

    sources: tuple[Source, ...]
    transfer: Transfer
    fragments: tuple[Fragment, ...] = ()
    notes: tuple[str, ...] = ()

    def read(self, dag: Dag, families: Mapping[str, tuple[Variable, ...]]) -> Lenders:
        """The same with what the sources have to lend to these families."""
        if not any(isinstance(axes[-1], Discrete) for axes in families.values()):
            raise OptionError(
                "every variable here is continuous, and only tables of variables with states are "
                "borrowed\n\nmake one discrete with tc.discretise, or leave out the sources"
            )
        ours = {name: axes[-1] for name, axes in families.items()}
        offers = [offer_of(source, dag, ours) for source in self.sources]
        fragments = tuple(each for offer in offers for each in offer.fragments if each.cases > 0)
        notes = tuple(note for offer in offers for note in offer.notes)
        return replace(self, fragments=fragments, notes=notes)


def lenders(sources: Any, transfer: Any, choices: Choices) -> Lenders | None:
    """What was given as sources, before they are read; None where nothing was."""
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
    return Lenders(as_sources(sources), how)


def _refuse_mode(transfer: Transfer, choices: Choices) -> None:
    """Ways to borrow that make an estimate of their own cannot make the most probable one."""
    normal = isinstance(transfer, BestFragment) and transfer.fusion == "normal"
    if isinstance(choices.estimate, MAP) and (normal or isinstance(transfer, Aggregate)):
        what = "the posterior mean" if normal else "most likely tables taken together"
        raise OptionError(
            f"{transfer.describe()} gives {what}, not what is most probable"
            "\n\nleave out estimate=tc.MAP(), or use transfer=tc.BestFragment()"
        )


def refuse_inferred(given: Lenders, gathered: Gathered, tied: Any, kept: bool) -> None:
    """Nothing, or an error about what does not go with missing cells or hidden variables."""
    transfer = given.transfer
    normal = isinstance(transfer, BestFragment) and transfer.fusion == "normal"
    gaps = [*gathered.missing, *gathered.hidden]
    unknown = [name for name in gaps if isinstance(gathered.variables[name], Discrete)]
    if unknown and (normal or isinstance(transfer, Aggregate)):
        raise OptionError(
            f"{transfer.describe()} needs complete cases of variables with states, and "
            f"{listed(map(quoted, unknown), 6)} {'is' if len(unknown) == 1 else 'are'} not complete"
            "\n\nuse transfer=tc.BestFragment(), whose evidence goes into EM as well"
        )
    if tied or kept:
        raise OptionError(
            "sources= goes with neither tied= nor checkpoint=\n\nleave out one or the other"
        )


def fit_borrowing(
    learned: Callable[[Choices], Fit],
    families: Mapping[str, tuple[Variable, ...]],
    choices: Choices,
    knowledge: Knowledge | None,
    given: Lenders,
) -> Fit:
    """Learn without sources first; what the tables borrow follows from what was counted, or
    expected, then; and learn again with it. Hidden variables that a source has seen are led to its
    states in between. [EXT-9, EXT-11]

    Expected counts stand for counts here: a case that shows nothing of a table still counts in what
    its fragments are compared with. Families without a table are as the cases here have them.
    """
    before = learned(choices)
    tables = [name for name in families if isinstance(before.network[name], Table)]
    target = target_of(families, before.evidence, before.pseudo, knowledge, tables)
    _refuse_no_prior(target.alpha)
    given = _in_our_states(given, target)
    led = leading(target, given.fragments, before.settings.get("hidden", ()))
    if led:
        seen = learned(replace(choices, prior=Enriched(choices.prior, led)))
        target = target_of(families, seen.evidence, before.pseudo, knowledge, tables)
    transfer = given.transfer
    if isinstance(transfer, Aggregate):
        from tacit.learn.aggregated import fit_aggregated

        return fit_aggregated(before, target, given, knowledge)
    lent = lent_to(target, given)
    if isinstance(transfer, BestFragment) and transfer.fusion == "normal":
        from tacit.learn.normal_fit import fit_normal

        found = fit_normal(before, families, lent, transfer, choices, knowledge)
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
    names: Sequence[str],
) -> Target:
    """The tables that want to borrow, with the certain rules bound to them: a rule that may not
    hold excludes no source, and one about a regression speaks of no table.

    names  of those families that are tables
    """
    tables = {name: discrete_axes(families[name]) for name in names}
    counted = tables_counted({name: evidence[name] for name in names})
    prior = {name: alpha[name] for name in names}
    return Target(tables, counted, prior, _bound(tables, families, knowledge))


def _bound(
    tables: Mapping[str, tuple[Discrete, ...]],
    families: Mapping[str, tuple[Variable, ...]],
    knowledge: Knowledge | None,
) -> Bound | None:
    if knowledge is None:
        return None
    cells = Cells.of(tables)
    others = [name for name in families if name not in tables]
    said = about_tables(certain_part(knowledge)).rules
    return bind(said, cells, ordered=cells.declared, others=others)


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
    without = [name for name in fit.network if not isinstance(fit.network[name], Table)]
    notes = (*fit.notes, *given.notes, *_notes(tables), *_without_note(without))
    return replace(fit, borrowed=tables, settings=settings, notes=notes)


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


def _without_note(names: Sequence[str]) -> tuple[str, ...]:
    """The families that could not borrow, where there are some."""
    if not names:
        return ()
    what = "its family is no table" if len(names) == 1 else "their families are no tables"
    return (f"{listed(map(quoted, names), 6)} borrowed nothing: {what}, and only tables are lent",)
