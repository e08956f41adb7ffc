"""Rules about structure, judged dag by dag: the definitions spelled out over all dags there are."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations, product

Arc = tuple[str, str]
ANY = "*"


@dataclass(frozen=True)
class Said:
    """A rule in plain values.

    verb  require, forbid or allow with `arcs`; order with `tiers`; most with `most` and `whom`
    """

    verb: str
    arcs: tuple[Arc, ...] = ()
    tiers: tuple[tuple[str, ...], ...] = ()
    most: int = 0
    whom: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        if self.verb == "order":
            return f"order {' < '.join(', '.join(tier) for tier in self.tiers)}"
        if self.verb == "most":
            return f"at most {self.most} parents{' for ' if self.whom else ''}" + ", ".join(
                self.whom
            )
        return f"{self.verb} {', '.join(f'{tail} -> {head}' for tail, head in self.arcs)}"


def all_dags(names: str) -> list[frozenset[Arc]]:
    """Every dag: the subsets of the arcs along each order of the variables, each once."""
    found = set()
    for order in permutations(names):
        arcs = list(combinations(order, 2))
        for chosen in product([False, True], repeat=len(arcs)):
            found.add(frozenset(arc for arc, is_in in zip(arcs, chosen, strict=True) if is_in))
    assert len(found) == {1: 1, 2: 3, 3: 25, 4: 543}[len(names)]  # Robinson's numbers
    return sorted(found, key=lambda dag: (len(dag), sorted(dag)))


def stands_for(pattern: Arc, names: str) -> set[Arc]:
    """The arcs of a pattern; a star is every variable but the one at the other end."""
    tail, head = pattern
    tails, heads = (names if end == ANY else end for end in pattern)
    return {
        (a, b) for a in tails for b in heads if a != b or ANY not in (tail, head)
    }  # fmt: skip


def obeys(dag: frozenset[Arc], rules: list[Said], names: str) -> bool:
    """Whether a dag obeys every rule."""
    allowed = [rule for rule in rules if rule.verb == "allow"]
    may = {
        arc
        for rule in rules
        if rule.verb in ("allow", "require")
        for pattern in rule.arcs
        for arc in stands_for(pattern, names)
    }
    return (not allowed or dag <= may) and all(_obeys(dag, rule, names) for rule in rules)


def _obeys(dag: frozenset[Arc], rule: Said, names: str) -> bool:
    if rule.verb == "allow":
        return True
    if rule.verb == "order":
        level = {name: at for at, tier in enumerate(rule.tiers) for name in tier}
        return all(level[a] <= level[b] for a, b in dag if a in level and b in level)
    if rule.verb == "most":
        return all(sum(head == name for _, head in dag) <= rule.most for name in rule.whom or names)
    named = {arc for pattern in rule.arcs for arc in stands_for(pattern, names)}
    return named <= dag if rule.verb == "require" else not named & dag


def fewest(rules: list[Said], names: str) -> int | None:
    """How many rules the smallest set has that no dag obeys; None if some dag obeys them all."""
    dags = all_dags(names)
    for size in range(len(rules) + 1):
        for chosen in combinations(rules, size):
            if not any(obeys(dag, list(chosen), names) for dag in dags):
                return size
    assert any(obeys(dag, rules, names) for dag in dags)
    return None
