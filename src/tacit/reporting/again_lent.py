"""Sources in the last section: the call and the command that borrow again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.io.formats import is_network_file
from tacit.learn.fits import Fit
from tacit.reporting.loans import LOANED

WAYS = {"BestFragment": "best", "Mixture": "mixture", "Aggregate": "aggregate", "Pool": "pool"}
WORDS = {
    "fusion='normal'": "normal",
    "printed=True": "printed",
    "guided=True": "guided",
    "learned=False": "apart",
    "check='strict'": "strict",
    "check='none'": "unchecked",
    "states='aggregate'": "together",
    "states='relabel'": "relabel",
    "parents='align'": "align",
    "variant='distance'": "distance",
    "variant='linear'": "linear",
    "variant='logarithmic'": "logarithmic",
}
"""Settings of a transfer, and their words on the command line."""


def own_prior(settings: Mapping[str, Any]) -> str:
    """The prior as it was given, before anything was borrowed."""
    return str(settings["prior"]).removesuffix(LOANED)


def sources_python(fit: Fit) -> tuple[list[str], list[str]]:
    """Lines that name the sources, and arguments of the call; none where there are none."""
    if "sources" not in fit.settings:
        return [], []
    lines = ["sources = ["]
    for name, said in fit.settings["sources"].items():
        given, remark = _data(said["data"])
        words = [given, f"name={name!r}"]
        words += [
            f"{key}={said[key]!r}" for key in ("structure", "strength", "related") if key in said
        ]
        lines.append(f"    tc.Source({', '.join(words)}),{remark}")
    how = str(fit.settings["transfer"]).replace("NormalPrior(", "tc.NormalPrior(")
    return [*lines, "]"], ["sources=sources", f"transfer=tc.{how}"]


def _data(data: str) -> tuple[str, str]:
    """The file as Python writes it, or dots and a remark about what stood there."""
    if is_data_file(data):
        return repr(data), ""
    return "...", f"  # {' '.join(data.split())}"


def is_data_file(data: str) -> bool:
    """Whether this names a file of cases or of a network."""
    name = data.lower().removesuffix(".gz")
    return "\n" not in data and (name.endswith(_FILES) or is_network_file(data))


_FILES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")


def sources_words(fit: Fit) -> list[str] | None:
    """`--source Leeds=leeds.csv --transfer best`; None where the command line has no words."""
    if "sources" not in fit.settings:
        return []
    words = []
    for name, said in fit.settings["sources"].items():
        told = _source_word(name, said)
        if told is None:
            return None
        words += ["--source", told]
    how = _transfer_word(str(fit.settings["transfer"]))
    return None if how is None else [*words, "--transfer", how]


def _source_word(name: str, said: Mapping[str, Any]) -> str | None:
    clear = not re.search(r'[=/\\@"]', name) and not re.search(r"[=:@]", said["data"])
    if "related" in said or not clear:
        return None
    file = said["data"] if is_data_file(said["data"]) else name.upper().replace(" ", "_")
    strength = f":{said['strength']:g}" if "strength" in said else ""
    structure = f"@{said['structure']}" if "structure" in said else ""
    return f"{name}={file}{strength}{structure}"


def _transfer_word(described: str) -> str | None:
    kind, _, said = described.removesuffix(")").partition("(")
    words = []
    for setting in filter(None, said.split(", ")):
        name, _, value = setting.partition("=")
        if setting in WORDS:
            words.append(WORDS[setting])
        elif name in ("threshold", "strength"):
            words.append(value)
        else:
            return None
    if kind not in WAYS:
        return None
    return f"{WAYS[kind]}:{','.join(words)}" if words else WAYS[kind]
