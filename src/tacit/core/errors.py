"""What can be wrong with input, as one tree.

TacitError                 every message of this package
├── DagError               a dag that cannot be read or built
│   └── CycleError         ... because variables depend on themselves
├── NetworkError           parts of a network that do not fit together
│   └── TableError         ... rows of a table that are no distributions
├── CasesError             cases that cannot be used as asked
│   ├── ColumnError        ... a column that is not there, or there twice
│   ├── StateError         ... a value that is no state of its variable
│   ├── WeightError        ... a case weight that is no weight
│   └── MissingError       ... cells are missing where none may be
├── FormatError            a file that cannot be read, or a value that a format cannot hold
├── QueryError             a question that cannot be asked of a network
│   └── ImpossibleError    ... because its findings contradict the network
├── KnowledgeError         rules that cannot be read, or that do not fit a network
│   └── ConflictError      ... because they contradict each other
├── EstimateError          parameters that the evidence does not determine
├── SizeError              a result too large to compute or to keep
└── OptionError            an argument or option that makes no sense

Every error is one readable message: what is wrong, where, what would be right. The data behind it
are attributes. All derive from ValueError, as bad input does elsewhere in Python.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import lru_cache


class TacitError(ValueError):
    """Something the user can mend; `str(error)` says what and how."""


class DagError(TacitError):
    """A dag that cannot be read or built."""


class CycleError(DagError):
    """Variables that depend on themselves; `cycle` lists them, the first again at the end."""

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        shown = cycle if len(cycle) <= 14 else (*cycle[:10], "...", *cycle[-3:])
        super().__init__(
            "the arcs form a cycle: "
            + " -> ".join(quoted(name) for name in shown)
            + "\n\nremove or reverse one of these arcs"
        )


class NetworkError(TacitError):
    """Parts of a network that do not fit together."""


class TableError(NetworkError):
    """Rows of a table that are no distributions."""


class CasesError(TacitError):
    """Cases that cannot be used as asked."""


class ColumnError(CasesError):
    """A column that is not there, or there twice."""


class StateError(CasesError):
    """A value that is no state of its variable."""


class WeightError(CasesError):
    """A case weight that is no weight."""


class MissingError(CasesError):
    """Cells are missing where none may be."""


class FormatError(TacitError):
    """A file that cannot be read, or a value that a format cannot hold."""


class QueryError(TacitError):
    """A question that cannot be asked of a network."""


class ImpossibleError(QueryError):
    """Findings that the network holds impossible; `findings` lists those that contradict."""

    def __init__(self, message: str, findings: tuple[str, ...] = ()) -> None:
        self.findings = findings
        super().__init__(message)


class KnowledgeError(TacitError):
    """Rules that cannot be read, or that do not fit a network."""


class ConflictError(KnowledgeError):
    """Rules that contradict each other; `rules` is a smallest set of them that does."""

    def __init__(self, message: str, rules: tuple[str, ...] = ()) -> None:
        self.rules = rules
        super().__init__(message)


class EstimateError(TacitError):
    """Parameters that the evidence does not determine."""


class SizeError(TacitError):
    """A result too large to compute or to keep."""


class OptionError(TacitError):
    """An argument or option that makes no sense."""


@lru_cache(maxsize=4096)
def quoted(name: str) -> str:
    """A name as it stands in dags, rules and messages: in double quotes only where needed."""
    plain = name and all(letter.isalnum() or letter in "_." for letter in name)
    if plain:
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean 'Smoker'?`, or nothing if no known name is near."""
    lower = {other.lower(): other for other in known}
    close = get_close_matches(str(name).lower(), list(lower), n=1, cutoff=0.6)
    return f"; did you mean {lower[close[0]]!r}?" if close else ""


def listed(names: Iterable[str], most: int = 12) -> str:
    """Names for a message: the first ones, and how many more there are."""
    shown = list(names)
    tail = f", ... ({len(shown) - most} more)" if len(shown) > most else ""
    return ", ".join(shown[:most]) + tail


def marked(text: str, start: int, end: int, what: str, where: str = "") -> str:
    """A message that shows the line of `text` around [start, end) and marks those words.

    where: the file or argument the text came from; its line number is added if there are several.
    """
    first = text.rfind("\n", 0, start) + 1
    last = text.find("\n", start)
    line = text[first : last if last >= 0 else len(text)]
    number = text.count("\n", 0, start) + 1
    several = "\n" in text.strip("\n")
    place = f"{where}:{number}: " if where and several else f"{where}: " if where else ""
    if several and not where:
        place = f"line {number}: "
    line, start, end = _window(line, start - first, end - first)
    return f"{place}{what}\n\n    {line}\n    {' ' * start}{'^' * max(1, end - start)}"


def _window(line: str, start: int, end: int, width: int = 90) -> tuple[str, int, int]:
    """At most `width` characters of the line, the marked words among them; tabs become spaces."""
    line = line.replace("\t", " ").rstrip()
    end = min(end, max(len(line), start + 1))
    if len(line) <= width:
        return line, start, end
    cut = max(0, min(start - width // 3, len(line) - width))
    return line[cut : cut + width], start - cut, min(end - cut, width)
