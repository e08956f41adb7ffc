"""`discover`: structure and cases in; rules that nobody stated out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite, log
from numbers import Real
from pathlib import Path
from typing import Any

from tacit.arrays import Floats
from tacit.core.dag import Dag
from tacit.core.errors import ColumnError, OptionError, listed, nearest, quoted
from tacit.core.grid import counted as numbered
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.engines.statistics import Statistics
from tacit.estimate.priors import BDeu, Prior
from tacit.families.conditional_moments import AnyMoments
from tacit.infer.sampling import fresh_seed
from tacit.knowledge.cells import Cells
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.knowledge.statements import Rule, StateOrder
from tacit.learn.counted import Counted, count_cases, counted_before
from tacit.learn.discovered import Discovery, told
from tacit.learn.discovery import saying
from tacit.learn.discovery.finds import KINDS, Proposal
from tacit.learn.discovery.kept import Kept, kept_rows
from tacit.learn.discovery.search import Wishes, searched
from tacit.learn.discovery.sheets import Sheet, sheet_of, sheet_without_rules
from tacit.learn.discovery.soundness import sound
from tacit.learn.gathered import gather
from tacit.learn.parts import discrete_axes, pseudo_counts
from tacit.learn.progress import Callback, Report, watched
from tacit.learn.ruled import ruled
from tacit.learn.structures import Structure, as_structure

THRESHOLD = log(10)
"""Nats that a rule must gain beyond the price of choosing it: ten to one."""


def discover(  # noqa: PLR0913 - help() and editors show options only if they are spelt out
    structure: Dag | Network | str | Path,
    data: Any,
    *,
    within: Iterable[str] | str | None = None,
    kinds: Iterable[str] | str = KINDS,
    start: KnowledgeLike = None,
    prior: Prior | None = None,
    threshold: float = THRESHOLD,
    seed: int | None = None,
    threads: int | None = None,
    progress: bool | Callback | None = None,
) -> Discovery:
    """Rules that nobody stated and the cases support: sharing, independence, ratios and order.

    A rule is proposed if it raises the log marginal likelihood by `threshold` more than the choice
    among all rules of its kind costs, under the prior and also under one that holds all rows
    equally likely. Greedy: whole tables, then rows, then parts of rows, then orders, each found by
    merging, splitting and moving on top of what was found before. [PDK-40, PDK-42]

    structure  a dag, its text, a network (its states count), or a file of one
    data       anything `tc.read_cases` takes, or `tc.Statistics` counted before
    within     variables whose tables are searched; all of them if not given
    kinds      what is looked for: "tables", "rows", "links", "ratios", "cells", "orders"
    start      rules that are kept: rows that they tie are one from the start, and rows of which
               they say anything else are not searched
    prior      `tc.BDeu(1)` if not given; what is shared gets the priors of its parts, added up
    threshold  nats beyond the price of the choice; log 10 if not given
    seed       orders are weighed by draws; the same seed draws the same
    """
    wanted = _kinds(kinds)
    least, seed, chosen = _threshold(threshold), fresh_seed(seed), prior or BDeu(1)
    if not isinstance(chosen, Prior):
        raise OptionError(f"prior={prior!r} is no prior; tc.BDeu(1) is one")
    known, given = as_knowledge(start), as_structure(structure)
    with watched(progress, "discovering") as report:
        counted = _counted(given, data, threads, report)
        names = _within(within, counted)
        alpha = _proper(pseudo_counts(chosen, counted.families), chosen)
        kept = _kept(known, given, counted)
        sheets = {name: _sheet(name, counted, alpha[name], kept.get(name)) for name in alpha}
        wishes = Wishes(least, wanted, _orders(known, counted), seed)
        found = searched({name: sheets[name] for name in names}, wishes, report)
    proposals, gone = sound(found.proposals, _tied_before(sheets), _cells(counted))
    notes = (*given.notes, *_notes(counted, kept, names, wishes), *found.notes, *_given_way(gone))
    heading = (
        f"rules that {counted.cases.weight:,.6g} cases support, more than {least:.3g} nats beyond "
        f"the price of choosing each; prior {chosen.describe()}"
    )
    return Discovery(
        proposals,
        told(known, proposals, heading),
        sum(each.log_marginal_likelihood for each in sheets.values()),
        {"prior": chosen.describe(), "threshold": least, "kinds": sorted(wanted)},
        counted.cases.weight,
        seed,
        notes,
    )


def _named(given: Any, option: str) -> list[Any]:
    if isinstance(given, str):
        return [given]
    if not isinstance(given, Iterable):
        raise OptionError(f"{option}= takes a name or a list of names, not {given!r:.60}")
    return list(given)


def _kinds(given: Iterable[str] | str) -> frozenset[str]:
    named = _named(given, "kinds")
    for kind in named:
        if kind not in KINDS:
            raise OptionError(
                f"{kind!r} is no kind of rule that can be discovered{nearest(kind, KINDS)}"
                f"\n\nkinds: {', '.join(KINDS)}"
            )
    if not named:
        raise OptionError(f"kinds= is empty: nothing to look for\n\nkinds: {', '.join(KINDS)}")
    return frozenset(named)


def _threshold(given: Any) -> float:
    number = isinstance(given, Real) and not isinstance(given, bool)
    if not number or not isfinite(given) or given < 0:
        raise OptionError(f"threshold={given!r} must be a number of nats, 0 or more")
    return float(given)


def _counted(structure: Structure, data: Any, threads: int | None, report: Report) -> Counted:
    """The counts of every family, on the cases complete in it."""
    if isinstance(data, Statistics):
        return counted_before(structure, data)
    try:
        gathered = gather(structure, data, None)
    except ColumnError as problem:
        said = str(problem).split("\n\na variable that no column measures")[0]
        raise ColumnError(
            f"{said}\n\ndiscovery counts cases, so every variable needs a column; leave out of the "
            "structure what nobody measured"
        ) from None
    return count_cases(gathered, True, threads, report)


def _within(given: Iterable[str] | str | None, counted: Counted) -> list[str]:
    tables = [name for name, held in counted.evidence.items() if not isinstance(held, AnyMoments)]
    if given is None:
        return tables
    named = _named(given, "within")
    for name in named:
        if name not in counted.families:
            raise OptionError(
                f"within= names {name!r}, which is no variable of the network"
                f"{nearest(name, counted.families)}\n\nvariables: {listed(counted.families)}"
            )
        if name not in tables:
            raise OptionError(
                f"within= names {name!r}, which is continuous: rules are discovered in tables"
            )
    return [name for name in tables if name in set(named)]


def _proper(alpha: Mapping[str, Floats], prior: Prior) -> Mapping[str, Floats]:
    for name, values in alpha.items():
        if (values <= 0).any():
            raise OptionError(
                f"{prior.describe()} gives cells of {quoted(name)} no prior, and then a marginal "
                "likelihood is not defined\n\nuse a prior above 0 in every cell, tc.BDeu(1) for "
                "example"
            )
    return alpha


def _sheet(name: str, counted: Counted, alpha: Floats, kept: Kept | None) -> Sheet:
    held = counted.evidence[name]
    assert not isinstance(held, AnyMoments)
    axes, counts = discrete_axes(counted.families[name]), held.dense().values
    if kept is None:
        return sheet_without_rules(axes, counts, alpha)
    return sheet_of(axes, counts, alpha, kept.shut, kept.units)


def _kept(known: Knowledge | None, structure: Structure, counted: Counted) -> Mapping[str, Kept]:
    said = ruled(known, structure.dag, counted.families)
    return {} if said is None else kept_rows(said.bound, said.plan.blocks)


def _cells(counted: Counted) -> Cells:
    return Cells.of(
        {
            name: discrete_axes(axes)
            for name, axes in counted.families.items()
            if isinstance(axes[-1], Discrete)
        }
    )


def _tied_before(sheets: Mapping[str, Sheet]) -> list[Rule]:
    """The rows that are one from the start, as rules."""
    return [
        saying.equal_rows(name, [sheet.context(row) for row in unit])
        for name, sheet in sheets.items()
        for unit in sheet.given
    ]


def _given_way(gone: Sequence[Proposal]) -> Iterable[str]:
    for each in gone:
        yield f"not proposed, since beside the others it has no closed form: {each.text}"


def _orders(known: Knowledge | None, counted: Counted) -> Mapping[str, Sequence[int]]:
    """The states from low to high of every variable of which somebody knows that."""
    found: dict[str, Sequence[int]] = {}
    for name, variable in counted.variables.items():
        if isinstance(variable, Discrete) and _is_ordered(variable):
            found[name] = range(len(variable.states))
    for rule in known.orders if known is not None else ():
        said = rule.statement
        assert isinstance(said, StateOrder)
        variable = counted.variables[said.variable.text]
        if isinstance(variable, Discrete):
            found[variable.name] = [variable.code(word.text) for word in said.states]
    return found


def _is_ordered(variable: Discrete) -> bool:
    return len(variable.states) == 2 or not variable.inferred_order


def _notes(
    counted: Counted, kept: Mapping[str, Kept], names: Sequence[str], wishes: Wishes
) -> Iterable[str]:
    yield from counted.notes
    real = [quoted(n) for n, held in counted.evidence.items() if isinstance(held, AnyMoments)]
    if real:
        verb = "is" if len(real) == 1 else "are"
        yield f"{listed(real, 6)} {verb} continuous: rules are discovered in tables only"
    missing = sum(counted.cases.missing.values())
    if missing:
        yield (
            f"{numbered(missing, 'cell')} missing: every table was counted on the cases complete "
            "in it, which is right only if cells are missing by chance"
        )
    shut = sum(int(each.shut.sum()) for name, each in kept.items() if name in names)
    if shut:
        what = "has rules already and was" if shut == 1 else "have rules already and were"
        yield f"{numbered(shut, 'row')} {what} not searched"
    if "orders" in wishes.kinds:
        yield from _unordered(counted, names, wishes)


def _unordered(counted: Counted, names: Sequence[str], wishes: Wishes) -> Iterable[str]:
    axes = (axis for name in names for axis in counted.families[name]
            if len(counted.families[name]) > 1)  # fmt: skip
    found = list(
        dict.fromkeys(quoted(axis.name) for axis in axes if axis.name not in wishes.orders)
    )
    if found:
        yield (
            f"nobody said which states of {listed(found, 6)} are high: with an `order of ...` line "
            "among the rules to start from, rises and falls can be weighed"
        )
