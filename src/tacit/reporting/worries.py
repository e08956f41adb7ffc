"""What the reader of a fit should worry about: one function per worry, none where all is well."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tacit.core.errors import quoted
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.families.curve_evidence import CurveEvidence
from tacit.families.curved import CurvedGaussian
from tacit.families.gaussian import LinearGaussian
from tacit.learn.fits import Fit, Stop
from tacit.reporting.bent import DOUBTFUL, chance
from tacit.reporting.gaps import imputed
from tacit.reporting.loans import doubtful, leaning
from tacit.reporting.proposed_doubts import HIDDEN_CHECKS
from tacit.reporting.ruled import name, one_line
from tacit.reporting.rules import ranked
from tacit.reporting.runs import reached
from tacit.reporting.support import FEW, Rows, all_rows
from tacit.reporting.unseen import identified
from tacit.reporting.unsure import SEARCH_CHECKS
from tacit.reporting.wording import are, first, joined, shortened, some

CERTAIN = 0.99
KNOWING = 300
"""So many cases without an exception bound its probability by 0.01: the rule of three, 3/n."""

Worry: TypeAlias = dict[str, Any]
Check: TypeAlias = Callable[[Fit, Sequence[Rows]], Worry | None]

_FILLED = {
    "uniform": "an even guess",
    "prior": "the prior's mean",
    "nan": "unknown",
    "zeros": "zero throughout",
}


def worries(fit: Fit) -> list[Worry]:
    """`{kind, text, where}` of everything that gives reason to; `where` counts per variable."""
    rows = list(all_rows(fit))
    found = [check(fit, rows) for check in CHECKS]
    return [worry for worry in found if worry is not None]


def _worry(kind: str, text: str, counts: Mapping[str, int]) -> Worry:
    where = [{"variable": name, "count": count} for name, count in counts.items() if count]
    return {"kind": kind, "text": text, "where": sorted(where, key=lambda one: -one["count"])}


def _few_cases(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del fit
    few = {rows.table.child: int((rows.cases < FEW).sum()) for rows in tables}
    total, count = sum(rows.cases.size for rows in tables), sum(few.values())
    if not count:
        return None
    text = f"{count:,} of {some(total, 'row')} rest{'s' if count == 1 else ''} on fewer than"
    return _worry("few cases", f"{text} {FEW} cases", few)


def _no_cases(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    none = {rows.table.child: int((rows.cases == 0).sum()) for rows in tables}
    total, count = sum(rows.cases.size for rows in tables), sum(none.values())
    if not count:
        return None
    by_prior = not str(fit.settings["estimate"]).startswith("ML")
    filled = "the prior's word" if by_prior else _FILLED.get(str(fit.settings["empty"]), "a guess")
    others = ["the rules"] if fit.rules else []
    others += ["the sources"] if any(each.loans for each in fit.borrowed) else []
    filled += f" and that of {joined(others, 2)}" if others else ""
    have, what = ("has", "it holds") if count == 1 else ("have", "they hold")
    text = f"{count:,} of {some(total, 'row')} {have} no case: what {what} is {filled}, not learned"
    return _worry("no cases", text, none)


def _impossible(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    zero = {
        rows.table.child: int((rows.values[rows.cases > 0] == 0).sum())
        for rows in tables
        if rows.values.shape[1] > 1
    }
    count = sum(zero.values())
    if not count:
        return None
    text = (
        f"{some(count, 'probability', 'probabilities')} {are(count)} exactly 0: the network calls "
        "impossible what these cases did not show"
    )
    text += " or a rule excludes" if fit.rules else ""
    text += "; a prior, tc.BDeu(1) for example, avoids that"
    text += " where no rule asks for it" if fit.rules else ""
    return _worry("impossible", text, zero)


def _nearly_certain(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del fit
    sure = {
        rows.table.child: int(
            (
                (rows.values.max(axis=1) >= CERTAIN) & (rows.cases >= FEW) & (rows.cases < KNOWING)
            ).sum()
        )
        for rows in tables
        if rows.values.shape[1] > 1
    }
    count = sum(sure.values())
    if not count:
        return None
    put, rest = ("puts", "rests") if count == 1 else ("put", "rest")
    text = (
        f"{some(count, 'row')} {put} {CERTAIN} or more on one state but {rest} on fewer than "
        f"{KNOWING} cases, too few to show it"
    )
    return _worry("nearly certain", text, sure)


def _unseen_states(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del fit
    names = [
        f"{quoted(rows.table.child)}={quoted(state)}"
        for rows in tables
        if rows.cases.any()
        for state, seen in zip(
            rows.table.variables[-1].states, rows.counts.sum(axis=0) > 0, strict=True
        )
        if not seen
    ]
    if not names:
        return None
    occur = "occurs" if len(names) == 1 else "occur"
    text = f"{some(len(names), 'state')} never {occur} in the cases: {first(names, 4)}"
    return _worry("unseen states", text, {})


def _few_for_gaussians(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    thin = [
        name
        for name in fit.network
        if isinstance(
            family := fit.network[name], LinearGaussian | ConditionalGaussian | CurvedGaussian
        )
        and fit.evidence[name].total < FEW * family.free_parameters
    ]
    if not thin:
        return None
    rest = "rests" if len(thin) == 1 else "rest"
    text = f"{some(len(thin), 'Gaussian family', 'Gaussian families')} {rest} on"
    where = [{"variable": name, "count": None} for name in thin]
    text = f"{text} fewer than {FEW} cases per parameter"
    return {"kind": "thin regressions", "text": text, "where": where}


def _off_curves(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    off = [
        name
        for name in fit.network
        if isinstance(family := fit.network[name], CurvedGaussian)
        and isinstance(held := fit.evidence[name], CurveEvidence)
        and chance(family, held) < DOUBTFUL
    ]
    if not off:
        return None
    does = "does not follow its curve" if len(off) == 1 else "do not follow their curves"
    text = f"{some(len(off), 'variable')} {does}: bands of cases lie off it beyond chance"
    where = [{"variable": name, "count": None} for name in off]
    return {"kind": "off the curve", "text": text, "where": where}


def _unknown(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del fit
    unknown = {
        rows.table.child: int((~(np.nansum(rows.values, axis=1) > 0.5)).sum()) for rows in tables
    }
    count = sum(unknown.values())
    if not count:
        return None
    text = f"{some(count, 'row')} {are(count)} no distribution: the network cannot be written"
    return _worry("unknown rows", f"{text} to a file as it is", unknown)


def _cut_short(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    if fit.stop not in (Stop.STEP_LIMIT, Stop.INTERRUPTED):
        return None
    text = "it did not run to the end: " + fit.stop.value
    return {"kind": "cut short", "text": text, "where": []}


def _starts_apart(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    if len(fit.runs) < 3 or (near := reached([run.objective for run in fit.runs])) > 1:
        return None
    text = (
        f"only {near} of {some(len(fit.runs), 'start')} reached the best objective: "
        "more starts may find a better one"
    )
    return {"kind": "starts apart", "text": text, "where": []}


def _imputed(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    found = imputed(fit)
    if found is None or not found["rows"]:
        return None
    rest = "rests" if found["rows"] == 1 else "rest"
    text = (
        f"{found['rows']:,} of {some(found['of'], 'row')} {rest} mostly on inferred cases: "
        "more than half of theirs were not seen whole"
    )
    return _worry("imputed", text, {table["variable"]: table["rows"] for table in found["tables"]})


def _not_identified(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    found = identified(fit)
    if found is None or found["dimension"] >= found["free"]:
        return None
    open_ = found["free"] - found["dimension"]
    text = (
        f"the hidden variables are not identified: of {some(found['free'], 'free parameter')} the "
        f"observed variables determine {found['dimension']:,}, {open_:,} stay open however many "
        "cases there are"
    )
    where = [{"variable": name, "count": None} for name in fit.settings["hidden"]]
    return {"kind": "not identified", "text": text, "where": where}


def _resisted(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    found = [one for one in ranked(fit) if one["verdict"] == "resisted"]
    if not found:
        return None
    said = [f"{name(one)}: {shortened(one_line(one['text']), 80)}" for one in found[:3]]
    more = len(found) - len(said)
    rest = f"; and {some(more, 'more rule')}" if more else ""
    return {"kind": "resisted", "text": f"the data resist {'; '.join(said)}{rest}", "where": []}


def _overruled(fit: Fit, tables: Sequence[Rows]) -> Worry | None:
    del tables
    found = [one for one in ranked(fit) if one["verdict"] == "overruled"]
    if not found:
        return None
    said = [f"{name(one)}: {shortened(one_line(one['text']), 80)}" for one in found[:3]]
    more = len(found) - len(said)
    rest = f"; and {some(more, 'more rule')}" if more else ""
    text = f"the data overrule {'; '.join(said)}{rest}"
    return {"kind": "overruled", "text": text, "where": []}


CHECKS: tuple[Check, ...] = (
    _cut_short,
    *SEARCH_CHECKS,
    *HIDDEN_CHECKS,
    _resisted,
    _overruled,
    doubtful,
    leaning,
    _starts_apart,
    _not_identified,
    _imputed,
    _few_cases,
    _no_cases,
    _impossible,
    _nearly_certain,
    _unseen_states,
    _few_for_gaussians,
    _off_curves,
    _unknown,
)
"""In the order in which the reader hears of them."""
