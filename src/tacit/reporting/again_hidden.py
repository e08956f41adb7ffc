"""A search for hidden variables in the last section: the table of its settings."""

from __future__ import annotations

from collections.abc import Callable
from inspect import signature

from tacit.core.errors import quoted
from tacit.core.reading import Reading
from tacit.core.variables import Continuous
from tacit.estimate.scores.values import BIC
from tacit.learn.origins import FILE, JUDGED
from tacit.learn.unseen.asking import OTHERS
from tacit.learn.unseen.proposals import HiddenProposals
from tacit.learn.unseen.propose import propose_hidden
from tacit.learn.unseen.sought import Settings
from tacit.reporting.again_given import LONG, as_given_said, knowledge, parsed, qualified, seed
from tacit.reporting.again_reading import read_call
from tacit.reporting.again_search import score_said
from tacit.reporting.again_settings import NOTHING, Said, Setting, Verb

_PLAIN = (
    "name", "variant", "most", "most_states", "evidence", "tries", "shown", "bootstrap",
    "threshold", "least", "restarts",
)  # fmt: skip
"""Settings that Python and the command line take as they are."""
_USUAL = {name: each.default for name, each in signature(propose_hidden).parameters.items()}
"""What need not be said."""


def _network(fit: HiddenProposals) -> Said:
    """Where it began: a dag, or a network whose numbers count."""
    said = fit.settings["hidden_search"]
    dag, file = str(said.get("begun_at") or ""), str(said.get(FILE) or "")
    if file:
        return Said("network", ["--network", file], [f"network = tc.read({file!r})"])
    if not dag:
        return NOTHING
    if said.get("numbers_given"):
        line = "network = ...  # the one that was given, with its numbers"
        return Said("network", None, [line], "The network that was given is not kept: put it in.")
    words = None if len(dag) > LONG else ["--network", dag]
    return Said("network", words, [f"network = {dag!r}"])


def _method(fit: HiddenProposals) -> Said:
    """How places were found, if not by signatures."""
    described = fit.settings["hidden_search"].get("method")
    if not described:
        return NOTHING
    told, words = parsed(described), None
    if told is not None and not told[1]:
        words = ["--method", told[0].lower()]
        words += [w for key, value in told[2].items() for w in ("--set", f"{key}={value}")]
    return Said(qualified(described), words)


def _score(fit: HiddenProposals) -> Said:
    """What compared networks, unless it was the usual one."""
    described = str(fit.settings["hidden_search"]["score"])
    return NOTHING if described in _usual_scores(fit) else score_said(described)


def _usual_scores(fit: HiddenProposals) -> tuple[str, ...]:
    """Of columns with states, or of others beside them."""
    if not any(isinstance(each, Continuous) for each in fit.network.variables.values()):
        return (Settings().score.describe(),)
    return (BIC().describe(), Settings().score.describe())


def _children(fit: HiddenProposals) -> Said:
    """Variables that an expert fixed."""
    named = fit.settings["hidden_search"]["named"]
    words = []
    for name, who, _ in named:
        words += ["--children", f"{quoted(name)} -> {', '.join(map(quoted, who))}"]
    return Said(repr({name: who for name, who, _ in named}), words) if named else NOTHING


def _states(fit: HiddenProposals) -> Said:
    """How many states fixed variables have, or all that are found."""
    said = fit.settings["hidden_search"]
    if said["states"] is not None:
        return Said(repr(said["states"]), ["--states", str(said["states"])])
    known = {name: states for name, _, states in said["named"] if states is not None}
    words = []
    for name, states in known.items():
        listing = f"{{{', '.join(map(quoted, states))}}}" if isinstance(states, list) else states
        words += ["--states", f"{quoted(name)}={listing}"]
    return Said(repr(known), words) if known else NOTHING


def _refuse(fit: HiddenProposals) -> Said:
    """Sets of children above which no variable was wanted."""
    refused = fit.settings["hidden_search"]["refused"]
    words = [w for who in refused for w in ("--refuse", ", ".join(map(quoted, who)))]
    return Said(repr(refused), words) if refused else NOTHING


def _held_out(fit: HiddenProposals) -> Said:
    """Cases to judge by: a share of all, or others, which are not kept."""
    told = fit.settings["hidden_search"]
    said = told.get("held_out", _USUAL["held_out"])
    if said == OTHERS and JUDGED in told:
        return _others(fit, Reading.from_plain(told[JUDGED]))
    if said == OTHERS:
        return Said(
            "others", None, ["others = ...  # the cases that judged"],
            "The cases that judged are not kept: put them in.",
        )  # fmt: skip
    return NOTHING if said == _USUAL["held_out"] else Said(repr(said), ["--held-out", str(said)])


def _others(fit: HiddenProposals, reading: Reading) -> Said:
    """Cases of their own: the command line reads them as it reads the others, in their states."""
    here = fit.cases.reading
    own = {} if here is None else here.options
    as_there = {name: own[name] for name in ("missing", "weights") if name in own}
    alike = dict(reading.options) == {"like": True, **as_there}
    line = f"others = {read_call(reading, 'cases')}"
    return Said("others", ["--held-out", reading.source] if alike else None, [line])


def _leave_out(fit: HiddenProposals) -> Said:
    """Columns that were no variables."""
    names = fit.settings["hidden_search"].get("left_out", [])
    words = [word for name in names for word in ("--leave-out", quoted(name))]
    return Said(repr(names), words) if names else NOTHING


def _as_given(fit: HiddenProposals) -> Said:
    """Columns that were kept though they say nothing."""
    return as_given_said(fit, fit.settings["hidden_search"])


def _plainly(name: str) -> Callable[[HiddenProposals], Said]:
    option = f"--{name.replace('_', '-')}"

    def said(fit: HiddenProposals) -> Said:
        value = fit.settings["hidden_search"][name]
        return NOTHING if value == _USUAL[name] else Said(repr(value), [option, str(value)])

    return said


HIDDEN = Verb(
    "found = tc.propose_hidden",
    "hidden",
    (
        Setting(("network",), ("--network",), _network),
        Setting(("method",), ("--method", "--set"), _method),
        Setting(("knowledge",), ("--knowledge",), knowledge),
        Setting(("children",), ("--children",), _children),
        Setting(("states",), ("--states",), _states),
        Setting(("refuse",), ("--refuse",), _refuse),
        Setting(("score",), ("--score",), _score),
        *(Setting((name,), (f"--{name.replace('_', '-')}",), _plainly(name)) for name in _PLAIN),
        Setting(("held_out",), ("--held-out",), _held_out),
        Setting(("leave_out",), ("--leave-out",), _leave_out),
        Setting(("as_given",), ("--as-given",), _as_given),
        Setting(("seed",), ("--seed",), seed),
    ),
    ("cases", "network"),
)
