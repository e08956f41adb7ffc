"""A report: plain facts about a fit, and the forms in which people read them."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tacit.core.errors import OptionError
from tacit.io.files import suffix, write_whole
from tacit.learn.evaluation.curve import LearningCurve
from tacit.learn.evaluation.evaluation import AnyEvaluation, Evaluation
from tacit.learn.evaluation.reals import RealEvaluation
from tacit.learn.fits import Fit
from tacit.learn.heldout import CrossValidation
from tacit.learn.processes.fitted import ProcessFit
from tacit.learn.residuals import Residuals, residuals_of
from tacit.reporting import markdown, text
from tacit.reporting.facts import facts
from tacit.reporting.process_facts import process_facts


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Report:
    """What is known about a fit as plain data, and pages made of it.

    facts  nested dictionaries and lists that JSON holds; `tacit.reporting.facts` names the keys.
           Every page is made of the facts alone, so a report that was saved as JSON prints again.
    """

    facts: Mapping[str, Any]

    def to_json(self) -> str:
        """The facts themselves, a section per line."""
        head = json.dumps({key: self.facts[key] for key in self.facts if key != "sections"})
        sections = (json.dumps(section, allow_nan=False) for section in self.facts["sections"])
        return head[:-1] + ', "sections": [\n' + ",\n".join(sections) + "\n]}\n"

    def to_markdown(self) -> str:
        """Headings, lists and pipe tables."""
        return markdown.page(self.facts)

    def to_html(self) -> str:
        """One page that needs nothing beside it: no network, no script, no second file."""
        from tacit.reporting import html

        return html.page(self.facts)

    def save(self, path: str | Path) -> None:
        """Write .html, .md, .txt or .json by suffix (and .gz), whole or not at all."""
        form = FORMS.get(suffix(path))
        if form is None:
            raise OptionError(
                f"a report cannot be written as {Path(path).name!r}"
                f"\n\nthe suffix says the form: {', '.join(FORMS)}, each also with .gz"
            )
        write_whole(path, form(self))

    def __str__(self) -> str:
        return text.page(self.facts)

    def __repr__(self) -> str:
        return f"<Report: {self.facts['title']}>"

    def _repr_html_(self) -> str:
        """The page in a frame, so that its style stays its own."""
        page = escape(self.to_html(), quote=True)
        frame = 'title="report" sandbox="allow-scripts" style="width:100%;height:70vh;border:0"'
        return f'<iframe {frame} srcdoc="{page}"></iframe>'


FORMS: Mapping[str, Callable[[Report], str]] = {
    ".html": Report.to_html,
    ".md": Report.to_markdown,
    ".txt": str,
    ".json": Report.to_json,
}


def report(
    fit: Fit | ProcessFit,
    *,
    evaluation: AnyEvaluation | CrossValidation | None = None,
    curve: LearningCurve | None = None,
    residuals: Residuals | None = None,
    data: Any = None,
) -> Report:
    """What the reader of a fit wants to know; sections without anything to say are left out.

    evaluation  what cases score that were held out, of `tc.cross_validate`, and how well a variable
                is predicted: of that with a target, or of `tc.evaluate`
    curve       of `tc.learning_curve`
    residuals   of `tc.residuals`, whether Gaussian families suit the cases
    data        the cases, of which the report takes these residuals itself where families have some
    """
    judged = _judged(evaluation)
    if curve is not None and not isinstance(curve, LearningCurve):
        raise OptionError(f"curve is what tc.learning_curve returns, not a {type(curve).__name__}")
    if isinstance(fit, ProcessFit):
        return Report(process_facts(fit))
    if not isinstance(fit, Fit):
        raise OptionError(f"a report is about what tc.fit returns, not a {type(fit).__name__}")
    if residuals is not None and not isinstance(residuals, Residuals):
        raise OptionError(
            f"residuals is what tc.residuals returns, not a {type(residuals).__name__}"
        )
    if residuals is not None and data is not None:
        raise OptionError("residuals= and data= both say how cases lie about the lines: give one")
    if data is not None:
        residuals = residuals_of(fit, data)
    held = evaluation if isinstance(evaluation, CrossValidation) else None
    return Report(facts(fit, judged, curve, residuals, held))


def _judged(given: Any) -> AnyEvaluation | None:
    """The evaluation itself, or that of a cross-validation."""
    found = given.evaluation if isinstance(given, CrossValidation) else given
    if found is not None and not isinstance(found, Evaluation | RealEvaluation):
        raise OptionError(
            "evaluation is what tc.evaluate or tc.cross_validate returns, not a "
            f"{type(given).__name__}"
        )
    return found
