"""Trials drawn from known processes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import tacit as tc


@dataclass(frozen=True)
class Planted:
    """Trials as values, as what the oracles take, and the truth."""

    trials: tc.Trials
    onsets: tuple[tc.Onset, ...]
    plain: list
    lengths: tuple[int, ...]
    courses: np.ndarray
    scales: np.ndarray

    @property
    def told(self):
        return {f"p{at}": length for at, length in enumerate(self.lengths)}


def planted(
    lengths=(6, 5),
    series=7,
    trials=8,
    times=12,
    noise=0.5,
    missing=0.0,
    seed=0,
    jitter=0,
    groups=None,
    uneven=False,
):
    """Two orders of onsets in turn, `jitter` moves them; groups: the group of every series."""
    random = np.random.default_rng(seed)
    groups = np.zeros(series, dtype=int) if groups is None else np.asarray(groups)
    series = len(groups)
    courses = random.standard_normal((groups.max() + 1, sum(lengths)))
    scales = random.normal(1.0, 0.5, (len(lengths), series))
    owner = np.repeat(np.arange(len(lengths)), lengths)
    values, onsets, plain = {}, [], []
    for at in range(trials):
        long = times + (at % 3 if uneven else 0)
        starts = [(k, (times // 2) * ((k + at) % 2)) for k in range(len(lengths))]
        starts = [(k, s + int(random.integers(-jitter, jitter + 1))) for k, s in starts]
        shown = noise * random.standard_normal((long, series))
        for k, start in starts:
            for tau in range(lengths[k]):
                if 0 <= start + tau < long:
                    column = np.flatnonzero(owner == k)[tau]
                    shown[start + tau] += courses[groups, column] * scales[k]
            onsets.append(tc.Onset(f"p{k}", str(at + 1), float(start)))
        shown[random.random(shown.shape) < missing] = np.nan
        values[str(at + 1)] = shown
        plain.append((shown, starts))
    names = tuple(f"s{at}" for at in range(series))
    return Planted(tc.Trials(values, names), tuple(onsets), plain, lengths, courses, scales)
