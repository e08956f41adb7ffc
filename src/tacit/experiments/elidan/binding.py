"""Motifs in sequences: which word do the sequences share that a protein binds to?

A sequence is bound with log odds log(v / K Σ over windows exp Σ w[position, letter]), K letters
long; the matrix w and v are learned from labels. [Elidan 2004, section 3.6; HV1 2.7]
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np

from tacit.arrays import Codes, Floats, Ints
from tacit.experiments.elidan.sequences import Sequences
from tacit.experiments.elidan.words import LETTERS, SEED, words

LENGTH = 20
"""Positions of the matrix."""
WORD = 5
"""Windows are added up in words of so many letters: a table of 4^5 scores for each."""
FIRST, MOST = 0.25, 20
"""The first step of a search along a line, and how often it is doubled or halved at most."""
LONGEST, FLAT = 300, 1e-3
"""Conjugate gradients end after so many steps, or at such a slope per sequence."""
PRESENT, ABSENT = 1.5, -0.5
"""The matrix at the letters of the seed, and at the others there; the flanks are 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Motif:
    """The hypothesis: a matrix (positions, letters) and log v; what it says of every sequence.

    fits  (sequences,) log P(label); kept, since annealing asks for it after every step
    """

    matrix: Floats
    log_v: float
    fits: Floats

    @property
    def consensus(self) -> Ints:
        """The highest letter at every position."""
        highest: Ints = np.argmax(self.matrix, axis=1)
        return highest

    @property
    def flat(self) -> Floats:
        """All parameters in a row, log v the last."""
        return np.append(self.matrix, self.log_v)


@dataclass(slots=True)
class Tally:
    """How often all sequences were gone through: what learners are to have equally much of."""

    passes: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """Sequences whose labels are to be explained, as a problem of annealing.

    codes    (sequences, positions) the word of `WORD` letters at each position
    labels   (sequences,) 1 where bound
    weights  (sequences,) all 1
    letters  the length of a sequence
    tally    counts all passes
    """

    codes: Codes
    labels: Floats
    weights: Floats
    letters: int
    tally: Tally = field(default_factory=Tally)

    @staticmethod
    def of(sequences: Sequences) -> Binding:
        """Each sequence counts once."""
        labels = sequences.bound.astype(np.float64)
        codes = words(sequences.letters, WORD)
        return Binding(codes, labels, np.ones(labels.size), sequences.letters.shape[1])

    def optimise(self, weights: Floats, hypothesis: Motif) -> Motif:
        """One search along the gradient of the weighted objective. [HV1 2.7]

        The step doubles while that helps, or halves until it does; a parabola through the last
        three settles it.
        """
        here = hypothesis.flat
        _, slope = self.slope(here, weights)
        size = float(np.abs(slope).max())
        if size == 0.0:
            return hypothesis
        along = slope / size

        def height(step: float) -> float:
            return float(weights @ self.motif(here + step * along).fits)

        return self.motif(here + best_step(height, float(weights @ hypothesis.fits)) * along)

    def finish(self, hypothesis: Motif) -> Motif:
        """Conjugate gradients with even weights, from here."""
        from scipy.optimize import minimize

        cases = self.labels.size

        def falling(here: Floats) -> tuple[float, Floats]:
            value, slope = self.slope(here, self.weights)
            return -value / cases, -slope / cases

        found = minimize(
            falling,
            hypothesis.flat,
            jac=True,
            method="CG",
            options={"maxiter": LONGEST, "gtol": FLAT},
        )
        return self.motif(found.x)

    def gradient(self, weights: Floats, hypothesis: Motif) -> Floats:
        """log P(label) of every sequence."""
        del weights
        return hypothesis.fits

    def objective(self, hypothesis: Motif) -> float:
        """The log-likelihood of the labels."""
        return float(self.weights @ hypothesis.fits)

    @staticmethod
    def seeded(word: Ints) -> Floats:
        """The matrix of a word in the middle."""
        matrix = np.zeros((LENGTH, LETTERS))
        first = (LENGTH - SEED) // 2
        matrix[first : first + SEED] = ABSENT
        matrix[first + np.arange(SEED), word] = PRESENT
        return matrix

    def settled(self, matrix: Floats) -> Motif:
        """A matrix with the v that gives the middle sequence the odds of a label."""
        every = replace(self, labels=np.ones_like(self.labels))
        bound = float(self.labels.mean())
        odds = -np.log(np.expm1(-every.motif(np.append(matrix, 0.0)).fits))
        return self.motif(np.append(matrix, np.log(bound / (1 - bound)) - np.median(odds)))

    def motif(self, here: Floats) -> Motif:
        """The hypothesis at these parameters, log v the last."""
        fits, _, _ = self._pass(here, self.weights, slope=False)
        return Motif(here[:-1].reshape(LENGTH, LETTERS), float(here[-1]), fits)

    def slope(self, here: Floats, weights: Floats) -> tuple[float, Floats]:
        """The weighted log-likelihood, and its derivatives by all parameters, log v the last."""
        fits, slopes, by_v = self._pass(here, weights, slope=True)
        by_letter = slopes.reshape(-1, *(LETTERS,) * WORD)
        axes = range(1, WORD + 1)
        parts = [by_letter.sum(axis=tuple(set(axes) - {axis})) for axis in axes]
        return float(weights @ fits), np.append(np.stack(parts, axis=1), by_v)

    def _pass(self, here: Floats, weights: Floats, *, slope: bool) -> tuple[Floats, Floats, float]:
        """log P(label), the slopes by the scores of all words, the slope by log v."""
        from tacit.kernels.windows import add_windows

        self.tally.passes += 1
        scores = _scores(here[:-1].reshape(LENGTH, LETTERS))
        most = scores.max(axis=1, keepdims=True)
        scores -= most
        fits, slopes = np.empty(self.labels.size), np.zeros_like(scores)
        offset = float(here[-1] - np.log(self.letters) + most.sum())
        by_v = add_windows(
            self.codes,
            WORD,
            scores,
            np.exp(scores),
            offset,
            self.labels,
            weights,
            np.empty(self.codes.shape[1]),
            fits,
            slopes,
            slope,
        )
        return fits, slopes, by_v


