"""The last section: everything needed to do it again, in Python and on the command line."""

from __future__ import annotations

from typing import Any

from tacit.learn.fits import Fit
from tacit.learn.structure.searched import Search
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.reporting.again_fit import FIT, cases_of
from tacit.reporting.again_given import RULES, rule_files
from tacit.reporting.again_hidden import HIDDEN
from tacit.reporting.again_hierarchy import HIERARCHY
from tacit.reporting.again_judged import Judged, judged_again
from tacit.reporting.again_reading import LEARNED, Cases
from tacit.reporting.again_search import SEARCH, STRUCTURAL_EM, in_rounds
from tacit.reporting.again_settings import Verb, Written, written
from tacit.reporting.again_text import TEXT, text_cases
from tacit.reporting.wording import plain

AGAIN = "again.json"
"""Where a command writes that reads `learned.json`."""


def again(fit: Fit, judged: Judged | None = None) -> dict[str, Any]:
    """`python` and `command` that repeat it, `remarks` on what they lack, `seed`, `fingerprint`,
    `source` and `settings`.

    `learned.json` stands for the network of this fit, written with `tc.write`, and `rules.know`
    for a file of its rules where there was none. The command is None where the command line has no
    words for what Python was asked.
    """
    verb, cases = verb_of(fit)
    told = written(verb, fit, cases)
    if judged is not None and judged.by_anything:
        told = judged_again(verb, told, cases, judged)
    command = told.command(AGAIN if LEARNED in told.words else LEARNED)
    return {
        "python": told.python,
        "command": command,
        "remarks": [*told.remarks, *_stand_ins(fit, told, command)],
        "seed": fit.seed,
        "source": fit.cases.source,
        "fingerprint": fit.cases.fingerprint,
        "settings": plain(fit.settings),
    }


def verb_of(fit: Fit) -> tuple[Verb, Cases]:
    """What was done to come to this fit, and with which cases."""
    if isinstance(fit, Search):
        return STRUCTURAL_EM if in_rounds(fit) else SEARCH, Cases.of(fit)
    if isinstance(fit, HiddenProposals):
        return HIDDEN, Cases.of(fit)
    if "hierarchy" in fit.settings:
        return HIERARCHY, Cases.of(fit)
    if "text" in fit.settings:
        return TEXT, text_cases(fit)
    return FIT, cases_of(fit)


def _stand_ins(fit: Fit, told: Written, command: str | None) -> list[str]:
    """What files stand for that are named and may not be there; what has no command."""
    both = "\n".join([told.python, command or ""])
    said = [] if command is not None else [told.wordless]
    if f"tc.read({LEARNED!r})" in told.python or f"--network {LEARNED}" in both:
        said.append(
            f"`{LEARNED}` stands for the network of this fit, as `tc.write` or `tacit fit -o` "
            "writes it."
        )
    if "knowledge" in fit.settings and not rule_files(fit) and RULES in both:
        said.append(f"`{RULES}` stands for a file of its rules.")
    return said
