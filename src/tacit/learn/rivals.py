"""The rule sets of a comparison: named, and bound to the same tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from tacit.arrays import Bools
from tacit.core.errors import ConflictError, EstimateError, KnowledgeError, OptionError
from tacit.core.grid import counted
from tacit.knowledge.knowledge import Knowledge, KnowledgeLike, as_knowledge
from tacit.learn.favoured import NO_RULES
from tacit.learn.folds import certainly, impossible_under
from tacit.learn.gathered import Gathered
from tacit.learn.ruled import Ruled
from tacit.learn.schemes import Schemes, schemes_of


@dataclass(frozen=True, slots=True, eq=False)
class Rival:
    """A rule set by name, bound to the tables.

    ruled   its certain rules
    schemes what it may mean, doubted rules included
    barred  (cases,) the cases that they hold impossible
    """

    name: str
    knowledge: Knowledge | None
    ruled: Ruled | None
    schemes: Schemes
    barred: Bools


def named_sets(
    knowledge: Sequence[KnowledgeLike], names: Sequence[str] | None
) -> list[tuple[str, Knowledge | None]]:
    """The rule sets, each with its name; errors say which of them cannot be read."""
    _check_several(knowledge)
    _check_names(knowledge, names)
    sets = []
    for at, given in enumerate(knowledge):
        with speaking_of(names[at] if names is not None else f"rule set {at + 1}"):
            sets.append(as_knowledge(given))
    return list(zip(names if names is not None else named(sets), sets, strict=True))


def rival(name: str, known: Knowledge | None, gathered: Gathered) -> Rival:
    """The rule set bound to the tables; errors say whose rules are at fault."""
    with speaking_of(name):
        certain = certainly(known, gathered)
        schemes = schemes_of(known, certain, gathered)
    return Rival(name, known, certain, schemes, impossible_under(certain, gathered.cases))


@contextmanager
def speaking_of(name: str) -> Iterator[None]:
    """Errors about rules name the set they stand in."""
    try:
        yield
    except ConflictError as problem:
        raise ConflictError(f"{name}: {problem}", problem.rules) from None
    except KnowledgeError as problem:
        raise KnowledgeError(f"{name}: {problem}") from None
    except EstimateError as problem:
        raise EstimateError(f"{name}: {problem}") from None


def named(sets: Sequence[Knowledge | None]) -> list[str]:
    """Who said the rules, or the file they stand in, or "expert A"; no name twice."""
    found: list[str] = []
    for at, known in enumerate(sets):
        name = _own_name(known) or _letter(at)
        again = sum(other == name or other.startswith(f"{name} (") for other in found)
        found.append(f"{name} ({again + 1})" if again else name)
    return found


def _own_name(known: Knowledge | None) -> str:
    if known is None:
        return NO_RULES
    if len(known) and all(rule.by for rule in known):
        return " and ".join(dict.fromkeys(rule.by for rule in known))
    return Path(known.source).name if known.source and ", " not in known.source else ""


def _letter(at: int) -> str:
    return f"expert {ascii_uppercase[at] if at < len(ascii_uppercase) else at + 1}"


def _check_several(knowledge: Any) -> None:
    if isinstance(knowledge, str | bytes | Path | Knowledge) or not isinstance(knowledge, Sequence):
        raise OptionError(
            "rule sets to be compared stand in a list, [rules_a, rules_b, None]; "
            f"this is {knowledge!r:.60}"
        )
    if not knowledge:
        raise OptionError(
            "there is nothing to compare: give two rule sets or more; None stands for no rules"
        )
    if len(knowledge) == 1:
        raise OptionError(
            "one rule set alone has no rival: give two or more; None stands for no rules"
        )


def _check_names(knowledge: Sequence[KnowledgeLike], names: Any) -> None:
    if names is None:
        return
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise OptionError(f"names are a list of texts, one per rule set, not {names!r:.60}")
    if len(names) != len(knowledge):
        sets = counted(len(knowledge), "rule set")
        raise OptionError(f"{sets} need as many names, not {len(names)}")
    for at, name in enumerate(names):
        if not isinstance(name, str) or not name.strip():
            raise OptionError(f"the name of a rule set is a text, not {name!r:.60}")
        if name in names[:at]:
            raise OptionError(f"two rule sets are named {name!r}")
