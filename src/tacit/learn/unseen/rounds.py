"""One round of the search for hidden variables: places, trials, the best worked out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tacit.core.dag import Dag
from tacit.core.interrupts import Asked
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.search import search
from tacit.learn.structure.settings import Tabu
from tacit.learn.structure.structural_em import structural_em
from tacit.learn.unseen.learning import NEW, Learned, Memory, at_best
from tacit.learn.unseen.places import Place, Places, alike, is_refused, named_places, places
from tacit.learn.unseen.removal import remove_variable
from tacit.learn.unseen.sought import PARAMS, Bench, Named
from tacit.learn.unseen.trials import Sight, Trial, glance, seen, settled, worked_out

LED_ON = 6
"""Trials at least that are led to their end after the first comparison, and the best quarter."""


@dataclass(frozen=True, slots=True, eq=False)
class Base:
    """The best network without the variable that is sought.

    confidence  how sure its links are, where bootstrap samples were drawn
    """

    learned: Learned
    confidence: ArcConfidence | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """What came of one round.

    base     what to compare with: the best network without the variable
    places   where it was tried
    trials   every place with every number of states, as far as it was led
    worked   the distinct best of them, worked out, those that score highest first
    ended    whether someone asked for the end
    """

    base: Base
    places: Places
    trials: tuple[Trial, ...]
    worked: tuple[Trial, ...]
    ended: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Course:
    """What the work is told and tells.

    done    sets of children that known hidden variables explain
    told    of every piece of work done, of how many, and the best gain so far
    """

    memory: Memory
    asked: Asked
    told: Callable[[int, int, float | None], None]
    done: Sequence[frozenset[str]] = field(default=())


def round_of(bench: Bench, base: Base, course: Course, named: Named | None = None) -> Round:
    """Try one more hidden variable, in the place an expert fixed or wherever signatures are."""
    dag = base.learned.network.dag
    if named is None:
        spots = places(bench, dag, base.confidence, course.done)
    else:
        spots = named_places(bench, dag, named)
    desk = Desk(bench, base, course, 3 * len(spots.found) + bench.settings.shown)
    first = desk.glanced(spots.found)
    chosen = desk.led_on(first)
    worked = desk.worked(list(chosen.values()))
    if worked and not course.asked():
        base = stronger(bench, base, worked[0])
    rest = [chosen.get(at, each) for at, each in enumerate(first)]
    return Round(base, spots, tuple(rest), worked, course.asked())


@dataclass(slots=True, eq=False)
class Desk:
    """The work of a round, done until someone asks for its end, and how much of it is done."""

    bench: Bench
    base: Base
    course: Course
    total: int
    done: int = 0
    highest: float = -float("inf")

    def glanced(self, spots: Sequence[Place]) -> list[Trial]:
        """A first look at every place with the fewest states, and at the better half of them with
        the other numbers: a place that is good with many is not bad with few."""
        found = list[Trial]()
        sights = list[tuple[Sight, Trial]]()
        for place in spots:
            sight = None if self.course.asked() else seen(self.bench, place)
            if sight is not None:
                first = glance(self.bench, sight, sight.numbers[0], self.course.memory)
                sights.append((sight, first))
                self.tell(1, [first])
        sights.sort(key=lambda each: -each[1].score)
        for at, (sight, first) in enumerate(sights):
            found.append(first)
            more = sight.numbers[1:] if 2 * at < len(sights) or at < LED_ON else ()
            for states in more if not self.course.asked() else ():
                found.append(glance(self.bench, sight, states, self.course.memory))
            self.tell(1, found[-1:])
        return found

    def led_on(self, trials: Sequence[Trial]) -> dict[int, Trial]:
        """The best of them led to their end, by their number, the best first."""
        order = sorted(range(len(trials)), key=lambda at: -trials[at].score)
        few = [at for at in order if trials[at].learned is not None]
        few = few[: max(LED_ON, len(trials) // 4)]
        found = dict[int, Trial]()
        left = self.total - self.done - self.bench.settings.shown
        for number, at in enumerate(few):
            if self.course.asked():
                break
            found[at] = settled(self.bench, trials[at], self.course.memory)
            share = left * (number + 1) // len(few) - left * number // len(few)
            self.tell(share, [found[at]])
        found |= {at: trials[at] for at in few if at not in found}
        return dict(sorted(found.items(), key=lambda item: -item[1].score))

    def worked(self, trials: Sequence[Trial]) -> tuple[Trial, ...]:
        """The best of them that mean different variables, worked out."""
        chosen = list[Trial]()
        for each in sorted(trials, key=lambda each: -each.score):
            if each.learned is None or len(chosen) == self.bench.settings.shown:
                continue
            if self._unwanted(each):
                continue
            if any(alike(each.children, other.children) for other in chosen):
                continue
            if not self.course.asked():
                each = worked_out(self.bench, each, self.course.memory)  # noqa: PLW2901
                self.tell(1, [each])
            if each.learned is not None and not self._unwanted(each):
                chosen.append(each)
        return tuple(sorted(chosen, key=lambda each: -each.score))

    def _unwanted(self, trial: Trial) -> bool:
        """Whether it came to what an expert refused; one that is fixed is wanted."""
        return trial.place.asked is None and is_refused(self.bench, trial.children)

    def tell(self, done: int, trials: Sequence[Trial]) -> None:
        """So many more pieces are done, and this is what came of them."""
        self.done += done
        best = max((each.score for each in trials), default=-float("inf"))
        self.highest = max(self.highest, best - self.base.learned.score)
        gain = self.highest if self.highest > -float("inf") else None
        self.course.told(min(self.done, self.total), self.total, gain)


def stronger(bench: Bench, base: Base, trial: Trial) -> Base:
    """The base, or what is found from the dag that the hidden variable leaves when it is taken
    away, if that is better: a gain must not come from a base that was searched badly."""
    assert trial.learned is not None
    network, how = trial.learned.network, bench.settings.variant
    if how == PARAMS:
        return base
    without = _thinned(bench, remove_variable(network.dag, trial.place.name))
    if gaps(bench) or any(name in without for name in bench.known):
        start = structural_em(
            bench.cases, start=without, hidden=_known(bench, without), score=bench.settings.score,
            knowledge=bench.spoken(without), restarts=1, seed=bench.settings.seed,
            threads=bench.settings.threads, as_given=True, progress=False,
        ).network  # fmt: skip
    else:
        start = search(
            bench.cases, start=without, score=bench.settings.score, method=Tabu(),
            knowledge=bench.spoken(without), seed=bench.settings.seed,
            threads=bench.settings.threads, as_given=True, progress=False,
        ).network  # fmt: skip
    rival = at_best(bench, start)
    return Base(rival, base.confidence) if rival.score > base.learned.score + NEW else base


def _thinned(bench: Bench, dag: Dag) -> Dag:
    """The dag as far as rules allow it, with no more rows in a table than there are cases.

    A hidden parent of many leaves them all joined. Such tables cannot be learned, nor always kept,
    and a search that begins at them stays there: rows met once cost little to predict. Of the
    parents those that are required come first, then those that a variable had before.
    """
    limits, states = bench.limits_of(dag), bench.states()
    place = {name: at for at, name in enumerate(dag.names)}
    kept = dict[str, tuple[str, ...]]()
    for name, who in dag.parents.items():
        head, chosen, rows = place[name], list[str](), 1
        for parent in sorted(who, key=lambda each: not limits.required[place[each], head]):
            must, more = limits.required[place[parent], head], rows * states.get(parent, 1)
            room = len(chosen) < limits.most[head] and more <= len(bench.cases)
            if must or (room and limits.allowed[place[parent], head]):
                chosen.append(parent)
                rows = more
        kept[name] = tuple(chosen)
    return Dag(kept)


def gaps(bench: Bench) -> bool:
    """Whether cells are missing."""
    return any(bench.cases.missing().values())


def _known(bench: Bench, dag: Dag) -> dict[str, tuple[str, ...]] | None:
    return {name: states for name, states in bench.known.items() if name in dag} or None
