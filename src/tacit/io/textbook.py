"""Networks that everybody knows, shipped with the package.

    Cancer{True,False} | Pollution, Smoker : .03 .97; .001 .999; .05 .95; .02 .98

One line per variable: name, states, parents, then a row for every configuration of the parents,
the first parent slowest. `1/3` is exact.
"""

from __future__ import annotations

import re
from fractions import Fraction
from importlib.resources import files
from importlib.resources.abc import Traversable

from tacit.core.errors import FormatError, OptionError, nearest
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

_LINE = re.compile(r"(\w+)\{([^{}]+)\}\s*(?:\|([^:]+))?:(.+)")


def textbook(name: str) -> Network:
    """A classic network by name: alarm, asia, burglary, cancer, insurance or sprinkler."""
    known = textbook_names()
    if name not in known:
        raise OptionError(
            f"there is no textbook network {name!r}{nearest(str(name), known)}"
            f"\n\nthere are: {', '.join(known)}"
        )
    return parse_textbook((_folder() / f"{name}.txt").read_text(encoding="utf-8"))


def textbook_names() -> tuple[str, ...]:
    """The names that `textbook` takes."""
    found = (file.name for file in _folder().iterdir())
    return tuple(sorted(name.removesuffix(".txt") for name in found if name.endswith(".txt")))


def parse_textbook(text: str) -> Network:
    """The network that lines of this form describe."""
    lines = []
    for line in text.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match:
            lines.append(match)
        elif line.strip() and not line.startswith("#"):
            raise FormatError(f"this line describes no variable: {line[:80]!r}")
    variables = {match[1]: Discrete(match[1], _words(match[2], ",")) for match in lines}
    families = []
    for match in lines:
        parents = [variables[parent] for parent in _words(match[3] or "", ",")]
        values = [float(Fraction(word)) for word in match[4].replace(";", " ").split()]
        families.append(table(variables[match[1]], parents, values))
    return Network.of(families)


def _words(text: str, between: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(between) if word.strip())


def _folder() -> Traversable:
    return files("tacit.io") / "classics"
