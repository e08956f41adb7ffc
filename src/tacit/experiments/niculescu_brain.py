"""A stand-in for a brain that reads sentences and looks at pictures: series drawn from a truth.

A grid of voxels in blocks; in each block both processes have a course shaped like a response of
blood flow, and every voxel its own scale. [Niculescu 2005, section 8.3; generator of section 7]
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.core.trials import Onset, Trials
from tacit.learn.processes.fitted import ProcessFit
from tacit.learn.processes.settings import HiddenProcesses, Share

PROCESSES = ("Sentence", "Picture")
LENGTH, STEP, SECOND = 32, 0.5, 16
"""Images per trial, seconds between them, and the image at which the second stimulus comes."""
NOISE, DELAY = 2.5, 8
CUTS = (2, 2, 4)
TOLERANCE = 1e-7


@dataclass(frozen=True, slots=True)
class Brain:
    """How a stand-in is drawn.

    grid       voxels per axis
    clusters   true clusters per axis: blocks of the grid
    amplitude  of responses; scales of voxels are amplitude · N(1, 0.6)
    voxels     how many of the grid there are; all if not given
    """

    grid: tuple[int, int, int] = (8, 8, 4)
    clusters: tuple[int, int, int] = (2, 2, 1)
    amplitude: float = 3.0
    voxels: int | None = None


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

    def first(self, trials: int) -> Drawn:
        """Only the first so many trials: half of them of each order."""
        kept = self.trials.names[:trials]
        onsets = tuple(each for each in self.onsets if each.trial in set(kept))
        return Drawn(self.trials.take(kept), onsets, self.clusters, self.courses, self.scales)

    def fit(self, share: Share) -> ProcessFit:
        """Processes under one way of sharing, a trial of each order held out in turn."""
        told = HiddenProcesses(LENGTH, self.onsets, share=share, tolerance=TOLERANCE)
        return told.fit(self.trials, folds=len(self.trials) // 2, seed=1, progress=False)


def draw(brain: Brain, orders: int, random: np.random.Generator, name: str = "v") -> Drawn:
    """Trials of a stand-in, so many of each order: odd ones begin with the sentence."""
    places = np.stack(np.meshgrid(*map(np.arange, brain.grid), indexing="ij"), -1).reshape(-1, 3)
    places = places[: brain.voxels]
    where = places * np.array(brain.clusters) // np.array(brain.grid)
    clusters = np.unique(where, axis=0, return_inverse=True)[1].reshape(-1)
    many, voxels = int(clusters.max()) + 1, len(places)
    courses = np.array([[response(random) for _ in PROCESSES] for _ in range(many)])
    scales = brain.amplitude * random.normal(1.0, 0.6, (len(PROCESSES), voxels))
    values, onsets = {}, []
    for at in range(2 * orders):
        starts = (0, SECOND) if at % 2 == 0 else (SECOND, 0)
        shown = random.normal(0.0, NOISE, (LENGTH, voxels))
        for process, start in enumerate(starts):
            course = courses[clusters, process].T * scales[process]
            shown[start:] += course[: LENGTH - start]
            onsets.append(Onset(PROCESSES[process], str(at + 1), start * STEP))
        values[str(at + 1)] = shown
    trials = Trials(
        values,
        tuple(f"{name}{at + 1}" for at in range(voxels)),
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


def average(fit: ProcessFit) -> float:
    """The average log score of trials that were held out."""
    assert fit.score is not None
    return fit.score.average
