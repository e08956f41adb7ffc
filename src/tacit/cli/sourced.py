"""`--source` and `--transfer`: related sites as the command line names them.

[NAME=]FILE[:STRENGTH][@STRUCTURE] is a source: a file of cases or of a network, how many cases it
is worth, and the structure of its cases where that is not the one of the target. A word that is the
name of a file, or an address with `://`, is taken whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacit.cli.reading import Reading, structure_of
from tacit.core.errors import OptionError, TacitError, marked, nearest
from tacit.core.paths import is_file

if TYPE_CHECKING:
    from tacit.core.dag import Dag
    from tacit.core.network import Network
    from tacit.core.variables import Variable
    from tacit.learn.fits import Fit
    from tacit.learn.sources import Source
    from tacit.learn.transfers import Transfer

Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="[NAME=]FILE",
        help="A related site: cases, or a network and its worth, york.bif:200; repeatable.",
    ),
]
How = Annotated[
    str | None,
    typer.Option(
        "--transfer",
        metavar="HOW",
        help="How tables are borrowed: best, mixture, aggregate or pool.",
        autocompletion=lambda: list(WAYS),
    ),
]
FORMS = (
    "write leeds.csv, Leeds=leeds.csv, York=york.bif:200 for a network worth 200 cases, or"
    '\n"Leeds=leeds.csv@Smokes -> Tumour" for cases of another structure'
)


@dataclass(frozen=True, slots=True)
class Named:
    """One `--source` taken apart; strength and structure are None where nothing was said."""

    text: str
    name: str
    file: str
    strength: float | None = None
    structure: str | None = None

    @property
    def is_network(self) -> bool:
        """Whether it is a file of a network rather than of cases."""
        from tacit.io.formats import is_network_file

        return is_network_file(self.file)


def named_sources(texts: Sequence[str] | None) -> list[Named]:
    """Every `--source`, checked as far as that goes without reading; errors mark the words."""
    found: dict[str, Named] = {}
    for text in texts or ():
        named = _named(text)
        _check_network(named)
        if named.name in found:
            at = text.index(named.name)
            what = f"two sources are named {named.name!r}"
            said = marked(text, at, at + len(named.name), what, "--source")
            raise OptionError(
                f"{said}\n\ngive each a name of its own: {named.name}2={_name(text)[1]}"
            )
        found[named.name] = named
    return list(found.values())


def _named(text: str) -> Named:
    name, rest = _name(text)
    start = len(text) - len(rest)
    file, structure = _halved(rest, "@")
    if structure is not None and not structure.strip():
        raise _wrong(text, len(text) - 1, len(text), "the structure after '@' is missing")
    file, amount = _halved(file, ":")
    strength = None
    if amount is not None:
        at = start + len(file) + 1
        strength = _number(amount)
        if strength is None:
            what = f"{amount!r} is no number of cases, 0 or more"
            raise _wrong(text, at - (not amount), at + len(amount), what)
    if not file:
        raise _wrong(text, 0, len(text), "no file is named")
    return Named(text, name or Path(file.removesuffix(".gz")).stem, file, strength, structure)


def _name(text: str) -> tuple[str, str]:
    """The name before `=`, and what follows; a path is no name."""
    split = re.match(r"([^=/\\@]*)=", text)
    if split is None or is_file(text):
        return "", text
    name = split[1].strip().strip('"')
    if not name:
        raise _wrong(text, 0, split.end(), "the name before '=' is missing")
    return name, text[split.end() :]


def _halved(text: str, sign: str) -> tuple[str, str | None]:
    """What stands before and after the sign, if it parts the text."""
    file, found, more = text.partition("@") if sign == "@" else text.rpartition(":")
    if not found or "://" in text or is_file(text) or more.startswith(("/", "\\")):
        return text, None
    return file, more


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if isfinite(number) and number >= 0 else None


def _check_network(named: Named) -> None:
    if not named.is_network:
        return
    text, end = named.text, named.text.index(named.file) + len(named.file)
    start = end - len(named.file)
    if named.structure is not None:
        what = "a network has a structure of its own"
        raise _wrong(text, len(text) - len(named.structure) - 1, len(text), what)
    if named.strength is None:
        what = "a network without its cases does not say how much it is worth"
        raise _wrong(text, start, end, what)


def _wrong(text: str, start: int, end: int, what: str) -> OptionError:
    return OptionError(f"{marked(text, start, end, what, '--source')}\n\n{FORMS}")


def files_read(named: Sequence[Named]) -> Iterator[tuple[str, str]]:
    """The files that the sources name, which nothing may be written over."""
    for each in named:
        yield "--source", each.file
        if each.structure is not None:
            yield "--source", each.structure


def sources_of(
    named: Sequence[Named],
    target: Dag | Network,
    ours: Mapping[str, Variable],
    reading: Reading,
    threads: int | None,
) -> list[Source] | None:
    """The sources as `fit` takes them: cases are read as those of the target are.

    ours: the variables of the target, as far as they are known
    """
    if not named:
        return None
    return [_source(each, _asked(target, ours), reading, threads) for each in named]


def _asked(target: Dag | Network, ours: Mapping[str, Variable]) -> Dag:
    """What is asked of a source without a structure of its own: nothing with real values, for only
    tables are borrowed; everything where there is nothing else, for `fit` to refuse."""
    from tacit.core.network import Network
    from tacit.core.variables import Continuous
    from tacit.learn.source_cases import part_of

    dag, known = (target.dag, target.variables) if isinstance(target, Network) else (target, {})
    known = {**known, **ours}
    states = [name for name in dag.names if not isinstance(known.get(name), Continuous)]
    return part_of(dag, states or dag.names)


def _source(named: Named, asked: Dag, reading: Reading, threads: int | None) -> Source:
    from tacit.learn.sources import Source

    if named.is_network:
        return Source(named.file, named.name, None, named.strength)
    try:
        own = None if named.structure is None else structure_of(named.structure)[0]
        data = _alike(reading, own or asked).cases(named.file, own or asked, threads)
    except TacitError as problem:
        problem.args = (f"--source {named.name}: {problem}{_hint(named, problem)}",)
        raise
    return Source(data, named.name, own, named.strength)


def _hint(named: Named, problem: TacitError) -> str:
    from tacit.core.errors import ColumnError

    if named.structure is not None or not isinstance(problem, ColumnError):
        return ""
    return f'\n\nif its variables are others, say how they hang together: "{named.text}@A -> B"'


def _alike(reading: Reading, structure: Dag | Network) -> Reading:
    """The same reading as far as it speaks of variables that the source has."""
    known = set(structure)
    return replace(
        reading,
        discrete=tuple(name for name in reading.discrete if name in known),
        continuous=tuple(name for name in reading.continuous if name in known),
        table=None,
        query=None,
    )


WAYS = {"best": "BestFragment", "mixture": "Mixture", "aggregate": "Aggregate", "pool": "Pool"}
"""The words of `--transfer`, and the value that each stands for."""
SETTINGS: Mapping[str, tuple[str, Any]] = {
    "normal": ("fusion", "normal"),
    "printed": ("printed", True),
    "guided": ("guided", True),
    "apart": ("learned", False),
    "strict": ("check", "strict"),
    "unchecked": ("check", "none"),
    "together": ("states", "aggregate"),
    "relabel": ("states", "relabel"),
    "align": ("parents", "align"),
    "local": ("variant", "local"),
    "distance": ("variant", "distance"),
    "linear": ("variant", "linear"),
    "logarithmic": ("variant", "logarithmic"),
}
"""What may follow `:`, and the setting that it stands for."""


def transfer_of(text: str | None, named: Sequence[Named]) -> Transfer | None:
    """`best:0.8,apart` as `BestFragment(threshold=0.8, learned=False)`, and so on."""
    if text is None:
        return None
    if not named:
        raise OptionError("--transfer says how to borrow; --source FILE must say from whom")
    from tacit.learn import transfers

    word, colon, more = text.partition(":")
    if word not in WAYS:
        what = f"{word!r} is no way to borrow{nearest(word, WAYS)}"
        said = marked(text, 0, len(word), what, "--transfer")
        raise OptionError(f"{said}\n\nways: {', '.join(WAYS)}")
    kind = getattr(transfers, WAYS[word])
    known = {field.name for field in fields(kind)}
    settings: dict[str, Any] = {}
    at = len(word) + 1
    for each in more.split(",") if colon else ():
        name, value = _setting(text, at, each, word, known)
        if name in settings:
            raise OptionError(marked(text, at, at + len(each), "this is said twice", "--transfer"))
        settings[name] = value
        at += len(each) + 1
    chosen: Transfer = kind(**settings)
    return chosen


def _setting(text: str, at: int, each: str, word: str, known: set[str]) -> tuple[str, Any]:
    """One of the words, or a number: the threshold, or the strength of a pool."""
    said, allowed = each.strip(), _allowed(known)
    number = _number(said)
    if number is not None:
        for name, most in (("threshold", 1.0), ("strength", float("inf"))):
            if name in known and number <= most:
                return name, number
    elif said in allowed:
        return SETTINGS[said]
    what = f"{said!r} means nothing to {word!r}{nearest(said, allowed)}"
    if number is not None and "threshold" in known:
        what = f"{said} is no probability between 0 and 1"
    numbers = "a threshold such as 0.8" if "threshold" in known else ""
    numbers = "a strength such as 0.5" if "strength" in known else numbers
    means = ", ".join(filter(None, (numbers, *allowed)))
    found = marked(text, at - (not each), at + len(each), what, "--transfer")
    raise OptionError(f"{found}\n\nafter '{word}:' may stand: {means}")


def _allowed(known: set[str]) -> list[str]:
    return [word for word, (name, _) in SETTINGS.items() if name in known]


def plain_loans(found: Fit) -> list[dict[str, Any]]:
    """What became of every table, as the report has it; nothing where there are no sources."""
    from tacit.reporting.loans import borrowed

    told = borrowed(found)
    tables: list[dict[str, Any]] = [] if told is None else told["tables"]
    return tables
