"""From the trials of a round to proposals: judged on cases held out, fitted to all cases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.infer.likelihood import log_likelihood
from tacit.learn.averaged import average_and_error
from tacit.learn.fit import fit
from tacit.learn.fits import Fit
from tacit.learn.methods import EM
from tacit.learn.unseen.finishing import finished
from tacit.learn.unseen.likely import without_zeros
from tacit.learn.unseen.places import alike, is_refused
from tacit.learn.unseen.profile import profile_of
from tacit.learn.unseen.proposals import HiddenCandidate, HiddenProposal, Merging
from tacit.learn.unseen.rounds import Round
from tacit.learn.unseen.sought import Bench
from tacit.learn.unseen.stability import Stability
from tacit.learn.unseen.trials import Trial, curve_of, merged


@dataclass(frozen=True, slots=True, eq=False)
class Court:
    """What proposals are judged by.

    whole   all cases, to which the networks are fitted in the end
    judged  cases that nothing was learned from; None if there are none
    order   the names of the columns as they were given
    """

    whole: Dataset
    judged: Dataset | None
    order: Sequence[str]

    def held_out(
        self, bench: Bench, network: Network, base: Network
    ) -> tuple[float | None, float | None]:
        """How much more probable the cases held out are, a case, and its standard error."""
        if self.judged is None:
            return None, None
        if bench.mixed:  # what is most likely may hold a case impossible that it did not see
            network, base = (_fitted(bench, each, bench.cases).network for each in (network, base))
        here, there = (log_likelihood(each, self.judged).per_case for each in (network, base))
        average, error = average_and_error(here - there, self.judged.weights)
        return average, error

    def fitted(self, bench: Bench, network: Network) -> Fit:
        """The network fitted to all cases, from the numbers that it has."""
        return _fitted(bench, network, self.whole)

    def finished(self, bench: Bench, network: Network) -> Network:
        """The network led on with the cases that judged it, once they have."""
        return network if self.judged is None else finished(bench, self.whole, network)

    def ordered(self, names: Sequence[str]) -> tuple[str, ...]:
        """The names as the columns have them, other ones behind."""
        place = {name: at for at, name in enumerate(self.order)}
        return tuple(sorted(names, key=lambda name: (place.get(name, len(place)), name)))


def _fitted(bench: Bench, network: Network, cases: Dataset) -> Fit:
    """The network fitted to some cases, from the numbers that it has."""
    hidden = {
        name: variable.states
        for name, variable in network.variables.items()
        if isinstance(variable, Discrete) and name not in cases
    }
    settings, rules = bench.settings, bench.spoken(network.dag)
    if bench.mixed:
        network = without_zeros(network, bench.cases.total_weight)

    def led(start: str | None, method: EM) -> Fit:
        return fit(
            network, cases.select([n for n in cases.names if n in network]),
            hidden=hidden or None, start=start if hidden else None,
            method=method if hidden else None, prior=bench.prior, knowledge=rules,
            seed=settings.seed, threads=settings.threads, progress=False,
        )  # fmt: skip

    found = led("given", EM(restarts=1))
    if bench.mixed and hidden and rules is not None and rules.parameters:
        others = led(None, EM())  # only here do rules say which state is which
        return max(found, others, key=lambda each: each.objective)
    return found


def proposals_of(
    bench: Bench, court: Court, found: Round, turn: int, stability: Stability | None = None
) -> list[HiddenProposal]:
    """The proposals of a round, those that score highest first; the first may be accepted.

    stability  of the first
    """
    base = found.base.learned
    done = list[HiddenProposal]()
    for at, trial in enumerate(found.worked):
        assert trial.learned is not None
        network, gain = trial.learned.network, trial.learned.score - base.score
        held, error = court.held_out(bench, network, base.network)
        accepted, why = _verdict(bench, trial, gain, held, first=at == 0)
        name = trial.place.name
        again = merged(bench, network.dag, name)
        if accepted:
            network = court.finished(bench, network)
        done.append(
            HiddenProposal(
                name,
                court.ordered(network.dag.children[name]),
                court.ordered(network.dag.parents[name]),
                _states(network, name),
                gain,
                held,
                error,
                court.fitted(bench, network),
                profile_of(network, name, court.whole),
                accepted,
                why,
                trial.place.source,
                court.ordered(trial.place.insertion.children),
                turn,
                trial.merged,
                _curve(found, trial, curve_of(bench, trial, again)),
                None if again is None else Merging.of(again),
                stability if at == 0 else None,
            )
        )
    return done


def _curve(found: Round, trial: Trial, scores: Mapping[int, float]) -> dict[int, float]:
    """By number of states what the variable gains: in the dag that was learned, or in that of a
    trial of the round that came to the same children, whichever is more."""
    best = dict(scores)
    for each in found.trials:
        if each.learned is not None and alike(each.children, trial.children):
            best[each.states] = max(each.score, best.get(each.states, each.score))
    base = found.base.learned.score
    return {states: best[states] - base for states in sorted(best)}


def _states(network: Network, name: str) -> int:
    variable = network.variables[name]
    assert isinstance(variable, Discrete)
    return len(variable.states)


def _verdict(
    bench: Bench, trial: Trial, gain: float, held: float | None, first: bool
) -> tuple[bool, str]:
    least = bench.settings.evidence
    if trial.place.asked is not None:
        told = "the cases support it" if gain >= least else "the cases do not ask for it"
        return True, f"fixed by the expert; {told}"
    if not first:
        return False, "another variable of this round gains more"
    if gain < least:
        return False, f"it gains less than {least:g} nats"
    if held is not None and not held > 0:
        return False, "cases held out do not confirm it"
    return True, "accepted" if held is None else "accepted, and confirmed by cases held out"


def candidates_of(bench: Bench, court: Court, found: Round, turn: int) -> Iterator[HiddenCandidate]:
    """Everything that was tried in a round, and what was refused."""
    base = found.base.learned
    worked = {id(each.place): each for each in found.worked}
    for trial in found.trials:
        gain = None if trial.learned is None else trial.score - base.score
        verdict = "led to the end" if trial.settled else "left after a first look"
        if trial.learned is None:
            verdict = "dropped: it lost its children"
            if bench.mixed:
                verdict += ", or a column its noise"
        elif is_refused(bench, trial.children):
            verdict = "left: it came to what the expert refused"
        elif id(trial.place) in worked and trial.settled:
            verdict = "led to the end; the best of its place was worked out"
        yield HiddenCandidate(
            turn, court.ordered(trial.place.insertion.children), trial.place.moved,
            trial.place.source, trial.states, trial.merged, court.ordered(tuple(trial.children)),
            gain, verdict,
        )  # fmt: skip
    tried = {id(trial.place) for trial in found.trials}
    for place in found.places.found:
        if id(place) not in tried and not found.ended:
            yield HiddenCandidate(
                turn, court.ordered(place.insertion.children), place.moved, place.source, None,
                None, (), None, "no number of states can be tried: its blanket is never complete",
            )  # fmt: skip
    for refused in found.places.refused:
        yield HiddenCandidate(
            turn, court.ordered(refused.children), True, "", None, None, (), None,
            f"refused: {refused.why}",
        )  # fmt: skip
