"""One hidden variable: left out, put above everything, or found; each on the same cases.

[Elidan 2004, section 4.2; HV1 3.6]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from tacit.core.dag import Dag
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.estimate.priors import BDeu
from tacit.experiments.elidan.inner import states_of, unseen
from tacit.experiments.elidan.judged import Judged, Watch, bits
from tacit.infer.sampling import sample
from tacit.io.textbook import textbook
from tacit.learn.fit import fit
from tacit.learn.methods import EM
from tacit.learn.structure.cheeseman_stutz import cheeseman_stutz
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.insertion import Insertion, inserted
from tacit.learn.unseen.learning import Learned, Memory, scored
from tacit.learn.unseen.places import LINKED, alike
from tacit.learn.unseen.places import Place as Spot
from tacit.learn.unseen.propose import propose_hidden
from tacit.learn.unseen.signatures import signatures
from tacit.learn.unseen.sought import Bench, Settings, in_own_order
from tacit.learn.unseen.trials import Trial, glance, seen, settled

SCORE = BDeu(5)
"""The source does not say how strong its prior is. [HV1 section 6]"""
NOTHING, TRUE, NAIVE, FOUND, MERGED, OURS = (
    "nothing hidden", "true structure", "naive", "FindHidden", "FindHidden, merged states",
    "tc.propose_hidden",
)  # fmt: skip
QUICK: Mapping[str, Any] = {"tries": 3, "shown": 1, "bootstrap": 3}
"""Options of a search that only shows that it works."""
STARTS = 5
"""Of the naive method, and of EM in the true structure. [HV1 3.6]"""
HIDDEN = "H"


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Cases to learn from and to judge by, none of which shows the hidden variables.

    truth   what they were drawn from; None where they are real
    hidden  which of its variables they do not show
    """

    name: str
    train: Dataset
    test: Dataset
    seed: int
    truth: Network | None = None
    hidden: tuple[str, ...] = ()

    @staticmethod
    def drawn(network: str, hidden: str, cases: int, new: int, seed: int) -> Problem:
        """Of a textbook network with one variable hidden; the cases depend on the seed alone."""
        truth = textbook(network)
        parts = (sample(truth, n, seed=2 * seed + at) for at, n in enumerate((cases, new)))
        train, test = (unseen(part, hidden) for part in parts)
        return Problem(hidden, train, test, seed, truth, (hidden,))


@dataclass(frozen=True, slots=True)
class Place:
    """Where a hidden variable stands, and with how many states."""

    children: tuple[str, ...]
    parents: tuple[str, ...]
    states: int


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """What a method made of a problem.

    judged  its score per case learned from, in nats, and log2 P per case of others, in bits
    places  of the hidden variables that it has
    """

    judged: Judged
    network: Network
    places: tuple[Place, ...]

    def overlap(self, problem: Problem) -> tuple[int, int] | None:
        """How many of the true children the variable that is most like the hidden one has, and
        how many others; None where no variable means the same."""
        assert problem.truth is not None
        true = frozenset(problem.truth.dag.children[problem.hidden[0]])
        means = [each for each in self.places if alike(frozenset(each.children), true)]
        if not means:
            return None
        best = max(means, key=lambda each: len(true & set(each.children)))
        return len(true & set(best.children)), len(set(best.children) - true)


Method: TypeAlias = Callable[[Problem], Network]


def answered(problem: Problem, name: str, method: Method) -> Answer:
    """A method's network, scored and judged."""
    watch = Watch()
    network = method(problem)
    seconds = watch.seconds
    score = cheeseman_stutz(network, problem.train, SCORE) / problem.train.total_weight
    judged = Judged(name, score, bits(network, problem.test), 0, seconds)
    return Answer(judged, network, places_of(network, problem.train.names))


def places_of(network: Network, measured: Sequence[str]) -> tuple[Place, ...]:
    """Of the variables that nobody measured."""
    found = []
    for name in network.dag.names:
        if name not in measured:
            children, parents = network.dag.children[name], network.dag.parents[name]
            found.append(Place(tuple(children), tuple(parents), states_of(network, name)))
    return tuple(found)


def nothing(problem: Problem) -> Network:
    """The network that FindHidden begins with: the best that a search finds."""
    return search(
        problem.train, score=SCORE, method=Tabu(), as_given=True, seed=problem.seed, progress=False
    ).network


def naive(problem: Problem) -> Network:
    """A binary parent of everything, and structural EM from there and from dags near it.

    [Friedman 1998; HV1-30]
    """
    names = problem.train.names
    above = Dag({HIDDEN: (), **dict.fromkeys(names, (HIDDEN,))})
    return structural_em(
        problem.train, start=above, hidden={HIDDEN: 2}, score=SCORE, restarts=STARTS,
        as_given=True, seed=problem.seed, progress=False,
    ).network  # fmt: skip


def true_structure(problem: Problem) -> Network:
    """The dag that the cases were drawn from, its parameters by EM."""
    assert problem.truth is not None
    states = {name: states_of(problem.truth, name) for name in problem.hidden}
    declared = {
        name: each for name, each in problem.truth.variables.items() if isinstance(each, Discrete)
    }
    cases = problem.train.select([name for name in problem.train.names if name in declared])
    return fit(
        problem.truth.dag, cases, hidden=states, prior=SCORE, method=EM(restarts=STARTS),
        seed=problem.seed, progress=False,
    ).network  # fmt: skip


def found(variant: str = "local", states: int | None = 2, always: bool = False) -> Method:
    """The source's procedure: a variable above every signature of one dag, structural EM around
    it, and the place that scores highest, if that is higher than the network without it.

    states  of the variable; None: two to four, and as many as merging finds
    always  the best place is taken, whatever it scores
    [Elidan 2004, Algorithm 5 and section 5.4; HV1 3.5, 4.5]
    """

    def learn(problem: Problem) -> Network:
        start = nothing(problem)
        settings = Settings(score=SCORE, variant=variant, states=states, seed=problem.seed)
        bench = Bench(in_own_order(problem.train), settings, None)
        base, best = scored(bench, start), list[Learned]()
        for trial in trials(bench, start.dag):
            done = settled(bench, trial, Memory()).learned
            if done is not None and (always or done.score > base.score):
                best.append(done)
        return max(best, key=lambda each: each.score, default=base).network

    return learn


def trials(bench: Bench, dag: Dag) -> Iterator[Trial]:
    """A variable above every signature, its children's other parents moved to it, after a round of
    structural EM from merged states."""
    for signature in signatures(dag):
        put = inserted(dag, signature.members, HIDDEN)
        assert isinstance(put, Insertion)
        sight = seen(bench, Spot(put, LINKED, True))
        if sight is not None:
            yield from (glance(bench, sight, states, Memory()) for states in sight.numbers)


def ours(most: int = 1, **options: Any) -> Method:
    """The whole pipeline as it is by itself, accepting so many variables at most."""

    def learn(problem: Problem) -> Network:
        return propose_hidden(
            problem.train,
            most=most,
            score=SCORE,
            as_given=True,
            seed=problem.seed,
            progress=False,
            **options,
        ).network

    return learn


SIMPLE: Mapping[str, Method] = {
    NOTHING: nothing,
    TRUE: true_structure,
    NAIVE: naive,
    FOUND: found(),
    OURS: ours(),
}
"""What the source compares, and ours."""
