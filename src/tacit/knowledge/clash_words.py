"""What is said about rules on structure that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tacit.core.errors import listed, quoted
from tacit.core.grid import counted
from tacit.knowledge.claims import Claim, Pairs
from tacit.knowledge.conflicts import Conflict
from tacit.knowledge.faults import span_of
from tacit.knowledge.reasons import Reasons
from tacit.knowledge.statements import Arcs, Rule, Share, Tie, Tiers
from tacit.knowledge.structural import arrow
from tacit.knowledge.underlining import Span
from tacit.knowledge.wording import called

if TYPE_CHECKING:
    from tacit.knowledge.clashes import Arc, Clash

_LONGEST = 14
_EVENT = (
    "a condition that can be no parent makes a probability one of the whole network: "
    "where that is meant, forbid the arc"
)


def explained(claims: Sequence[Claim], reasons: Reasons, clash: Clash, proven: bool) -> Conflict:
    """The contradiction among these claims, which are the fewest."""
    marks = tuple(tuple(_spans(number, claim, reasons, clash))
                  for number, claim in enumerate(claims))  # fmt: skip
    why = {"own parent": _own, "ruled out": _ruled_out, "too many": _too_many, "cycle": _cycle}
    told = why[clash.kind](reasons, clash)
    if any(claim.closed and not isinstance(claim.rule.statement, Share) for claim in claims):
        told += f"\n\n{_EVENT}"
    return Conflict(reasons.rules, told, proven, marks=marks)


def _spans(number: int, claim: Claim, reasons: Reasons, clash: Clash) -> Iterator[Span]:
    """Where the words that make the contradiction stand in the text of one rule."""
    for arc in clash.arcs:
        if reasons.requiring[arc] == number:
            yield from _arc_spans(claim, arc, claim.required)
        if clash.kind == "ruled out" and reasons.forbidding[arc] == number:
            yield from _arc_spans(claim, arc, claim.forbidden)
    head = clash.arcs[0][1]
    if clash.kind == "too many" and reasons.bounding[head] == number:
        words = claim.bounded.named([head]) if claim.bounded is not None else []
        yield span_of(claim.rule, words[0]) if words else (0, len(claim.rule.text))


def _arc_spans(claim: Claim, arc: Arc, among: Sequence[Pairs]) -> Iterator[Span]:
    pairs = next(pairs for pairs in among if arc in pairs)
    spans = sorted({span_of(claim.rule, word) for word in pairs.named(arc)} - {(0, 0)})
    if spans and isinstance(claim.rule.statement, Arcs):
        yield spans[0][0], spans[-1][1]
    else:
        yield from spans


def _own(reasons: Reasons, clash: Clash) -> str:
    verb = _verb(reasons.rules[:1])
    return f"it {verb} {_arrow(reasons, clash.arcs[0])}, and no variable is its own parent"


def _ruled_out(reasons: Reasons, clash: Clash) -> str:
    (arc,) = clash.arcs
    one = reasons.rules[reasons.requiring[arc]]
    other = reasons.rules[reasons.forbidding[arc]]
    who = "it" if len(reasons.rules) == 1 else called([one], reasons.rules)
    whose = "it" if len(reasons.rules) == 1 else called([other], reasons.rules)
    tail, head = (quoted(reasons.names[at]) for at in arc)
    phrase = "forbids it"
    if isinstance(other.statement, Tiers):
        phrase = f"puts {head} before {tail}"
    elif isinstance(other.statement, Tie):
        phrase = f"names a table of {head} without {tail}"
    return f"{who} {_verb([one])} {_arrow(reasons, arc)}, {whose} {phrase}"


def _too_many(reasons: Reasons, clash: Clash) -> str:
    head = clash.arcs[0][1]
    numbers = sorted({int(reasons.requiring[arc]) for arc in clash.arcs})
    rules = [reasons.rules[number] for number in numbers]
    tails = listed(quoted(reasons.names[tail]) for tail, _ in clash.arcs)
    who = called(rules, reasons.rules)
    parents = f"{counted(len(clash.arcs), 'parent')} of {quoted(reasons.names[head])}: {tails}"
    bound = called([reasons.rules[reasons.bounding[head]]], reasons.rules)
    return f"{who} {_verb(rules)} {parents}; {bound} leaves at most {reasons.most[head]}"


def _cycle(reasons: Reasons, clash: Clash) -> str:
    loop = [quoted(reasons.names[tail]) for tail, _ in clash.arcs]
    if len(loop) > _LONGEST:
        loop = [*loop[:10], "...", *loop[-3:]]
    return f"the arcs form a cycle: {' -> '.join([*loop, loop[0]])}"


def _verb(rules: Sequence[Rule]) -> str:
    """`requires` for rules about arcs, `needs` for rules about parameters."""
    stem = "require" if all(isinstance(rule.statement, Arcs) for rule in rules) else "need"
    return stem if len(rules) > 1 else f"{stem}s"


def _arrow(reasons: Reasons, arc: Arc) -> str:
    return arrow(*(reasons.names[at] for at in arc))
