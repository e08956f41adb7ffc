"""Sources in the last section: the call and the command that borrow again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from tacit.core.errors import listed, quoted
from tacit.core.options import exact
from tacit.core.reading import Reading
from tacit.io.formats import is_network_file
from tacit.learn.fits import Fit
from tacit.learn.origins import READING
from tacit.reporting.again_given import parsed, qualified
from tacit.reporting.again_reading import LEARNED, is_file, read_call
from tacit.reporting.again_settings import NOTHING, Said
from tacit.reporting.wording import in_line

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
ALIKE = ("missing", "weights")
KINDS = ("discrete", "continuous")
"""What the command line reads of a source as it reads it of the cases."""
IMPLIED = ("columns", "like")
"""What follows from the structure."""


def sources(fit: Fit) -> Said:
    """Whom it borrowed from."""
    if "sources" not in fit.settings:
        return NOTHING
    lines, words, unkept = ["sources = ["], list[str](), list[str]()
    lost = False
    for name, said in fit.settings["sources"].items():
        given, remark = _data(said)
        unkept += [name] if given == "..." else []
        more = (
            f"{key}={said[key]!r}" for key in ("structure", "strength", "related") if key in said
        )
        lines.append(f"    tc.Source({', '.join([given, f'name={name!r}', *more])}),{remark}")
        word = _source_word(fit, name, said)
        lost = lost or word is None
        words += [] if word is None else ["--source", word]
    remark = (
        ""
        if not unkept
        else (
            "What these sources held is not kept and belongs where dots stand, or capitals: "
            + listed(map(in_line, map(quoted, unkept)), 6)
            + "."
        )
    )
    return Said("sources", None if lost else words, [*lines, "]"], remark)


def transfer(fit: Fit) -> Said:
    """How it borrowed."""
    if "sources" not in fit.settings:
        return NOTHING
    described = str(fit.settings["transfer"])
    word = transfer_word(described)
    return Said(qualified(described), None if word is None else ["--transfer", word])


def _data(said: Mapping[str, Any]) -> tuple[str, str]:
    """What was handed over, as Python writes it, or dots and a remark about what stood there."""
    reading = _reading(said)
    if reading is not None and not ("like" in reading.options and "structure" in said):
        return read_call(reading, f"tc.read({LEARNED!r})"), ""
    if reading is None and _is_data_file(said["data"]):
        return repr(said["data"]), ""
    return "...", f"  # {' '.join(said['data'].split())}"


def _reading(said: Mapping[str, Any]) -> Reading | None:
    return Reading.from_plain(said[READING]) if READING in said else None


def _is_data_file(data: str) -> bool:
    """Whether this names a file of cases or of a network."""
    return "\n" not in data and (is_file(data) or is_network_file(data))


def _source_word(fit: Fit, name: str, said: Mapping[str, Any]) -> str | None:
    """`Leeds=leeds.csv`; None where the command line has no words, or would read otherwise."""
    clear = not re.search(r'[=/\\@"]', name) and not re.search(r"[=:@]", said["data"])
    if "related" in said or not clear or not _read_alike(fit, said):
        return None
    file = said["data"] if _is_data_file(said["data"]) else name.upper().replace(" ", "_")
    strength = f":{exact(said['strength'])}" if "strength" in said else ""
    structure = f"@{said['structure']}" if "structure" in said else ""
    return f"{name}={file}{strength}{structure}"


def _read_alike(fit: Fit, said: Mapping[str, Any]) -> bool:
    """Whether the command line, which reads sources as it reads the cases, reads this one so."""
    if is_network_file(said["data"]):
        return True
    here, there = fit.cases.reading, _reading(said)
    own = {} if here is None else here.options
    its = {} if there is None else there.options
    if any(own.get(each) != its.get(each) for each in ALIKE):
        return False
    if not set(its) <= {*ALIKE, *KINDS, *IMPLIED}:
        return False
    return all(set(its.get(each, ())) <= set(own.get(each, ())) for each in KINDS)


def transfer_word(described: str) -> str | None:
    """`BestFragment(threshold=0.8)` as `best:0.8`; None where there are no words."""
    told = parsed(described)
    if told is None or told[1] or told[0] not in WAYS:
        return None
    words = []
    for name, value in told[2].items():
        if f"{name}={value!r}" in WORDS:
            words.append(WORDS[f"{name}={value!r}"])
        elif name in ("threshold", "strength"):
            words.append(repr(value))
        else:
            return None
    return f"{WAYS[told[0]]}:{','.join(words)}" if words else WAYS[told[0]]
