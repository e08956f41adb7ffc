"""How one more hidden variable is looked for: each method a line in a table."""

from __future__ import annotations

from types import NoneType
from typing import Any, Protocol

from tacit.core.errors import OptionError
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.learn.bottleneck.settings import IBEM
from tacit.learn.unseen.by_paths import round_by_paths
from tacit.learn.unseen.insertion import Insertion
from tacit.learn.unseen.learning import scored
from tacit.learn.unseen.places import Place
from tacit.learn.unseen.rounds import Base, Course, Round, round_of
from tacit.learn.unseen.sought import Bench, Named
from tacit.learn.unseen.trials import Trial


class Seeker(Protocol):
    """One round of a method: trials of one more hidden variable, and what to compare them with.

    `Round.worked` holds networks that have the variable, those that score highest first, each made
    by `trial_of`. All else is the same for every method: scores are compared with the base, cases
    held out judge, the first may be accepted, and the next round begins with it in `base` and in
    `bench.known`.

    bench   the cases to learn from, settings, rules and hidden variables that are known
    base    the best network without the variable
    course  `course.asked()` says whether someone wants the end; `course.told` hears of progress
    named   a variable that an expert fixed; None: any
    """

    def __call__(
        self, bench: Bench, base: Base, course: Course, named: Named | None = None
    ) -> Round:
        """Seek."""


SEEKERS: dict[type[Any], Seeker] = {NoneType: round_of, IBEM: round_by_paths}
"""By the type of `method`; None looks for signatures."""


def check_method(method: Any) -> None:
    """Nothing, or an error: there is no such method."""
    if type(method) not in SEEKERS:
        known = [
            "None (signatures)",
            *(f"tc.{each.__name__}()" for each in SEEKERS if each is not NoneType),
        ]
        raise OptionError(f"method={method!r} must be one of {', '.join(known)}")


def trial_of(
    bench: Bench, network: Network, name: str, source: str, asked: Named | None = None
) -> Trial:
    """A network that was learned elsewhere, with a new hidden variable `name`, as a trial.

    source  what suggested the variable, in words
    """
    dag, variable = network.dag, network.variables[name]
    assert isinstance(variable, Discrete)
    states = len(variable.states)
    put = Insertion(name, dag.children[name], dag.parents[name], (), dag, 0)
    place = Place(put, source, True, asked)
    return Trial(place, states, states, scored(bench, network), settled=True)
