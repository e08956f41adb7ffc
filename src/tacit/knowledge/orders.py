"""Which orders of states rules rest on, where nobody said one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tacit.core.errors import listed, quoted
from tacit.core.variables import Discrete
from tacit.knowledge.statements import Influence, Rule, StateOrder, Synergy

MOST = 6
"""Variables that a note names."""


def orders_taken(rules: Sequence[Rule], variables: Mapping[str, Discrete]) -> tuple[str, ...]:
    """A note about the orders that influence and synergy took as the states stand; none is none.

    Of two states too the order matters: `X increases with Y` means the later state of X.
    """
    said = {
        rule.statement.variable.text for rule in rules if isinstance(rule.statement, StateOrder)
    }
    named = dict.fromkeys(name for rule in rules for name in _ordered(rule))
    taken = [name for name in named if name not in said and name in variables]
    if not taken:
        return ()
    shown = [f"{quoted(name)}: {_chain(variables[name].states)}" for name in taken]
    last = taken[0]
    turned = _chain(variables[last].states[::-1])
    return (
        f"orders of states as they stand, low to high: {listed(shown, MOST)}; "
        f"a line `order of {quoted(last)}: {turned}` would turn one round",
    )


def _ordered(rule: Rule) -> Iterator[str]:
    match rule.statement:
        case Influence(child=child, parent=parent):
            yield from (child.text, parent.text)
        case Synergy(child=child, parents=parents):
            yield from (child.text, *(parent.text for parent in parents))


def _chain(states: Sequence[str]) -> str:
    shown = states if len(states) <= MOST else (*states[:3], "...", states[-1])
    return " < ".join(state if state == "..." else quoted(state) for state in shown)
