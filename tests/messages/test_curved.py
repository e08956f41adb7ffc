"""What is said about functions that make no rule, and about divisors that are 0, in full."""

from __future__ import annotations

import math
from typing import Any

import pytest

import tacit as tc
from tacit.core.variables import Discrete
from tacit.knowledge.applying import rule
from tacit.knowledge.binding import bind
from tacit.knowledge.cells import Cells
from tacit.knowledge.parsing import rules_of

SMOKER = Discrete("Smoker", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
FEVER = Discrete("Fever", ("low", "high"))
WIND = Discrete("Wind", ("calm", "strong"))
MILL = Discrete("Mill", ("still", "turning"))
CELLS = Cells.of(
    {
        "Smoker": (SMOKER,),
        "Cough": (SMOKER, COUGH),
        "Fever": (COUGH, FEVER),
        "Mill": (WIND, MILL),
    }
)
LIKE = 'tc.rule takes a list such as ["P(A=yes | B=yes)", "P(A=yes | B=no)"]'
BOUNDS = "say at_least=, at_most= or equal= of the function; equal= stands alone"
ONE = ["P(Smoker=yes)"]


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        ((3, ONE), {"equal": 1}, "the function of a rule is a Python function, not 3"),
        ((abs, ONE), {"equal": 1, "gradient": 3},
         "the gradient of a rule is a Python function, not 3"),
        ((abs, ONE), {}, BOUNDS),
        ((abs, ONE), {"equal": 1, "at_least": 1}, BOUNDS),
        ((abs, ONE), {"at_least": "1"}, "a bound of a function is a number, not '1'"),
        ((abs, ONE), {"at_most": math.nan}, "a bound of a function is a number, not nan"),
        ((abs, ONE), {"at_least": 2, "at_most": 1},
         "at_least=2.0, at_most=1.0: the lower bound is the larger"),
        ((abs, "P(Smoker=yes)"), {"equal": 1}, f"{LIKE}, not 'P(Smoker=yes)'"),
        ((abs, []), {"equal": 1}, f"{LIKE}, not []"),
        ((abs, [3]), {"equal": 1}, f"{LIKE}, and 3 is no text"),
        ((abs, ["P(Smoker=yes) + 1"]), {"equal": 1},
         f"{LIKE}, and 'P(Smoker=yes) + 1' is no single probability"),
        ((abs, ONE), {"equal": 1, "name": "f(x)"}, "the name of a function is a word, not 'f(x)'"),
        ((abs, ONE), {"equal": 1, "by": 3}, "who said a rule is a text, not 3"),
        ((abs, ONE), {"equal": 1, "confidence": 2},
         "a confidence is above 0 and at most 1, not 2"),
        ((abs, ["P(Smoker=)"]), {"equal": 1},
         "this does not fit here: ')'\n\n    P(Smoker=)\n             ^\n\n"
         "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3"),
    ],
)  # fmt: skip
def test_what_makes_no_rule_on_a_function(given: Any, options: Any, message: str):
    with pytest.raises(tc.KnowledgeError) as caught:
        rule(*given, **options)
    assert str(caught.value) == message


def three(p: float, q: float, r: float) -> float:
    return p + q + r


INSIDE = "the function must be a finite number wherever probabilities lie between 0 and 1"


