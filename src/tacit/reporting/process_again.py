"""The command that learns hidden processes again."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from typing import Any

from tacit.core.errors import quoted
from tacit.learn.processes.fitted import ProcessFit
from tacit.learn.processes.settings import SHARES, HiddenProcesses

_PARTITION = re.compile(r"Partition\(cuts=(.+), look_ahead=(\d+), nested=(True|False)\)")
_MERGING = re.compile(r"Merging\(start=None, neighbours=(\d+), slack=(.+), nested=(True|False)\)")


def command(fit: ProcessFit) -> str | None:
    """`tacit processes TRIALS ...`; None where the command line has no words for what was asked:
    groups by name, merges that begin from cells, climbs that end otherwise."""
    said = fit.settings
    share = _share(said["share"])
    usual = {each.name: each.default for each in fields(HiddenProcesses)}
    unusual = any(said[name] != usual[name] for name in ("tolerance", "max_steps"))
    if share is None or unusual or not fit.source:
        return None
    words = ["tacit", "processes", fit.source, "--onsets", "onsets.csv"]
    for name, many in fit.processes.items():
        words += ["--length", f"{quoted(name)}={many}"]
    if fit.places is not None or fit.regions is not None:
        words += ["--places", "places.csv"]
    words += share
    for option in ("noise", "baseline", "restarts", "folds"):
        words += [f"--{option}", str(said[option])]
    words += ["--level", f"{fit.level:g}", "--seed", str(fit.seed)]
    return shlex.join([*words, "-o", "learned.json", "--report", "report.html"])


def _share(said: Any) -> list[str] | None:
    """`--share ...` with all that belongs to it."""
    if said in SHARES:
        return ["--share", str(said)]
    told = str(said)
    if (cut := _PARTITION.fullmatch(told)) is not None:
        cuts = [] if cut[1] == "None" else ["--cuts", re.sub(r"[() ]", "", cut[1]).rstrip(",")]
        words = ["--share", "partition", *cuts, "--look-ahead", cut[2]]
        return [*words, *([] if cut[3] == "True" else ["--flat"])]
    if (merge := _MERGING.fullmatch(told)) is not None:
        words = ["--share", "merge", "--neighbours", merge[1], "--slack", merge[2]]
        return [*words, *([] if merge[3] == "True" else ["--flat"])]
    return None
