"""Networks in and out of files; the suffix of the name says the format, `.gz` packs any of them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tacit.core.dag import Dag
from tacit.core.errors import FormatError, OptionError, TacitError
from tacit.core.network import Network
from tacit.io.bif import read_bif, write_bif
from tacit.io.draft import placed
from tacit.io.dsc import read_dsc, write_dsc
from tacit.io.files import LARGEST, read_text, suffix, write_whole
from tacit.io.hugin import read_net, write_net
from tacit.io.ownjson import read_json, write_json
from tacit.io.uai import read_uai, write_uai
from tacit.io.xdsl import read_xdsl, write_xdsl
from tacit.io.xmlbif import read_xmlbif, write_xmlbif
from tacit.io.xmlsafe import parse_xml

DAG_SUFFIX = ".dag"

Noted: TypeAlias = tuple[Network, tuple[str, ...]]
_log = logging.getLogger("tacit")


class Format(NamedTuple):
    """How to read a text, given also what to call it in messages, and how to write a network."""

    read: Callable[[str, str], Noted]
    write: Callable[[Network], str]


def _read_xml(text: str, where: str) -> Noted:
    """XDSL or XMLBIF, told apart by the first element."""
    document = parse_xml(text, where)
    return (read_xdsl if document.root.tag == "smile" else read_xmlbif)(document)


FORMATS: Mapping[str, Format] = {
    ".bif": Format(read_bif, write_bif),
    ".xmlbif": Format(_read_xml, write_xmlbif),
    ".bifxml": Format(_read_xml, write_xmlbif),
    ".xml": Format(_read_xml, write_xmlbif),
    ".xdsl": Format(_read_xml, write_xdsl),
    ".net": Format(read_net, write_net),
    ".dsc": Format(read_dsc, write_dsc),
    ".uai": Format(read_uai, write_uai),
    ".json": Format(read_json, write_json),
}
SUFFIXES = tuple(FORMATS)


def read(path: str | Path) -> Network:
    """The network in a file: .bif .xmlbif .xdsl .net .dsc .uai or .json, packed by gzip or not.

    Rows that miss one by no more than rounding are rescaled; `read_noted` tells which, and so does
    the log. All else that is wrong is an error that says where.
    """
    network, notes = read_noted(path)
    for note in notes:
        _log.info("%s", note)
    return network


def read_noted(path: str | Path) -> Noted:
    """The network in a file, and what was noted while reading it."""
    if is_dag_file(path):
        raise FormatError(
            f"{path}: a {DAG_SUFFIX} file holds a structure without numbers"
            "\n\nread it with read_dag, or hand it to fit"
        )
    return _format(path).read(read_text(path, _most_bytes(path)), str(path))


def write(network: Network, path: str | Path) -> None:
    """Write a network in the format that the suffix names: whole, or not at all.

    What is read back equals what was written, bit for bit; what the format cannot hold is an
    error. UAI alone loses something, the names.
    """
    if not isinstance(network, Network):
        raise OptionError(f"a network is written, not a {type(network).__name__}")
    text = _format(path).write(network)
    try:
        content = text.encode()
    except UnicodeEncodeError:
        raise FormatError(
            f"{path}: a name holds half a character, which no file can hold"
        ) from None
    write_whole(path, content)


def read_dag(path: str | Path) -> Dag:
    """The dag in a text file like `Smoker -> Cancer <- Genes`."""
    text = read_text(path, _most_bytes(path))
    try:
        return Dag.parse(text, str(path))
    except TacitError as problem:
        raise (
            problem if str(problem).startswith(str(path)) else placed(problem, str(path))
        ) from None


def is_dag_file(path: str | Path) -> bool:
    """Whether the name says that the file holds a structure without numbers."""
    return suffix(path) == DAG_SUFFIX


def is_network_file(text: str) -> bool:
    """Whether a text is the name of a file that holds a network or a dag, rather than a dag."""
    arrows = "->" in text or "<-" in text or "\n" in text
    return not arrows and suffix(text) in (*SUFFIXES, DAG_SUFFIX)


def _most_bytes(path: str | Path) -> int:
    """A file may unpack to a hundred times its size, as tables of zeros do, not to all memory."""
    try:
        packed = Path(path).stat().st_size
    except OSError:
        packed = 0
    return min(LARGEST, 64_000_000 + 100 * packed)


def _format(path: str | Path) -> Format:
    found = FORMATS.get(suffix(path))
    if found is None:
        raise FormatError(
            f"{str(path)!r}: the suffix {suffix(path)!r} names no format of networks"
            f"\n\nknown are: {' '.join(SUFFIXES)}, each also with .gz"
        )
    return found