def _scores(matrix: Floats) -> Floats:
    """(words of a window, words there are) what each word adds to the score of a window."""
    parts = matrix.reshape(-1, WORD, LETTERS)
    scores = np.zeros((len(parts), *(LETTERS,) * WORD))
    for position in range(WORD):
        shape = [1] * WORD
        shape[position] = LETTERS
        scores += parts[:, position].reshape(-1, *shape)
    return scores.reshape(len(parts), -1)


def best_step(height: Callable[[float], float], here: float) -> float:
    """How far to go: the highest place seen on the way, or 0 where no step leads higher.

    The step doubles while that leads higher, or halves until it does; a parabola through the last
    three places is asked once.
    """
    low, step, high = (0.0, here), (FIRST, height(FIRST)), (2 * FIRST, -np.inf)
    halvings = doublings = 0
    while step[1] <= here and halvings < MOST:
        high, step = step, (step[0] / 2, height(step[0] / 2))
        halvings += 1
    while not halvings and doublings < MOST:
        high = (2 * step[0], height(2 * step[0]))
        if high[1] <= step[1]:
            break
        low, step = step, high
        doublings += 1
    if step[1] <= here:
        return 0.0
    top = _vertex(low, step, high)
    return max((step, (top, height(top))), key=lambda place: place[1])[0]


def _vertex(*places: tuple[float, float]) -> float:
    """Where a parabola through three places, the middle one the highest, has its top."""
    (x0, y0), (x1, y1), (x2, y2) = places
    left, right = (x1 - x0) * (y1 - y2), (x1 - x2) * (y1 - y0)
    if left == right or not np.isfinite([y0, y2]).all():
        return x1
    return x1 - ((x1 - x0) * left - (x1 - x2) * right) / (2 * (left - right))
