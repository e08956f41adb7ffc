"""Families with local structure where cells are missing: EM, and their rows found in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from tacit.core.errors import OptionError, quoted
from tacit.engines.causes import configuration_counts
from tacit.families.cause_counts import CauseCounts
from tacit.families.shared import SharedRows
from tacit.learn.fits import Fit
from tacit.learn.gathered import Gathered
from tacit.learn.local.choosing import Local, local_said
from tacit.learn.local.counting import found_rows, shape_notes
from tacit.learn.local.rules import Spoken

ROUNDS = 5
"""Times that rows are looked for anew at most."""


def fit_local_inferred(
    gathered: Gathered, spoken: Spoken, learned: Callable[[Gathered], Fit]
) -> Fit:
    """EM with rows as they are, rows found anew at its expected counts, and so on until they stay.

    The first rows are those of the cases that lack nothing of the family. Each round is a round of
    structural EM: rows that are worth more at the expected counts are worth more on what was
    observed. [Friedman 1998]
    """
    local = spoken.local
    given = {name: _first(gathered, name, each) for name, each in local.items()}
    open_ = [name for name, each in local.items() if not isinstance(each.how, SharedRows)]
    rounds, fit = 0, None
    while fit is None or rounds < ROUNDS:
        rounds += 1
        fixed = {n: replace(each, how=given[n], bans=None) for n, each in local.items()}
        fit = learned(replace(gathered, local=fixed))
        again = {name: _again(fit, name, local[name]) for name in open_}
        if all(_same(again[name], given[name]) for name in open_):
            break
        given |= again
    notes = [*fit.notes, *shape_notes(fit.network.families, local)]
    if open_:
        notes.append(
            f"rows were found {rounds} {'time' if rounds == 1 else 'times'}: at first on the cases "
            "that lack nothing of the family, then at expected counts"
        )
    settings = {**fit.settings, "families": {**fit.settings["families"], **local_said(local)}}
    return replace(fit, notes=tuple(notes), settings=settings, rules=(*fit.rules, *spoken.rules))


def _first(gathered: Gathered, name: str, each: Local) -> SharedRows:
    """The rows to begin with."""
    if isinstance(each.how, SharedRows):
        return each.how
    unseen = [axis.name for axis in each.axes if axis.name in gathered.hidden]
    if unseen:
        raise OptionError(
            f"{quoted(name)} is to share rows, and {quoted(unseen[0])} is in no case that could "
            f"tell which\n\ngive them: families={{{name!r}: tc.TreeTable.of(...)}}"
        )
    return found_rows(each, configuration_counts(gathered.cases, each.axes, available=True))


def _again(fit: Fit, name: str, each: Local) -> SharedRows:
    held = fit.evidence[name]
    assert isinstance(held, CauseCounts)
    return found_rows(each, held)


def _same(one: SharedRows, other: SharedRows) -> bool:
    """Whether the rows are shared alike, whatever they hold."""
    if one.values.shape != other.values.shape:
        return False
    even = np.full(one.values.shape, 1.0 / one.values.shape[1])
    return one.with_values(even) == other.with_values(even)