@pytest.mark.parametrize(
    ("function", "gradient", "what", "advice"),
    [
        (three, None,
         "the function f(p: 'float', q: 'float', r: 'float') -> 'float' cannot take the 2 "
         "probabilities that the rule names", ""),
        (lambda p, q: p * q, lambda p: (p,),
         "the gradient f(p) cannot take the 2 probabilities that the rule names", ""),
        (lambda p, q: math.nan, None, "f(0.5, 0.5) is nan", INSIDE),
        (lambda p, q: math.inf, None, "f(0.5, 0.5) is inf", INSIDE),
        (lambda p, q: "much", None, "f(0.5, 0.5) is 'much'", INSIDE),
        (lambda p, q: [p, q], None, "f(0.5, 0.5) is [0.5, 0.5]", INSIDE),
        (lambda p, q: 1 / (p - 0.5), None,
         "f(0.5, 0.5) raised ZeroDivisionError: float division by zero",
         "the function must have a value wherever probabilities lie between 0 and 1"),
        (lambda p, q: p * q, lambda p, q: (q,), "the gradient of f(0.5, 0.5) is [0.5]",
         "it must be 2 finite numbers, the derivative by each probability"),
        (lambda p, q: p + 2 * q, lambda p, q: (2, 1),
         "the gradient of f(0.5, 0.5) is (2, 1), but the function changes by (1, 2)",
         "give the derivative by each probability, or no gradient"),
    ],
)  # fmt: skip
def test_a_function_is_tried_before_it_is_used(function, gradient, what, advice):
    said = rule(
        function, ["P(Smoker=yes)", "P(Cough=dry)"], at_least=1, name="f", gradient=gradient
    )
    with pytest.raises(tc.KnowledgeError) as caught:
        bind([said], CELLS)
    line = "f(P(Smoker=yes), P(Cough=dry)) >= 1"
    tail = f"\n\n{advice}" if advice else ""
    assert str(caught.value) == f"{what}\n\n    {line}\n    {'^' * len(line)}{tail}"


def test_a_word_of_a_function_that_does_not_fit_is_marked():
    said = rule(lambda p, q: p, ["Smoker=yes", "Cough=loud | Smoker=yes"], at_least=1, at_most=2,
                name="f")  # fmt: skip
    with pytest.raises(tc.KnowledgeError) as caught:
        bind([said], CELLS)
    assert str(caught.value) == (
        "'Cough' has no state 'loud'\n\n"
        "    1 <= f(P(Smoker=yes), P(Cough=loud | Smoker=yes)) <= 2\n"
        "                                  ^^^^\n\n"
        "states of 'Cough': none, dry, wet"
    )


@pytest.mark.parametrize(
    ("zero", "text", "what"),
    [
        ("P(Smoker=no) = 0", "P(Cough=dry | Smoker=yes) / P(Smoker=no) <= 2", "P(Smoker=no)"),
        ("P(Smoker=yes) >= 1", "P(Cough=dry | Smoker=yes) / P(Smoker=no) <= 2", "P(Smoker=no)"),
        ("P(Cough={dry, wet} | Smoker=*) <= 0", "P(Smoker=yes | Cough=wet) <= 0.5", "P(Cough=wet)"),
        ("P(Cough=dry | Smoker=yes) = 0",
         "P(Cough=none | Smoker=no) / (P(Cough=dry | Smoker=yes) * P(Smoker=no)) <= 3",
         "P(Cough=dry | Smoker=yes)"),
        ("P(Fever=high | Cough=*) = 0", "P(Smoker=yes | Fever=high, Cough=dry) >= 0.5",
         "P(Cough=dry, Fever=high)"),
    ],
)  # fmt: skip
def test_a_divisor_that_other_rules_hold_at_zero(zero: str, text: str, what: str):
    with pytest.raises(tc.KnowledgeError) as caught:
        bind(rules_of(f"{text}\n{zero}", "expert.know"), CELLS)
    assert str(caught.value) == (
        f"expert.know:1: this rule divides by {what}, which the rules hold at 0\n\n"
        f"    {text}\n    {'^' * len(text)}\n\n"
        f"held at 0 by  expert.know:2: {zero}"
    )


def test_a_marginal_is_summed_over_tables():
    with pytest.raises(tc.KnowledgeError) as caught:
        bind(rules_of("P(Mill=turning) <= 0.5"), CELLS, others=("Wind",))
    assert str(caught.value) == (
        "line 1: 'Wind', on which 'Mill' depends, has no table\n\n"
        "    P(Mill=turning) <= 0.5\n"
        "      ^^^^\n\n"
        "a marginal is summed over tables of probabilities"
    )
