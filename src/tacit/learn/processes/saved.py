"""A fit of hidden processes as JSON, and back: everything but the measurements."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.core.errors import FormatError, TacitError
from tacit.core.reading import Reading
from tacit.core.trials import Onset
from tacit.io.files import read_text, write_whole
from tacit.learn.fits import Stop
from tacit.learn.processes.fitted import PER_PROCESS, ProcessFit, ProcessGroup
from tacit.learn.processes.splitting import Cell
from tacit.learn.processes.validation import HeldOut

FORMAT, VERSION = "tacit-processes", 1


def save_processes(fit: ProcessFit, path: str | Path) -> None:
    """Write the fit whole or not at all; packed if the name ends in .gz."""
    plain = _strict(to_plain(fit))
    write_whole(path, json.dumps(plain, ensure_ascii=False, allow_nan=False) + "\n")


def load_processes(path: str | Path) -> ProcessFit:
    """The fit of hidden processes that `ProcessFit.save` or `tacit processes -o` wrote."""
    try:
        plain = json.loads(read_text(path))
    except (json.JSONDecodeError, RecursionError):
        plain = None
    if not isinstance(plain, dict) or plain.get("format") != FORMAT:
        raise FormatError(
            f"{path}: these are no saved processes, or the file was cut short; "
            "`tacit processes -o` writes them"
        )
    if plain.get("version") != VERSION:
        raise FormatError(
            f"{path}: version {plain.get('version')!r} of saved processes is not known here; "
            f"this release reads version {VERSION}"
        )
    try:
        return from_plain(plain)
    except TacitError as problem:
        raise FormatError(f"{path}: {problem}") from None
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise FormatError(f"{path}: the saved processes are damaged ({problem!r})") from None


def are_processes(path: str | Path) -> bool:
    """Whether a file begins as saved processes do."""
    return f'"format": "{FORMAT}"' in read_text(path)[:200]


def to_plain(fit: ProcessFit) -> dict[str, Any]:
    """The fit as JSON holds it, numbers that are not finite aside."""
    score = fit.score
    return {
        "format": FORMAT,
        "version": VERSION,
        "processes": dict(fit.processes),
        "groups": [_group_plain(group) for group in fit.groups],
        "series": list(fit.series),
        "onsets": [asdict(each) for each in fit.onsets],
        "found": [{**asdict(each), "probability": chance} for each, chance in fit.found],
        "score": None if score is None else score.to_plain(),
        "cells": [cell.to_plain() for cell in fit.cells],
        "merges": [
            {"one": list(one), "other": list(other), "gain": gain}
            for one, other, gain in fit.merges
        ],
        "log_likelihood": fit.log_likelihood,
        "parameters": fit.parameters,
        "aic": fit.aic,
        "bic": fit.bic,
        "measurements": fit.measurements,
        "missing": fit.missing,
        "trials": list(fit.trials),
        "step": fit.step,
        "level": fit.level,
        "factor": fit.factor,
        "stop": fit.stop.name,
        "trace": list(fit.trace),
        "settings": dict(fit.settings),
        "seed": fit.seed,
        "notes": list(fit.notes),
        "fingerprint": fit.fingerprint,
        "source": fit.source,
        "places": None if fit.places is None else fit.places.tolist(),
        "regions": None if fit.regions is None else list(fit.regions),
        "reading": None if fit.reading is None else fit.reading.to_plain(),
    }


def _group_plain(group: ProcessGroup) -> dict[str, Any]:
    arrays = {
        name: {process: each.tolist() for process, each in getattr(group, name).items()}
        for name in PER_PROCESS
    }
    return {
        "name": group.name,
        "series": list(group.series),
        **arrays,
        "noise": group.noise.tolist(),
        "log_likelihood": group.log_likelihood,
        "trace": list(group.trace),
        "stop": group.stop.name,
    }


def from_plain(plain: Mapping[str, Any]) -> ProcessFit:
    """The fit that `to_plain` described."""
    score = plain["score"]
    processes = {str(name): int(length) for name, length in plain["processes"].items()}
    return ProcessFit(
        processes=processes,
        groups=tuple(_group(each, processes) for each in plain["groups"]),
        series=tuple(map(str, plain["series"])),
        onsets=tuple(map(_onset, plain["onsets"])),
        found=tuple((_onset(each), float(each["probability"])) for each in plain["found"]),
        score=None
        if score is None
        else HeldOut(
            tuple(map(tuple, score["folds"])),
            tuple(map(float, score["scores"])),
            bool(score["nested"]),
        ),
        cells=tuple(map(_cell, plain["cells"])),
        merges=tuple(
            (tuple(each["one"]), tuple(each["other"]), float(each["gain"]))
            for each in plain["merges"]
        ),
        log_likelihood=float(plain["log_likelihood"]),
        parameters=int(plain["parameters"]),
        measurements=int(plain["measurements"]),
        missing=int(plain["missing"]),
        trials=tuple(map(str, plain["trials"])),
        step=float(plain["step"]),
        level=float(plain["level"]),
        factor=float(plain["factor"]),
        stop=Stop[plain["stop"]],
        trace=tuple(map(float, plain["trace"])),
        settings=dict(plain["settings"]),
        seed=int(plain["seed"]),
        notes=tuple(map(str, plain["notes"])),
        fingerprint=str(plain["fingerprint"]),
        source=str(plain["source"]),
        places=None if plain["places"] is None else _reals(plain["places"]),
        regions=None if plain["regions"] is None else tuple(map(str, plain["regions"])),
        reading=Reading.kept_in(plain),
    )


def _group(plain: Mapping[str, Any], processes: Mapping[str, int]) -> ProcessGroup:
    series = tuple(map(str, plain["series"]))
    arrays = {
        name: {process: _reals(plain[name][process]) for process in processes}
        for name in PER_PROCESS
    }
    for name, expected in (("courses", processes), ("course_sd", processes)):
        if any(arrays[name][each].shape != (length,) for each, length in expected.items()):
            raise ValueError(f"{name} of group {plain['name']!r} have another length")
    if any(arrays["scales"][each].shape != (len(series),) for each in processes):
        raise ValueError(f"scales of group {plain['name']!r} are not one per series")
    return ProcessGroup(
        str(plain["name"]),
        series,
        **arrays,
        noise=_reals(plain["noise"]),
        log_likelihood=float(plain["log_likelihood"]),
        trace=tuple(map(float, plain["trace"])),
        stop=Stop[plain["stop"]],
    )


def _onset(plain: Mapping[str, Any]) -> Onset:
    series = plain["series"]
    return Onset(
        str(plain["process"]),
        str(plain["trial"]),
        float(plain["time"]),
        float(plain["earliest"]),
        float(plain["latest"]),
        float(plain["sd"]),
        None if series is None else tuple(series),
    )


def _cell(plain: Mapping[str, Any]) -> Cell:
    return Cell(
        str(plain["name"]),
        tuple(map(int, plain["series"])),
        float(plain["alone"]),
        None if plain["apart"] is None else float(plain["apart"]),
        tuple(map(_cell, plain["children"])),
        str(plain["why"]),
    )


def _reals(plain: Any) -> Floats:
    return np.array(plain, dtype=np.float64)


def _strict(value: Any) -> Any:
    """The value as every JSON reader takes it: numbers that are not finite as words, "inf"."""
    if isinstance(value, float):
        return value if isfinite(value) else str(float(value))
    if isinstance(value, Mapping):
        return {key: _strict(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(each) for each in value]
    return value
