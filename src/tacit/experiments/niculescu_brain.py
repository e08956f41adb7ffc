"""A stand-in for a brain that reads sentences and looks at pictures: series drawn from a truth.

A grid of voxels in blocks; in each block both processes have a course shaped like a response of
blood flow, and every voxel its own scale. [Niculescu 2005, section 8.3; generator of section 7]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.trials import Onset, Trials
from tacit.learn.processes.settings import HiddenProcesses, Partition, Share

PROCESSES = ("Sentence", "Picture")
LENGTH, STEP, SECOND = 32, 0.5, 16
"""Images per trial, seconds between them, and the image at which the second stimulus comes."""
NOISE, DELAY = 2.5, 8
CUTS = (2, 2, 4)


@dataclass(frozen=True, slots=True)
class Brain:
    """How a stand-in is drawn.

    grid       voxels per axis
    clusters   true clusters per axis: blocks of the grid
    amplitude  of responses; scales of voxels are amplitude · N(1, 0.6)
    orders     trials that begin with the sentence, and as many that begin with the picture
    """

    grid: tuple[int, int, int] = (8, 8, 4)
    clusters: tuple[int, int, int] = (2, 2, 1)
    amplitude: float = 3.0
    orders: int = 20


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """Trials, onsets, and the truth behind them.

    clusters  (voxels,) the true cluster of each
    courses   (clusters, processes, times); scales (processes, voxels)
    """

    trials: Trials
    onsets: tuple[Onset, ...]
    clusters: Ints
    courses: Floats
    scales: Floats


def draw(brain: Brain, random: np.random.Generator) -> Drawn:
    """Trials of a stand-in: odd ones begin with the sentence."""
    places = np.stack(np.meshgrid(*map(np.arange, brain.grid), indexing="ij"), -1).reshape(-1, 3)
    where = places * np.array(brain.clusters) // np.array(brain.grid)
    clusters = np.unique(where, axis=0, return_inverse=True)[1].reshape(-1)
    many = int(clusters.max()) + 1
    courses = np.array([[response(random) for _ in PROCESSES] for _ in range(many)])
    voxels = len(places)
    scales = brain.amplitude * random.normal(1.0, 0.6, (len(PROCESSES), voxels))
    values, onsets = {}, []
    for at in range(2 * brain.orders):
        name = str(at + 1)
        starts = (0, SECOND) if at % 2 == 0 else (SECOND, 0)
        shown = random.normal(0.0, NOISE, (LENGTH, voxels))
        for process, start in enumerate(starts):
            course = courses[clusters, process].T * scales[process]
            shown[start:] += course[: LENGTH - start]
            onsets.append(Onset(PROCESSES[process], name, start * STEP))
        values[name] = shown
    trials = Trials(
        values,
        tuple(f"v{at + 1}" for at in range(voxels)),
        step=STEP,
        places=places.astype(np.float64),
        source="a stand-in",
    )
    return Drawn(trials, tuple(onsets), clusters, courses, scales)


def response(random: np.random.Generator) -> Floats:
    """A course of blood flow: t^a e^(-t/b), highest at 1, less a delayed share of itself."""
    a, b, share = random.uniform(2, 6), random.uniform(0.6, 1.5), random.uniform(0, 0.6)
    times = STEP * np.arange(LENGTH)
    course = times**a * np.exp(-times / b)
    course /= course.max()
    late = np.concatenate([np.zeros(DELAY), course[:-DELAY]])
    return np.asarray(course - share * late)


def of_orders(drawn: Drawn, trials: int) -> Trials:
    """The first so many trials: half of them of each order."""
    return drawn.trials.take(drawn.trials.names[:trials])


def scores(drawn: Drawn, trials: int, share: Share) -> tuple[float, int]:
    """The average log score of held-out trials, and how many groups there are. [Sec. 8.3.2]"""
    chosen = of_orders(drawn, trials)
    kept = set(chosen.names)
    onsets = tuple(each for each in drawn.onsets if each.trial in kept)
    told = HiddenProcesses(LENGTH, onsets, share=share, tolerance=1e-7)
    fit = told.fit(chosen, folds=trials // 2, seed=1, progress=False)
    assert fit.score is not None
    return fit.score.average, len(fit.groups)


def partition() -> Partition:
    """The search of the source."""
    return Partition(CUTS)
