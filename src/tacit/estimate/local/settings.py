"""How local structure is looked for, as frozen values with settings."""

from __future__ import annotations

from dataclasses import dataclass

from tacit.core.errors import OptionError
from tacit.core.options import check_flag, check_value
from tacit.estimate.priors import Prior
from tacit.estimate.scores.values import AnyScore, Score

TESTS = ("any", "states", "one")


@dataclass(frozen=True, slots=True)
class GrowTree:
    """A tree table is grown: at every leaf the question that gains most is asked, and what did not
    pay in the end is taken back.

    score  of a row; `tc.BIC()` unless given. A prior scores rows by their marginal likelihood.
    tests  "states" asks for all states of a parent, "one" for one against all others, "any" takes
           whichever gains more
    exact  the best tree there is, for few parents, instead of a grown one
    priced  whether questions cost something by themselves: log 2 for asking, and the log of how
           many could be asked
    """

    score: AnyScore | None = None
    tests: str = "any"
    exact: bool = False
    priced: bool = True

    def __post_init__(self) -> None:
        _check_score(self.score)
        check_flag("exact", self.exact)
        check_flag("priced", self.priced)
        if self.tests not in TESTS:
            raise OptionError(
                f"tests={self.tests!r} is no kind of question\n\nthere are: {', '.join(TESTS)}"
            )

    def describe(self) -> str:
        """The settings as Python writes them."""
        given = [] if self.score is None else [f"score={self.score.describe()}"]
        given += [] if self.tests == "any" else [f"tests={self.tests!r}"]
        given += ["exact=True"] if self.exact else []
        given += [] if self.priced else ["priced=False"]
        return f"GrowTree({', '.join(given)})"


@dataclass(frozen=True, slots=True)
class ListRows:
    """A default table is made: configurations get rows of their own as long as that gains.

    score   of a row, as in `GrowTree`
    priced  whether naming a configuration costs the log of how many there are
    """

    score: AnyScore | None = None
    priced: bool = True

    def __post_init__(self) -> None:
        _check_score(self.score)
        check_flag("priced", self.priced)

    def describe(self) -> str:
        """The settings as Python writes them."""
        given = [] if self.score is None else [f"score={self.score.describe()}"]
        given += [] if self.priced else ["priced=False"]
        return f"ListRows({', '.join(given)})"


def _check_score(score: AnyScore | None) -> None:
    if score is not None:
        check_value("score", score, Score | Prior, "tc.BIC() or tc.BDeu(10)")
