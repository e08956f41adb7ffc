"""What experts said: rules in the order in which they were written."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import Any, TypeAlias

from tacit.core.errors import KnowledgeError
from tacit.core.paths import is_file
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.statements import Arcs, Group, MostParents, Rule, StateOrder, Tiers

_LONGEST = 1_000
LARGEST = 200_000_000
"""Bytes, after unpacking, beyond which a file of rules is refused."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What experts know about a network; it prints as they wrote it, and two of them add up.

    rules   every statement, in the order in which they stand
    text    as written, with comments; printed from the rules where they were built in Python
    source  the file it came from, if any
    """

    rules: tuple[Rule, ...] = ()
    text: str = field(default="", compare=False)
    source: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rules", _rules(self.rules))
        if not self.text:
            object.__setattr__(self, "text", "\n".join(rule.text for rule in self.rules))

    @staticmethod
    def parse(text: str, source: str = "") -> Knowledge:
        """The knowledge that a text states; `source` is named in messages."""
        said: Any = text
        if not isinstance(said, str):
            raise KnowledgeError(f"rules are read from a text, not from {said!r:.80}")
        return Knowledge(rules_of(text, source), text, source)

    @property
    def parameters(self) -> tuple[Rule, ...]:
        """The rules about parameters."""
        others = (Arcs, Tiers, MostParents, Group, StateOrder)
        return tuple(rule for rule in self.rules if not isinstance(rule.statement, others))

    @property
    def structure(self) -> tuple[Rule, ...]:
        """The rules about arcs: require, forbid, allow, order, at most k parents."""
        return self._of(Arcs, Tiers, MostParents)

    @property
    def groups(self) -> tuple[Rule, ...]:
        """Named groups of states."""
        return self._of(Group)

    @property
    def orders(self) -> tuple[Rule, ...]:
        """Declared orders of states."""
        return self._of(StateOrder)

    def __add__(self, other: Knowledge) -> Knowledge:
        if not isinstance(other, Knowledge):
            return NotImplemented
        return _joined([self, other])

    def __len__(self) -> int:
        return len(self.rules)

    def __iter__(self) -> Iterator[Rule]:
        return iter(self.rules)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        rules = f"{len(self)} rule{'' if len(self) == 1 else 's'}"
        return f"<Knowledge of {rules}{' from ' + self.source if self.source else ''}>"

    def _repr_html_(self) -> str:
        return f"<p>{escape(repr(self)[1:-1])}</p><pre>{escape(self.text.strip())}</pre>"

    def _of(self, *kinds: type) -> tuple[Rule, ...]:
        return tuple(rule for rule in self.rules if isinstance(rule.statement, kinds))


def _rules(given: Any) -> tuple[Rule, ...]:
    """The rules that were given; an error if they are none."""
    several = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    rules = tuple(given) if several else (given,)
    for rule in rules:
        if not isinstance(rule, Rule) or not several:
            raise KnowledgeError(
                f"tc.Knowledge takes a list of rules, not {rule!r:.80}; "
                "tc.parse_knowledge reads a text"
            )
    return rules


KnowledgeLike: TypeAlias = (
    "Knowledge | Rule | str | Path | Sequence[Knowledge | Rule | str | Path] | None"
)
"""What can be said to `fit`: text, a file, rules, or several of them."""


def parse_knowledge(text: str, source: str = "") -> Knowledge:
    """The knowledge that a text states; `source` is named in messages."""
    return Knowledge.parse(text, source)


def read_knowledge(path: str | Path) -> Knowledge:
    """The knowledge in a file: UTF-8 text, packed or not."""
    given: Any = path
    if not isinstance(given, str | Path):
        raise KnowledgeError(f"a file of rules is named by a text or a path, not {given!r:.80}")
    text = text_of(path)
    known = Knowledge.parse(text, str(path))
    if not known:
        what = "holds only comments" if text.strip() else "is empty"
        raise KnowledgeError(f"{path}: the file {what}; it should hold rules, one in a line")
    return known


def as_knowledge(given: KnowledgeLike) -> Knowledge | None:
    """What was given as knowledge: text, a file (`.know`), rules, or several of them."""
    if given is None or isinstance(given, Knowledge):
        return given
    if isinstance(given, Rule):
        return Knowledge((given,))
    if isinstance(given, Path) or (isinstance(given, str) and _names_a_file(given)):
        return read_knowledge(given)
    if isinstance(given, str):
        return _parsed(given)
    if not _is_list(given):
        raise KnowledgeError(
            f"knowledge is a text, a file, tc.Knowledge or a list of rules, not {given!r:.80}"
        )
    parts = [as_knowledge(each) for each in given]
    return _joined([part for part in parts if part is not None])


def _is_list(given: Any) -> bool:
    return isinstance(given, Sequence) and not isinstance(given, bytes | bytearray)


def _parsed(text: str) -> Knowledge:
    """The knowledge of a text, with a hint where the text is the name of a file."""
    try:
        return Knowledge.parse(text)
    except KnowledgeError as problem:
        if len(text) > _LONGEST or "\n" in text or not is_file(text):
            raise
        raise KnowledgeError(
            f"{problem}\n\nthere is a file of this name: give Path({text!r}), "
            "or let its name end in .know"
        ) from None


def _joined(parts: Sequence[Knowledge]) -> Knowledge:
    texts = [part.text.strip("\n") for part in parts if part.text.strip()]
    sources = dict.fromkeys(part.source for part in parts if part.source)
    rules = tuple(rule for part in parts for rule in part)
    return Knowledge(rules, "\n".join(texts), ", ".join(sources))


def _names_a_file(given: str) -> bool:
    return "\n" not in given and given.lower().removesuffix(".gz").endswith(".know")


def text_of(path: str | Path, what: str = "rules") -> str:
    """The text of a file, packed or not; `what` it should hold is named in messages."""
    try:
        with Path(path).open("rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            content = (gzip.GzipFile(fileobj=raw) if packed else raw).read(LARGEST + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError:
        hint = f"\n\nwrite the {what} to a file and name it here" if "(" in str(path) else ""
        raise KnowledgeError(f"there is no file {str(path)!r}{hint}") from None
    except IsADirectoryError:
        raise KnowledgeError(f"{str(path)!r} is a folder, not a file") from None
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise KnowledgeError(f"{path}: the compressed file is damaged or cut short") from None
    except OSError as problem:
        raise KnowledgeError(f"{path}: cannot be read: {problem.strerror or problem}") from None
    except ValueError:
        raise KnowledgeError(f"{path}: this is no text file in UTF-8") from None
    if len(content) > LARGEST or "\x00" in text:
        raise KnowledgeError(f"{path}: this is no file of {what}")
    return text.replace("\r\n", "\n").replace("\r", "\n")
