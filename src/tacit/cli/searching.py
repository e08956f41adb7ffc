"""Words on the command line for scores, priors over dags and methods of search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.choices import PRIORS, prior_of
from tacit.cli.options import plain_name
from tacit.core.errors import OptionError, marked, nearest

if TYPE_CHECKING:
    from tacit.estimate.scores.dag_priors import DagPrior
    from tacit.estimate.scores.values import AnyScore


@dataclass(frozen=True, slots=True)
class Words:
    """The words that an option takes: how each is written, and what they are called."""

    option: str
    what: str
    plural: str
    forms: Mapping[str, str]

    def split(self, text: str) -> tuple[str, str | None]:
        """The word, and what follows its colon if there is one."""
        word, colon, more = text.partition(":")
        if word not in self.forms:
            said = f"{word!r} is no {self.what}{nearest(word, self.forms)}"
            raise self.wrong(text, 0, len(word), said)
        if colon and ":" not in self.forms[word]:
            raise self.wrong(text, len(word), len(text), f"nothing follows {word!r}")
        return word, more if colon else None

    def number(self, text: str, amount: str) -> float:
        """What follows the colon, as a number."""
        try:
            return float(amount)
        except ValueError:
            what = f"{amount!r} is no number" if amount else "a number is missing"
            start = len(text) - len(amount) - (not amount)
            raise self.wrong(text, start, len(text), what) from None

    def wrong(self, text: str, start: int, end: int, what: str) -> OptionError:
        """The error that marks these letters."""
        known = ", ".join(self.forms.values())
        return OptionError(
            f"{marked(text, start, end, what, self.option)}\n\n{self.plural}: {known}"
        )


SCORES = Words(
    "--score",
    "score",
    "scores",
    {
        **{word: word for word in ("bic", "aic", "mdl", "qnml", "likelihood")},
        "bge": "bge[:STRENGTH]",
        **PRIORS,
    },
)
DAG_PRIORS = Words(
    "--dag-prior",
    "prior over dags",
    "priors over dags",
    {
        "arcs": "arcs[:NATS]",
        "parent-counts": "parent-counts",
        "description-length": "description-length",
    },
)
METHODS = Words(
    "--method",
    "method",
    "methods",
    {
        "hill": "hill",
        "tabu": "tabu",
        "exact": "exact",
        "chow-liu": "chow-liu[:ROOT]",
        "tan": "tan:TARGET",
        "weight-annealing": "weight-annealing",
        "simulated-annealing": "simulated-annealing",
        "ideal": "ideal[:K][,hidden|,each]",
    },
)
TAKERS = {
    "--restarts": ("hill", "tabu", "ideal"),
    "--most-parents": ("hill", "tabu", "exact", "weight-annealing", "ideal"),
}
"""The methods to which an option means something."""
SHORT = 25
"""Dags that the tabu search inside weight annealing remembers. [HV1 1.6]"""

ScoreName = Annotated[
    str | None,
    typer.Option(
        "--score",
        metavar="SCORE",
        help="What a dag is worth: bic, bdeu:10, k2, aic, qnml, mdl, bge, ...",
        autocompletion=lambda: list(SCORES.forms),
    ),
]
DagPriorName = Annotated[
    str | None,
    typer.Option(
        "--dag-prior",
        metavar="PRIOR",
        help="What is believed of dags: arcs:1, parent-counts or description-length.",
        autocompletion=lambda: list(DAG_PRIORS.forms),
    ),
]
SearchMethod = Annotated[
    str | None,
    typer.Option(
        "--method",
        metavar="METHOD",
        help="hill, tabu, exact, chow-liu, tan:TARGET, weight-annealing, simulated-annealing "
        "or ideal:2.",
        autocompletion=lambda: list(METHODS.forms),
    ),
]


def score_of(text: str | None) -> AnyScore | None:
    """`bdeu:10` as `BDeu(10)`, `bic` as `BIC()`, and so on; errors mark the words at fault."""
    from tacit.estimate.scores.values import AIC, BIC, MDL, QNML, BGe, LogLikelihood

    if text is None:
        return None
    word, amount = SCORES.split(text) if text.partition(":")[0] not in PRIORS else ("", None)
    match word:
        case "":
            return prior_of(text, "--score")
        case "bge":
            return BGe() if amount is None else BGe(SCORES.number(text, amount))
    plain: Mapping[str, Callable[[], AnyScore]] = {
        "bic": BIC,
        "aic": AIC,
        "mdl": MDL,
        "qnml": QNML,
        "likelihood": LogLikelihood,
    }
    return plain[word]()


def dag_prior_of(text: str | None) -> DagPrior | None:
    """`arcs:2` as `ArcPenalty(2)`, and so on."""
    from tacit.estimate.scores.dag_priors import ArcPenalty, DescriptionLength, ParentCounts

    if text is None:
        return None
    word, amount = DAG_PRIORS.split(text)
    if word == "arcs":
        return ArcPenalty() if amount is None else ArcPenalty(DAG_PRIORS.number(text, amount))
    return ParentCounts() if word == "parent-counts" else DescriptionLength()


def search_method_of(
    text: str | None, restarts: int | None = None, most_parents: int | None = None
) -> Any:
    """`tan:Class` as `TAN("Class")`, and so on; None where nothing was said."""
    said = {"--restarts": restarts, "--most-parents": most_parents}
    given = {option: value for option, value in said.items() if value is not None}
    if text is None and not given:
        return None
    written = "hill" if text is None else text
    word, more = METHODS.split(written)
    if word == "tan" and not more:
        raise METHODS.wrong(written, 0, len(written), "tan needs its target")
    for option in given:
        if word not in TAKERS[option]:
            raise OptionError(f"{option} means nothing to --method {word}")
    limits = {name[2:].replace("-", "_"): value for name, value in given.items()}
    if word == "ideal":
        return _ideal(written, more, limits)
    return _method(word, plain_name(more) if more else None, limits)


def _ideal(written: str, more: str | None, limits: Mapping[str, Any]) -> Any:
    """`ideal:5` as `IdealParent(5)`, `ideal:5,hidden` as `IdealParent(5, hidden=True)`, and
    `ideal:5,each` as `IdealParent(5, pooled=False)`."""
    from tacit.learn.structure.settings import IdealParent

    if more is None:
        return IdealParent(**limits)
    many, comma, also = more.partition(",")
    if comma and also not in ("hidden", "each"):
        what = f"{also!r} is nothing that ideal parents are told; hidden and each are"
        raise METHODS.wrong(written, len(written) - len(also), len(written), what)
    if not many.isdecimal() or int(many) < 1:
        said = f"{many!r} is no number of candidates, 1 or more"
        start = len(written) - len(more)
        raise METHODS.wrong(written, start, start + len(many), said)
    return IdealParent(int(many), hidden=also == "hidden", pooled=also != "each", **limits)


def _method(word: str, name: str | None, limits: Mapping[str, Any]) -> Any:
    from tacit.learn.annealing.settings import WeightAnnealing
    from tacit.learn.annealing.simulated import SimulatedAnnealing
    from tacit.learn.structure.methods_exact import TAN, ChowLiu, Exact
    from tacit.learn.structure.settings import HillClimb, Tabu

    match word:
        case "tabu":
            return Tabu(**limits)
        case "exact":
            return Exact(**limits)
        case "chow-liu":
            return ChowLiu(name)
        case "tan":
            return TAN(str(name))
        case "weight-annealing":
            return WeightAnnealing(Tabu(SHORT, restarts=0, **limits))
        case "simulated-annealing":
            return SimulatedAnnealing()
    return HillClimb(**limits)
