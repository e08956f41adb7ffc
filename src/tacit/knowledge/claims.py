"""What single rules demand of a dag that is not there yet, in numbers of variables."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from tacit.knowledge.statements import Arcs, MostParents, Rule, Structural, Tiers
from tacit.knowledge.structural import check_name, levels
from tacit.knowledge.terms import Word


@dataclass(frozen=True, slots=True)
class Pairs:
    """Every arc from one of `tails` to one of `heads`, and the words that name the variables."""

    tails: tuple[int, ...]
    heads: tuple[int, ...]
    words: tuple[tuple[int, Word], ...] = ()

    def __contains__(self, arc: tuple[int, int]) -> bool:
        return arc[0] in self.tails and arc[1] in self.heads

    def named(self, which: Collection[int]) -> list[Word]:
        """The words that name any of these variables."""
        return [word for at, word in self.words if at in which]


@dataclass(frozen=True, slots=True)
class Claim:
    """What one rule demands.

    required   arcs that must be; `forbidden` arcs must not be
    allowed    arcs that may be, where others may not
    most       how many parents the variables in `bounded` may have; `bounded` has no tails
    closed     variables that have no other parents than those that some rule requires
    """

    rule: Rule
    required: tuple[Pairs, ...] = ()
    forbidden: tuple[Pairs, ...] = ()
    allowed: tuple[Pairs, ...] = ()
    most: int = 0
    bounded: Pairs | None = None
    closed: tuple[int, ...] = ()

    @property
    def arcs(self) -> Iterator[tuple[int, int]]:
        """The arcs that must be."""
        return ((tail, head) for pairs in self.required for tail in pairs.tails
                for head in pairs.heads)  # fmt: skip


def claims_of(rules: Sequence[Rule], names: Sequence[str], whole: str = "") -> tuple[Claim, ...]:
    """What the rules about structure demand; `whole` is what should have the variables."""
    place = {name: at for at, name in enumerate(names)}
    found = []
    for rule in rules:
        said = rule.statement
        if isinstance(said, Arcs | Tiers | MostParents):
            for word in _words(said):
                check_name(rule, word, place, whole)
            found.append(_CLAIMS[type(said)](rule, said, place))
    return tuple(found)


def _words(said: Structural) -> Iterator[Word | None]:
    if isinstance(said, Arcs):
        return (word for arc in said.arcs for word in arc)
    if isinstance(said, Tiers):
        return (word for tier in said.tiers for word in tier)
    return iter(said.children)


def _arcs(rule: Rule, said: Arcs, place: Mapping[str, int]) -> Claim:
    pairs = tuple(each for tail, head in said.arcs for each in _pattern(tail, head, place))
    if said.verb == "require":
        return Claim(rule, required=pairs)
    return Claim(rule, forbidden=pairs) if said.verb == "forbid" else Claim(rule, allowed=pairs)


def _pattern(tail: Word | None, head: Word | None, place: Mapping[str, int]) -> Iterator[Pairs]:
    """The arcs of a pattern; `*` stands for every variable but the one at the other end."""
    words = tuple((place[word.text], word) for word in (tail, head) if word is not None)
    if tail is not None and head is not None:
        yield Pairs((place[tail.text],), (place[head.text],), words)
    elif tail is not None:
        yield Pairs((place[tail.text],), _others(tail.text, place), words)
    else:
        for name in place if head is None else (head.text,):
            yield Pairs(_others(name, place), (place[name],), words)


def _others(name: str, place: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(at for other, at in place.items() if other != name)


def _tiers(rule: Rule, said: Tiers, place: Mapping[str, int]) -> Claim:
    levels(rule, said)
    tiers = [{place[word.text]: word for word in tier} for tier in said.tiers]
    return Claim(
        rule,
        forbidden=tuple(
            Pairs(tuple(later), tuple(earlier), (*later.items(), *earlier.items()))
            for earlier, later in combinations(tiers, 2)
        ),
    )


def _most(rule: Rule, said: MostParents, place: Mapping[str, int]) -> Claim:
    words = {place[word.text]: word for word in said.children}
    heads = tuple(words or place.values())
    return Claim(rule, most=said.most, bounded=Pairs((), heads, tuple(words.items())))


_CLAIMS: dict[type, Callable[[Rule, Any, Mapping[str, int]], Claim]] = {
    Arcs: _arcs,
    Tiers: _tiers,
    MostParents: _most,
}
