"""What EM with continuous variables can be asked; what it cannot do is said before it starts."""

from __future__ import annotations

from tacit.core.errors import CasesError, OptionError, quoted
from tacit.core.variables import Continuous
from tacit.engines.scales import check_scales
from tacit.learn.bends.fitting import fit_bent
from tacit.learn.choices import Choices
from tacit.learn.continuous.fitting import fit_continuous
from tacit.learn.fits import Fit
from tacit.learn.gathered import Gathered
from tacit.learn.methods import EM
from tacit.learn.progress import Report
from tacit.learn.ruled import doubted_part
from tacit.learn.wishes import Wishes


def fit_with_reals(gathered: Gathered, choices: Choices, wishes: Wishes, told: Report) -> Fit:
    """The fit; an error about options that go with discrete variables only."""
    discrete = "make it discrete with tc.discretise"
    refused = (
        (bool(wishes.tied), "tied tables need discrete variables only", discrete),
        (
            bool(gathered.causes or gathered.local),
            "families with links or shared rows beside it need complete cases",
            "leave out families=",
        ),
        (
            bool(wishes.knowledge and doubted_part(wishes.knowledge)),
            "rules said with less than certainty need complete cases beside it",
            "leave out their confidence",
        ),
        (
            bool(gathered.curves and wishes.knowledge and wishes.knowledge.parameters),
            "rules beside curves need complete cases",
            "leave out the rules, or families=",
        ),
        (
            not isinstance(choices.method, EM),
            "its missing cells and hidden variables are inferred by EM",
            "use method=tc.EM()",
        ),
    )
    for asked, what, right in refused:
        if asked:
            every = gathered.variables.values()
            real = next(each.name for each in every if isinstance(each, Continuous))
            raise OptionError(f"{quoted(real)} is continuous: {what}\n\n{right}")
    if not gathered.cases.total_weight > 0:
        raise CasesError("there are no cases to learn from: none was given, or all weigh 0")
    check_scales(gathered.cases, [
        name for name, each in gathered.cases.variables.items() if isinstance(each, Continuous)
    ])  # fmt: skip
    if gathered.curves:
        return fit_bent(gathered, choices, wishes, told)
    return fit_continuous(gathered, choices, wishes, told)
