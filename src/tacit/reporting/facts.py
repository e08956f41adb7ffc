"""A fit as plain facts: the sections of a report, in their order.

`facts(fit)` is {"format", "version", "title", "sections"}; a section is a dictionary with a
`kind`, a `title` and what its builder returns. Every value is one that JSON holds; a number that is
not finite is None. To add a section, write a function `fit -> dictionary or None` and a line here;
then a line in `outline.KINDS` (text and markdown) and one in `html.KINDS`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tacit.learn.evaluation.curve import LearningCurve
from tacit.learn.evaluation.evaluation import AnyEvaluation
from tacit.learn.evaluation.reals import RealEvaluation
from tacit.learn.fits import Fit
from tacit.learn.heldout import CrossValidation
from tacit.learn.residuals import Residuals
from tacit.learn.structure.searched import Search
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.reporting import searched
from tacit.reporting.again import again
from tacit.reporting.again_judged import Judged
from tacit.reporting.answer import answer, judged
from tacit.reporting.gaps import missing
from tacit.reporting.heldout import folds
from tacit.reporting.hierarchies import hierarchy
from tacit.reporting.loans import borrowed
from tacit.reporting.paths import path
from tacit.reporting.predicted import learning, prediction
from tacit.reporting.proposed import proposals
from tacit.reporting.rules import rules
from tacit.reporting.runs import course
from tacit.reporting.straying import straying, worry
from tacit.reporting.tabled import tables
from tacit.reporting.unseen import hidden
from tacit.reporting.valued import values
from tacit.reporting.wording import some

FORMAT, VERSION = "tacit report", 1

BUILDERS: dict[str, tuple[str, Callable[[Fit], dict[str, Any] | None]]] = {
    "answer": ("The answer", answer),
    "network": ("The network", searched.network),
    "arcs": ("Arcs", searched.arcs),
    "guidance": ("What the rules did", searched.guidance),
    "rules": ("Rules", rules),
    "tables": ("Tables", tables),
    "missing": ("Missing cells", missing),
    "hierarchy": ("The hierarchy", hierarchy),
    "hidden": ("Hidden variables", hidden),
    "proposals": ("Hidden variables proposed", proposals),
    "borrowed": ("Borrowed", borrowed),
    "path": ("The path", path),
    "course": ("How it went", course),
    "again": ("To do it again", again),
}


def _worried(told: list[tuple[str, str, Any]], found: dict[str, Any] | None) -> None:
    """Add a worry to the answer."""
    for _, _, section in told:
        if found is not None and section is not None and "worries" in section:
            section["worries"].append(found)


def facts(
    fit: Fit,
    evaluation: AnyEvaluation | None = None,
    curve: LearningCurve | None = None,
    residuals: Residuals | None = None,
    held: CrossValidation | None = None,
) -> dict[str, Any]:
    """What a report says of this fit; sections without anything to say are left out.

    evaluation  how well a variable was predicted, after the tables; curve from how many cases;
                residuals whether Gaussian families suit the cases; held what cases score that
                were not learned from
    """
    extent = some(len(fit.network), "variable")
    if isinstance(fit, HiddenProposals):
        extent = f"{some(len(fit.accepted), 'hidden variable')} among {extent}"
    if isinstance(fit, Search):
        extent = f"{some(len(fit.dag.arcs), 'arc')} among {extent}"
    judged_by = Judged(fit, held, curve, evaluation)
    told = [
        (kind, title, again(fit, judged_by) if build is again else build(fit))
        for kind, (title, build) in BUILDERS.items()
    ]
    place = 1 + list(BUILDERS).index("tables")
    if residuals is not None:
        _worried(told, worry(residuals))
        told.insert(place, ("residuals", "Whether the cases follow the lines", straying(residuals)))
    if curve is not None:
        told.insert(place, ("learning", "From how many cases", learning(curve)))
    if held is not None:
        left = folds(held)
        told.insert(place, ("folds", "Cases held out", left))
        judged({kind: section for kind, _, section in told}["answer"], left)
    if isinstance(evaluation, RealEvaluation):
        told.insert(place, ("values", "How well it predicts", values(evaluation)))
    elif evaluation is not None:
        told.insert(place, ("prediction", "How well it predicts", prediction(evaluation)))
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": f"{extent} learned from {some(fit.cases_used, 'case')}",
        "sections": [
            {"kind": kind, "title": title, **section}
            for kind, title, section in told
            if section is not None
        ],
    }
