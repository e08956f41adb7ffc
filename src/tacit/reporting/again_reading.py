"""The cases in the last section: the call that reads them again, and the words of the command line.

`OPTIONS` is the table of all that `tc.read_cases` can be told, each with its option. A test holds
it against both, so that what is read in a new way is either written here or fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from tacit.core.errors import quoted
from tacit.core.reading import Reading
from tacit.learn.fits import Fit

LEARNED = "learned.json"
"""The file that stands for the network of a fit."""
HIDDEN = "***"
"""What stands in an address for a password."""
_FILES = (".csv", ".tsv", ".parquet", ".arrow", ".feather", ".json", ".jsonl", ".ndjson")


def _plainly(value: Any) -> list[str]:
    return [str(value)]


def _name(value: str) -> list[str]:
    return [quoted(value)]


def _names(value: Sequence[str]) -> list[str]:
    return [quoted(each) for each in value]


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be said of reading.

    option  on the command line; "" where it has none
    words   the value of the option, each time that it is given
    implied whether a command that is given the network needs no word for it: it reads the columns
            of the network, in the states of the network
    """

    option: str = ""
    words: Callable[[Any], Sequence[str]] = _plainly
    implied: bool = False


OPTIONS: Mapping[str, Option] = {
    "columns": Option(implied=True),
    "like": Option(implied=True),
    "partial": Option(implied=True),
    "order": Option(implied=True),
    "missing": Option("--missing", lambda marks: marks),
    "weights": Option("--weights", _name),
    "discrete": Option("--discrete", _names),
    "continuous": Option("--continuous", _names),
    "table": Option("--table"),
    "query": Option("--query"),
    "delimiter": Option(),
}
"""By its argument, what changes what is read; in the order in which calls are written."""
IDLE = ("source", "names", "threads")
"""What is the source itself, speaks of arrays alone, or changes nothing."""


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of a fit, as both languages read them again.

    like  the network that says kinds and states, as Python names it
    """

    NAME: ClassVar[str] = "cases"
    KNOWN: ClassVar[Mapping[str, Option]] = OPTIONS

    reading: Reading | None
    source: str
    fingerprint: str
    like: str = f"tc.read({LEARNED!r})"

    @staticmethod
    def of(fit: Fit, like: str = "") -> Cases:
        """Those of a fit."""
        used = fit.cases
        more = (like,) if like else ()
        return Cases(known(used.reading), used.source, used.fingerprint, *more)

    @property
    def word(self) -> str:
        """The file, or a word that stands for it."""
        return self.NAME.upper() if self.reading is None else self.reading.source

    @property
    def line(self) -> str:
        """The line of Python that reads them."""
        if self.reading is None:
            return f"{self.NAME} = ...  # {' '.join(self.source.split())}".rstrip("# ")
        return f"{self.NAME} = {read_call(self.reading, self.like, self.NAME)}"

    @property
    def words(self) -> list[str]:
        """The options of a command that read them so."""
        return read_words(self.reading, self.KNOWN)

    def lost(self, beside: bool) -> list[str]:
        """Arguments for which a command has no words; beside: it is given a network or a dag."""
        return lost_words(self.reading, beside, self.KNOWN)

    def among(self, lines: Sequence[str]) -> list[str]:
        """The line that reads them before all others but that of the network that it names."""
        named = self.reading is not None and "like" in self.reading.options
        first = [line for line in lines if named and line.startswith(f"{self.like} = ")]
        return [*first, self.line, *(line for line in lines if line not in first)]

    @property
    def remarks(self) -> list[str]:
        """What a reader must know who wants to read them again."""
        if self.reading is None:
            return [self._unread()]
        said = []
        if not self.reading.whole:
            said.append(
                "This fit was saved by an older version, which kept of the reading of its cases "
                "the name of the file alone: say again what was said then of missing marks, "
                "weights, and kinds of columns."
            )
        if HIDDEN in self.reading.source:
            said.append(f"The password of the database is not kept: it belongs where {HIDDEN} is.")
        return said

    def _unread(self) -> str:
        known = f" Their fingerprint is {self.fingerprint}." if self.fingerprint else ""
        return (
            f"The {self.NAME} were not read from a file as they are here: they came from memory, "
            "or were changed after they were read. Nothing written here can read them again. Put "
            f"them where `{self.NAME} = ...` stands, and in a command a file of them where "
            f"`{self.NAME.upper()}` stands." + known
        )


def known(reading: Reading | None) -> Reading | None:
    """The reading, unless it is that of an older fit whose cases came from no file."""
    if reading is None or reading.whole or is_file(reading.source):
        return reading
    return None


def read_call(reading: Reading, like: str, what: str = "cases") -> str:
    """`tc.read_cases('x.csv', missing=['NA'])`."""
    said = []
    for name in _in_order(reading.options):
        value = reading.options[name]
        said.append(f"{name}={like if name == 'like' else repr(value)}")
    return f"tc.read_{what}({', '.join([repr(reading.source), *said])})"


def read_words(reading: Reading | None, known: Mapping[str, Option] = OPTIONS) -> list[str]:
    """`--missing NA --weights n`."""
    found = []
    for name in [] if reading is None else _in_order(reading.options):
        option = known[name]
        if option.option:
            assert reading is not None
            for word in option.words(reading.options[name]):
                found += [option.option, word]
    return found


def lost_words(
    reading: Reading | None, beside: bool, known: Mapping[str, Option] = OPTIONS
) -> list[str]:
    """What was said of reading that a command cannot be told."""
    options = {} if reading is None else reading.options
    return [
        name
        for name in _in_order(options)
        if not known[name].option and not (beside and known[name].implied)
    ]


def _in_order(options: Iterable[str]) -> list[str]:
    order = list(OPTIONS)
    return sorted(options, key=lambda name: order.index(name) if name in order else len(order))


def is_file(source: str) -> bool:
    """Whether a name is that of a file that `tc.read_cases` reads."""
    return source.lower().removesuffix(".gz").endswith(_FILES) and "\n" not in source
