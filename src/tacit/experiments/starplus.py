"""The scans of the paper, for those who have the file: StarPlus, subject 04847, as Matlab wrote it.

The file is public and large, and no part of this package: "StarPlus fMRI data" of Carnegie Mellon
University. Its variables: `info`, per segment its condition and first stimulus; `data`, per segment
images by voxels; `meta`, places of voxels and regions of interest. [Niculescu 2005, section 8.3]
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import FormatError, OptionError
from tacit.core.trials import Onset, Trials
from tacit.experiments.niculescu_brain import LENGTH, PROCESSES, SECOND, STEP, Drawn

FILE = "data-starplus-04847-v7.mat"
DAMAGED = (KeyError, AttributeError, ValueError, TypeError, IndexError, NotImplementedError)
TASK = (2, 3)
"""Conditions of segments in which a sentence was read; others are rest, or to be ignored."""


def scans(folder: Path | None) -> Drawn | None:
    """All regions of the file in this folder; None without a folder, an error without the file."""
    if folder is None:
        return None
    path = folder / FILE
    if not path.is_file():
        raise OptionError(
            f"there is no file {FILE} in {folder}\n\nit is the public StarPlus data set of subject "
            "04847; leave --data out to draw a stand-in"
        )
    return read(path)


def read(path: Path) -> Drawn:
    """The segments of the task as trials of 32 images, voxels with their places and regions."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        held = loadmat(path, squeeze_me=True, struct_as_record=False)
        info, data, meta = (held[name] for name in ("info", "data", "meta"))
        home = _regions(meta)
        voxels = np.array(sorted(home), dtype=np.int64)
        places = np.asarray(meta.colToCoord, dtype=np.float64)[voxels]
        values: dict[str, Floats] = {}
        onsets: list[Onset] = []
        for told, images in zip(np.atleast_1d(info), np.atleast_1d(data), strict=True):
            if int(told.cond) in TASK:
                name = str(len(values) + 1)
                values[name] = np.asarray(images, dtype=np.float64)[:LENGTH, voxels]
                starts = (0, SECOND) if str(told.firstStimulus) == "S" else (SECOND, 0)
                onsets += [
                    Onset(process, name, start * STEP)
                    for process, start in zip(PROCESSES, starts, strict=True)
                ]
    except (*DAMAGED, MatReadError) as bad:
        raise FormatError(f"{path}: these are no scans of StarPlus ({bad!r})") from None
    if not values:
        raise FormatError(f"{path}: there is no trial in which a sentence was read")
    trials = Trials(
        values,
        tuple(f"v{at}" for at in voxels),
        step=STEP,
        places=places,
        regions=tuple(home[int(at)] for at in voxels),
        source=path.name,
    )
    nobody = np.zeros(len(voxels), dtype=np.int64)
    return Drawn(trials, tuple(onsets), nobody, np.zeros((0, 0, 0)), np.zeros((0, 0)))


def _regions(meta: Any) -> dict[int, str]:
    """The region of every voxel that is in one; the first that names it."""
    home: dict[int, str] = {}
    for region in np.atleast_1d(meta.rois):
        for column in np.atleast_1d(region.columns):
            home.setdefault(int(column) - 1, str(region.name))
    return home


def region(brain: Drawn, name: str) -> Drawn:
    """One region of it, trials of either order in turn."""
    trials = brain.trials
    assert trials.regions is not None
    chosen = [
        each for each, home in zip(trials.series, trials.regions, strict=True) if home == name
    ]
    if not chosen:
        raise FormatError(f"{trials.source}: there is no region {name!r}")
    first = {one.trial for one in brain.onsets if one.process == PROCESSES[0] and one.time == 0}
    orders = [
        [each for each in trials.names if (each in first) == begin] for begin in (True, False)
    ]
    turn = [each for pair in zip(*orders, strict=False) for each in pair]
    kept = tuple(one for one in brain.onsets if one.trial in set(turn))
    some = trials.select(chosen).take(turn)
    return Drawn(some, kept, brain.clusters[: len(chosen)], brain.courses, brain.scales)
