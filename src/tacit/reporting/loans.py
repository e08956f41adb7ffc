"""The section on what was borrowed: which table came from where, and what it was worth."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.families.table import Table
from tacit.learn.fits import Fit
from tacit.learn.loans import Borrowed, Loan
from tacit.reporting.support import Rows, all_rows
from tacit.reporting.wording import are, finite, some

LEANING = 0.9
"""From this share of its evidence on, a row is said to rest on what was borrowed."""
WEAK = 3.0
"""A Bayes factor below this is worth no more than a bare mention, Kass and Raftery (1995) say."""
FAR = 0.2
"""A cell that moved by more than this moved far."""


def borrowed(fit: Fit) -> dict[str, Any] | None:
    """`tables`, the borrowed ones first, those that moved most before others; and `sources`.

    A table has the fields of its `Borrowed`; `worth` are the cases that it borrowed in all, `cases`
    its own, `leaning` how many of its rows take more than `leaning_from` of their evidence from
    sources. A loan has the fields of its `Loan`. A source says how many tables it lent to and what
    that was worth in all; `earned` is whether it lent to any. `transfer` says how it was borrowed.
    `no_tables` are the variables whose families are no tables, which cannot borrow.
    """
    if not fit.borrowed:
        return None
    rows = {each.table.child: each for each in all_rows(fit)}
    tables = [_table(fit, each, rows[each.variable]) for each in fit.borrowed]
    lent = [one for one in tables if one["loans"]]
    return {
        "transfer": str(fit.settings["transfer"]),
        "sources": [_source(name, lent) for name in sources(fit)],
        "tables": sorted(tables, key=lambda one: (not one["loans"], -one["moved"])),
        "lent": len(lent),
        "no_tables": [
            name for name, family in fit.network.families.items() if not isinstance(family, Table)
        ],
        "leaning_from": LEANING,
        "weak_below": WEAK,
    }


def sources(fit: Fit) -> list[str]:
    """The names of the sources, as they were given."""
    return list(fit.settings["sources"])


def lenders(fit: Fit, variable: str | None = None) -> list[str]:
    """The sources that lent to some table, or to that of this variable, as they were given."""
    if not fit.borrowed:
        return []
    tables = [each for each in fit.borrowed if variable in (None, each.variable)]
    earned = {loan.source for each in tables for loan in each.loans}
    return [name for name in sources(fit) if name in earned]


def _source(name: str, tables: Sequence[dict[str, Any]]) -> dict[str, Any]:
    loans = [loan for one in tables for loan in one["loans"] if loan["source"] == name]
    return {
        "name": name,
        "tables": sum(any(loan["source"] == name for loan in one["loans"]) for one in tables),
        "worth": sum(loan["worth"] for loan in loans),
        "earned": bool(loans),
    }


def _table(fit: Fit, each: Borrowed, rows: Rows) -> dict[str, Any]:
    return {
        "variable": each.variable,
        "parents": list(each.parents),
        "loans": [_loan(loan) for loan in each.loans],
        "worth": _worth(each),
        "cases": float(rows.cases.sum()),
        "rows": int(rows.cases.size),
        "leaning": int((_shares(fit, each, rows) > LEANING).sum()),
        "tried": each.tried,
        "refused": [
            {"source": source, "fragment": fragment, "rule": rule}
            for source, fragment, rule in each.refused
        ],
        "tied": each.tied,
        "why": each.why,
        "moved": finite(each.moved) or 0.0,
    }


def _loan(loan: Loan) -> dict[str, Any]:
    return {
        "source": loan.source,
        "fragment": loan.fragment,
        "order": list(loan.order),
        "cases": float(loan.cases),
        "worth": float(loan.worth),
        "log_factor": finite(loan.log_factor),
        "probability": finite(loan.probability),
        "nominal": loan.nominal,
        "mapped": loan.mapped,
    }


def _worth(each: Borrowed) -> float:
    return float(sum(loan.worth for loan in each.loans))


def _shares(fit: Fit, each: Borrowed, rows: Rows) -> Floats:
    """What part of the evidence behind each row was borrowed.

    Pseudo-counts hold the prior and what was borrowed; what is left of their sum when the loans are
    taken out is the prior's, and priors treat all rows alike. Where they hold no loan, the share of
    the table stands for that of its rows.
    """
    worth = _worth(each)
    if not worth:
        return np.zeros(rows.cases.size)
    if not counted_in(fit):
        return np.full(rows.cases.size, worth / (worth + rows.cases.sum()))
    pseudo = fit.pseudo[each.variable].reshape(rows.counts.shape).sum(axis=1)
    prior = max(float(pseudo.sum()) - worth, 0.0) / pseudo.size
    return np.asarray(np.maximum(pseudo - prior, 0.0) / (pseudo + rows.cases))


def counted_in(fit: Fit) -> bool:
    """Whether the pseudo-counts, and with them the intervals, hold what was borrowed."""
    return str(fit.settings["prior"]).endswith(LOANED)


LOANED = " and what was borrowed"
"""How the name of a prior ends to which loans were added."""
NORMAL = "normal priors"
"""What the prior is called where loans became normal priors of cells."""


def leaning(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """A worry about rows that are hardly anything but borrowed."""
    known = {rows.table.child: rows for rows in tables}
    counts = {
        each.variable: int((_shares(fit, each, known[each.variable]) > LEANING).sum())
        for each in fit.borrowed
    }
    number = sum(counts.values())
    if not number:
        return None
    total = sum(rows.cases.size for rows in tables)
    text = (
        f"{number:,} of {some(total, 'row')} {'rests' if number == 1 else 'rest'} on borrowed "
        f"cases for more than {LEANING:.0%} of {'its' if number == 1 else 'their'} evidence: they "
        "hold here as far as the source is like this site"
    )
    where = [{"variable": name, "count": count} for name, count in counts.items() if count]
    return {"kind": "borrowed", "text": text, "where": sorted(where, key=lambda w: -w["count"])}


def doubtful(fit: Fit, tables: Sequence[Rows]) -> dict[str, Any] | None:
    """A worry about loans that moved an estimate far though little speaks for them."""
    del tables
    found = [each for each in fit.borrowed if each.moved > FAR and is_weak(each.loans)]
    if not found:
        return None
    count = len(found)
    text = (
        f"{some(count, 'table')} {are(count)} moved by more than {FAR:g} by a loan that the cases "
        f"hardly speak for: its Bayes factor is below {WEAK:g}"
    )
    where = [{"variable": each.variable, "count": None} for each in found]
    return {"kind": "weak loans", "text": text, "where": where}


def is_weak(loans: Sequence[Loan]) -> bool:
    """Whether even the best of the loans has a small Bayes factor."""
    return bool(loans) and max(loan.log_factor for loan in loans) < log(WEAK)
