"""What is said about cross-validations and comparisons that cannot be made, in full."""

from __future__ import annotations

import pytest

import tacit as tc
from tacit.core.errors import ConflictError, KnowledgeError, TacitError
from tacit.learn.compare import compare
from tacit.learn.folds import cross_validate

CASES = {"Flu": ["no", "yes", "no", "yes"], "Cough": ["dry", "wet", "wet", "dry"]}
SHARED = "P(Cough | Flu=no) = P(Cough | Flu=yes)"
CLASH = "P(Flu=yes) <= 0.2\nP(Flu=yes) >= 0.5"


def compared(rules, **options):
    return lambda: compare("Flu -> Cough", CASES, rules, **options)


def validated(**options):
    return lambda: cross_validate("Flu -> Cough", CASES, **options)


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (
            validated(folds=1),
            "folds=1 must be a whole number, 2 or more: one part is held out, the others are "
            "learned from",
        ),
        (
            validated(folds=2.5),
            "folds=2.5 must be a whole number, 2 or more: one part is held out, the others are "
            "learned from",
        ),
        (
            validated(folds=5),
            "4 cases cannot be split into 5 folds: every fold needs a case",
        ),
        (validated(seed=-1), "a seed is a whole number, 0 or more, not -1"),
        (
            lambda: cross_validate("Flu -> Cough", tc.Statistics("Flu -> Cough").update(CASES)),
            "cross-validation holds cases out, so it needs cases, not statistics",
        ),
        (
            compared([]),
            "there is nothing to compare: give two rule sets or more; None stands for no rules",
        ),
        (
            compared([SHARED]),
            "one rule set alone has no rival: give two or more; None stands for no rules",
        ),
        (
            compared(SHARED),
            "rule sets to be compared stand in a list, [rules_a, rules_b, None]; this is "
            "'P(Cough | Flu=no) = P(Cough | Flu=yes)'",
        ),
        (compared([SHARED, None], names=["Ann"]), "2 rule sets need as many names, not 1"),
        (
            compared([SHARED, None], names="AB"),
            "names are a list of texts, one per rule set, not 'AB'",
        ),
        (
            compared([SHARED, None], names=["Ann", ""]),
            "the name of a rule set is a text, not ''",
        ),
        (compared([SHARED, None], names=["Ann", "Ann"]), "two rule sets are named 'Ann'"),
        (
            compared([SHARED, None], folds=5),
            "4 cases cannot be split into 5 folds: every fold needs a case",
        ),
        (
            compared([SHARED, None], prior=tc.BDeu),
            "prior takes a value such as tc.BDeu(1), not the class BDeu",
        ),
        (
            compared([SHARED, None], sampling=1000),
            "sampling takes a value such as tc.Sampling(8_000), not 1000",
        ),
        (
            compared([SHARED, None], folds=2, threads=0),
            "threads=0 must be a whole number, 1 or more",
        ),
    ],
)
def test_an_option_that_makes_no_sense_is_named(ask, message) -> None:
    with pytest.raises(TacitError) as told:
        ask()
    assert str(told.value) == message


def test_a_conflict_names_its_set() -> None:
    with pytest.raises(ConflictError) as told:
        compared([SHARED, CLASH, None], folds=2)()
    assert str(told.value) == (
        "expert B: 2 rules contradict each other\n\n"
        "    line 1: P(Flu=yes) <= 0.2\n    line 2: P(Flu=yes) >= 0.5\n\n"
        "line 1 needs P(Flu=yes) to be at most 0.2, line 2 leaves at least 0.5\n\n"
        "change or leave out one"
    )
    assert len(told.value.rules) == 2


@pytest.mark.parametrize(
    ("rules", "names", "start"),
    [
        ("P(Flu=ja) <= 0.2", None, "expert B: line 1: 'Flu' has no state 'ja'"),
        ("P(Flu=ja) <= 0.2", ["Ann", "Bob"], "Bob: line 1: 'Flu' has no state 'ja'"),
        ("P(Flu=yes <= 0.2", None, "rule set 2: "),
    ],
)
def test_a_rule_that_does_not_fit_names_its_set(rules, names, start) -> None:
    with pytest.raises(KnowledgeError) as told:
        compared([SHARED, rules], names=names, folds=2)()
    assert str(told.value).startswith(start)
