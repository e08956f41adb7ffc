"""Variables that nobody measured, as proposals: where each stands, and what it gains."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from html import escape
from typing import Any

from tacit.core.dataset import Dataset
from tacit.core.errors import listed, quoted
from tacit.core.grid import Grid, counted
from tacit.core.network import Network
from tacit.infer.prediction import Prediction, predict
from tacit.learn.fits import Fit, Stop
from tacit.learn.unseen.agglomerated import Agglomeration
from tacit.learn.unseen.completed import with_posteriors
from tacit.learn.unseen.profile import Profile
from tacit.learn.unseen.stability import Stability

SHOWN = 20
"""Candidates that a print shows."""
TRACED = 12
"""Numbers of states at least of which the merging is told."""


@dataclass(frozen=True, slots=True)
class Merging:
    """How the states of a hidden variable merged, from one for every blanket to one for all.

    first   how many there were to begin with; states: how many score highest
    curve   by number of states, the score of the cases completed so, above that of one state
    """

    first: int
    states: int
    curve: Mapping[int, float]

    @staticmethod
    def of(found: Agglomeration) -> Merging:
        """The last steps of an agglomeration, those around its best number among them."""
        one = found.curve[1]
        last = min(found.first_states, max(TRACED, found.states + 3))
        curve = {k: found.curve[k] - one for k in range(1, last + 1)}
        return Merging(found.first_states, found.states, curve)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HiddenProposal:
    """A hidden variable: where it stands and what it is worth.

    children, parents  of the variable, as learned
    states         how many it has, 0 if it is continuous; curve: by number of states, what each
                   would gain; merging: how its states merged one after the other in the dag as
                   learned
    gain           how much more probable it makes the cases to learn from, in nats: the
                   Cheeseman-Stutz score, ways to name the states counted, above that of the best
                   network without it
    held_out_gain  the same of cases held out, in nats a case; None where none were held out
    held_out_error  its standard error over these cases
    fit            the network with it and the variables accepted before it, fitted to all cases
    profile        what its states stand for
    accepted, why  whether it was taken, and the reason
    source         what suggested its place, and around which variables
    turn           the round that found it
    merged         how many states merging found where it was first placed
    stability      what starts at random came to; None where none were made
    """

    name: str
    children: tuple[str, ...]
    parents: tuple[str, ...]
    states: int
    gain: float
    held_out_gain: float | None
    held_out_error: float | None
    fit: Fit
    profile: Profile
    accepted: bool
    why: str
    source: str
    around: tuple[str, ...]
    turn: int
    merged: int
    curve: Mapping[int, float]
    merging: Merging | None = None
    stability: Stability | None = None

    @property
    def network(self) -> Network:
        """The network with it."""
        return self.fit.network

    def __repr__(self) -> str:
        return f"<HiddenProposal: {self._brief()}>"

    def __str__(self) -> str:
        lines = [f"{self._place()}, {self._kind()}: {self.why}"]
        lines.append(f"gain {self.gain:+,.2f} nats over the best network without it{self._held()}")
        if len(self.curve) > 1:
            tried = ", ".join(f"{k}: {gain:+,.1f}" for k, gain in sorted(self.curve.items()))
            lines.append(f"by number of states: {tried}")
        lines.append(f"suggested around {listed(map(quoted, self.around))} ({self.source})")
        if self.stability is not None:
            lines.append(str(self.stability))
        return "\n".join([*lines, str(self.profile)])

    def _repr_html_(self) -> str:
        return f"<p>{escape(self._brief())}</p>{self.profile._repr_html_()}"

    def _brief(self) -> str:
        """Place, states and gain."""
        return f"{self._place()}, {self._kind()}, {self.gain:+,.1f} nats"

    def _kind(self) -> str:
        """How many states there are; a variable without any is continuous."""
        return counted(self.states, "state") if self.states else "continuous"

    def _place(self) -> str:
        above = f"{listed(map(quoted, self.parents))} -> " if self.parents else ""
        return f"{above}{quoted(self.name)} -> {listed(map(quoted, self.children))}"

    def _held(self) -> str:
        if self.held_out_gain is None:
            return ""
        error = "" if self.held_out_error is None else f" ± {self.held_out_error:.4f}"
        return f", {self.held_out_gain:+.4f}{error} nats a case held out"


@dataclass(frozen=True, slots=True)
class HiddenCandidate:
    """A place that was tried with a number of states; a line of the log.

    children, moved  the set it was put above, and whether arcs from outside went to it
    ended_with       its children after learning; none where it was dropped
    gain             over the best network without it; None where nothing came of it
    verdict          what became of it, in words
    """

    turn: int
    children: tuple[str, ...]
    moved: bool
    source: str
    states: int | None
    merged: int | None
    ended_with: tuple[str, ...]
    gain: float | None
    verdict: str


@dataclass(frozen=True, slots=True, eq=False)
class Hunt:
    """What is known of a search for hidden variables beyond the network it ended with.

    proposals   those accepted first, in their order, then by gain
    candidates  everything that was tried, and what rules or experts refused
    without     the best network without any hidden variable, fitted to all cases
    score_without  its score on the cases to learn from, in nats
    learned_from, held_out  how many cases
    """

    proposals: tuple[HiddenProposal, ...]
    candidates: tuple[HiddenCandidate, ...]
    without: Fit
    score_without: float
    learned_from: int
    held_out: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HiddenProposals(Fit):
    """Hidden variables that were proposed, the best first, and the fit of the network with those
    that were accepted.

    It is a sequence of proposals, and a `Fit`, so all that takes a fit takes it. If none was
    accepted, it is the fit of the best network without any.
    """

    hunt: Hunt = field(kw_only=True)

    def __len__(self) -> int:
        return len(self.hunt.proposals)

    def __getitem__(self, at: int) -> HiddenProposal:
        return self.hunt.proposals[at]

    def __iter__(self) -> Iterator[HiddenProposal]:
        return iter(self.hunt.proposals)

    def __bool__(self) -> bool:
        return bool(self.hunt.proposals)

    @property
    def accepted(self) -> tuple[HiddenProposal, ...]:
        """Those that are in the network."""
        return tuple(each for each in self if each.accepted)

    @property
    def candidates(self) -> tuple[HiddenCandidate, ...]:
        """Everything that was tried."""
        return self.hunt.candidates

    @property
    def without(self) -> Fit:
        """The best network without any hidden variable."""
        return self.hunt.without

    def posterior(self, cases: Any, *, threads: int = 1) -> Prediction:
        """How probable each state of each hidden variable is in every case: `["H"]` is
        (cases, states), `.to_frame()` a column for each state."""
        return predict(self.network, cases, threads=threads)

    def completed(self, cases: Any, *, threads: int = 1) -> Dataset:
        """The cases with columns for each hidden variable: `H`, its most probable state, and the
        probability of each state, `H=1`, `H=2`, ...; `tc.write_cases` writes them."""
        return with_posteriors(self.network, self.hidden, cases, threads)

    @property
    def hidden(self) -> tuple[str, ...]:
        """The hidden variables of the network, those that were known before among them."""
        return tuple(name for name in self.settings.get("hidden", ()) if name in self.network)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        names = (each.name for each in fields(self))
        return _remade, (dict(zip(names, Fit.__reduce__(self)[1], strict=True)),)

    def __repr__(self) -> str:
        return f"<HiddenProposals: {len(self.accepted)} of {len(self)} accepted>"

    def __str__(self) -> str:
        return "\n".join([*self._summary(), str(self.grid())])

    def _repr_html_(self) -> str:
        lines = "".join(f"<li>{escape(line)}</li>" for line in self._summary())
        return f"<ul>{lines}</ul>{self.grid()._repr_html_()}"

    def grid(self) -> Grid:
        """One line per proposal."""
        rows = [
            (
                quoted(each.name),
                listed(map(quoted, each.parents)) or "-",
                listed(map(quoted, each.children)),
                str(each.states) if each.states else "continuous",
                f"{each.gain:+,.2f}",
                "-" if each.held_out_gain is None else f"{each.held_out_gain:+.4f}",
                "yes" if each.accepted else "no",
            )
            for each in self
        ]
        heads = ("variable", "parents", "children", "states", "gain", "held out", "accepted")
        title = f"{counted(len(rows), 'proposal')}; gain in nats, held out in nats a case"
        return Grid(title, heads, tuple(rows), labels=3)

    def candidate_grid(self, most: int | None = SHOWN) -> Grid:
        """One line per candidate, as they were tried."""
        shown: Sequence[HiddenCandidate] = (
            self.candidates if most is None else self.candidates[:most]
        )
        rows = tuple(
            (
                str(each.turn),
                listed(map(quoted, each.children)),
                "moved" if each.moved else "kept",
                "-" if each.states is None else str(each.states),
                "-" if each.gain is None else f"{each.gain:+,.1f}",
                listed(map(quoted, each.ended_with)) or "-",
                each.verdict,
            )
            for each in shown
        )
        more = len(self.candidates) - len(shown)
        heads = ("round", "placed above", "parents", "states", "gain", "ended with", "verdict")
        foot = f"  ... and {counted(more, 'more candidate')}" if more else ""
        return Grid(counted(len(self.candidates), "candidate"), heads, rows, labels=2, foot=foot)

    def _summary(self) -> list[str]:
        hunt = self.hunt
        held = f", judged on {counted(hunt.held_out, 'other')}" if hunt.held_out else ""
        lines = [
            f"Hidden variables sought in {counted(hunt.learned_from, 'case')}{held}: "
            f"{counted(len(self.accepted), 'variable')} accepted"
            + (f", {counted(len(self.candidates), 'candidate')} tried" if self.candidates else "")
        ]
        lines += [f"{each._brief()}{each._held()}" for each in self.accepted]
        if not self.accepted and self.stop is not Stop.INTERRUPTED:
            lines.append("no hidden variable makes these cases more probable than a network has it")
        return [*lines, f"stopped: {self.stop.value}", *(f"note: {note}" for note in self.notes)]


def _remade(values: Mapping[str, Any]) -> HiddenProposals:
    return HiddenProposals(**values)
