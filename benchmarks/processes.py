"""Hidden processes: 5000 series in 40 trials of 32 measurements, beside numpy series by series.

python benchmarks/processes.py         into benchmarks/RESULTS.md
python benchmarks/processes.py --dry   printed only
"""

from __future__ import annotations

import argparse
import time

import numpy as np

import tacit as tc
from results import write_section
from tacit.experiments.niculescu_brain import CUTS, LENGTH, Brain, Drawn, draw
from timing import Memory, clock, machine, table

SERIES, ORDERS = 5_000, 20
GRID = (25, 25, 8)
"""25 x 25 x 8 = 5000 places in 4 x 4 x 4 clusters."""


def brain() -> Drawn:
    """Trials of the stand-in of `tacit reproduce niculescu2005-hpm`, larger."""
    random = np.random.default_rng(1)
    return draw(Brain(GRID, (4, 4, 4), 1.5), ORDERS, random)


def dense(drawn: Drawn) -> tuple[np.ndarray, np.ndarray]:
    """The 0/1 design of all trials below each other, and the measurements."""
    names = drawn.trials.names
    design = np.zeros((len(names) * LENGTH, 2 * LENGTH))
    for onset in drawn.onsets:
        first, start = LENGTH * names.index(onset.trial), round(onset.time / drawn.trials.step)
        process = ("Sentence", "Picture").index(onset.process)
        for tau in range(LENGTH - start):
            design[first + start + tau, LENGTH * process + tau] = 1.0
    return design, np.concatenate([drawn.trials[name] for name in names])


def series_by_series(design: np.ndarray, values: np.ndarray) -> np.ndarray:
    """What one would write first: numpy's least squares for every series."""
    columns = [np.linalg.lstsq(design, x, rcond=None)[0] for x in values.T]
    return np.stack(columns, axis=1)


def fits(drawn: Drawn) -> str:
    """Seconds by what is shared."""
    design, values = dense(drawn)
    rows = []

    def told(share: object, folds: int, trials: tc.Trials = drawn.trials) -> tc.ProcessFit:
        processes = tc.HiddenProcesses(LENGTH, drawn.onsets, share=share, tolerance=1e-7)
        return processes.fit(trials, folds=folds, seed=1, progress=False)

    gaps = _with_gaps(drawn.trials)
    plain = clock(lambda: series_by_series(design, values), most=1)
    at_once = clock(lambda: np.linalg.lstsq(design, values, rcond=None), most=3)
    ours = told("none", 0)
    theirs = np.linalg.lstsq(design, values[:, :1], rcond=None)[0][:, 0]
    same = np.concatenate([ours.course(name, "v1") for name in ours.processes])
    assert np.allclose(same, theirs, atol=1e-8)
    rows += [
        ("numpy lstsq, series by series", *_row(plain)),
        ("numpy lstsq, all series in one call", *_row(at_once)),
    ]
    for title, work in (
        ("own courses", lambda: told("none", 0)),
        ("own courses, 20 folds held out", lambda: told("none", 20)),
        ("one group", lambda: told("all", 0)),
        ("one group, 20 folds held out", lambda: told("all", 20)),
        ("one group, 1% of measurements missing at random", lambda: told("all", 0, gaps)),
        ("a partition chosen by 20 folds", lambda: told(tc.Partition(CUTS, nested=False), 20)),
    ):
        with Memory() as memory:
            best = clock(work, most=3, patience=4)
        extra = "?" if memory.extra is None else f"{memory.extra / 2**20:,.0f}"
        rows.append((f"Tacit, {title}", *_row(best)[:2], extra))
    return table(("work", "wall, s", "CPU, s", "memory, MiB"), rows)


def _row(timing: object) -> tuple[str, str, str]:
    return f"{timing.wall:.2f}", f"{timing.cpu:.2f}", ""


def _with_gaps(trials: tc.Trials) -> tc.Trials:
    random = np.random.default_rng(2)
    values = {
        name: np.where(random.random(array.shape) < 0.01, np.nan, array)
        for name, array in trials.values.items()
    }
    return tc.Trials(values, trials.series, step=trials.step)


def main() -> None:
    """Print the section, and write it unless told otherwise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dry", action="store_true")
    dry = parser.parse_args().dry
    begun, drawn = time.perf_counter(), brain()
    lines = [
        "## Hidden processes",
        "",
        f"`benchmarks/processes.py`, {machine(('numpy', 'scipy'))}.",
        f"{SERIES:,} series, {2 * ORDERS} trials of {LENGTH} measurements, two processes of "
        f"{LENGTH}; 6.4 million measurements. The goal was 30 s for the whole fit. All fits give "
        "courses with intervals, scales, noise and the log-likelihood; numpy gives courses only. "
        "One group is alternating least squares from two starts.",
        "",
        fits(drawn),
        "",
        f"Measured in {time.perf_counter() - begun:.0f} s, beside other work on the same machine: "
        "CPU seconds tell more than wall seconds.",
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if not dry:
        write_section("processes", text)


if __name__ == "__main__":
    main()
