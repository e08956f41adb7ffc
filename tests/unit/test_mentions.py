"""Which variables a rule names, and what is left of rules while some are not there yet."""

from __future__ import annotations

import pytest

import tacit as tc
from tacit.knowledge.mentions import mentioned, rules_without, states_of


def rules(text: str) -> tuple[tc.Rule, ...]:
    return tc.parse_knowledge(text).rules


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("require A -> H", {"A", "H"}),
        ("forbid * -> H", {"H"}),
        ("order A, B < C", {"A", "B", "C"}),
        ("at most 2 parents", set()),
        ("at most 2 parents for A, H", {"A", "H"}),
        ("P(A=H | B=x) >= 0.5", {"A", "B"}),
        ("P(A=x) + P(H=1 | C=z) <= 0.7", {"A", "H", "C"}),
        ('P("my h"=1) >= 0.2', {"my h"}),
        ("A increases with H", {"A", "H"}),
        ("table(A | B) = table(C | H)", {"A", "B", "C", "H"}),
        ("order of H: 1 < 2", {"H"}),
    ],
)
def test_names_are_those_of_variables_not_of_states(text: str, names: set[str]) -> None:
    assert mentioned(rules(text)[0]) == names


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("require A -> B", ["require A -> B"]),
        ("require A -> H", []),
        ("require A -> B; forbid H -> *", ["require A -> B"]),
        ("order A < H < B", ["order A < B"]),
        ("order H < A, B", []),
        ("order A, H < B", ["order A < B"]),
        ("at most 2 parents for A, H", ["at most 2 parents for A"]),
        ("at most 2 parents for H", []),
        ("at most 2 parents", ["at most 2 parents"]),
        ("P(A=H) >= 0.5", ["P(A=H) >= 0.5"]),
        ("P(A=x | H=1) >= 0.5", []),
    ],
)
def test_what_they_say_of_others_stays(text: str, left: list[str]) -> None:
    kept = rules_without(rules(text), ["H"])
    assert [str(rule.statement) for rule in kept] == left


def test_states_that_rules_name_are_found_in_groups_and_orders_too() -> None:
    said = rules("let low = {1, 2}\nP(H=low) >= 0.2\nP(A=x | H=4) >= 0.1\norder of H: 1 < 3")
    assert states_of(said, "H") == {"1", "2", "3", "4"}
    assert states_of(said, "A") == {"x"}
    assert states_of(said, "B") == set()
