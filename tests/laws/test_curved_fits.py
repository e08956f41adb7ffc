"""Laws of fits under rules that are not linear, on random cases and events."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive_curved_fit as naive
import tacit as tc
from tacit.core.dataset import Dataset

PARENTS = {"A": (), "B": ("A",), "C": ("A", "B")}
DAG = "A -> B; A -> C; B -> C"
SOME = settings(max_examples=4, deadline=None)


@st.composite
def cases(draw, missing=0.0):
    """Cases of three variables of two or three states."""
    random = np.random.default_rng(draw(st.integers(0, 10_000)))
    sizes = {"A": 2, "B": 3, "C": 2}
    variables = {name: tc.Discrete(name, tuple("xyz"[:size])) for name, size in sizes.items()}
    codes = {
        name: np.where(random.random(40) < missing, -1, random.integers(0, size, 40))
        for name, size in sizes.items()
    }
    return Dataset(variables, codes)


EVENTS = st.sampled_from(
    [
        ("P(C=x)", {"C": 0}, {}),
        ("P(C=x | B=y)", {"C": 0}, {"B": 1}),
        ("P(A=x | C=y)", {"A": 0}, {"C": 1}),
        ("P(B=z, C=y)", {"B": 2, "C": 1}, {}),
    ]
)


WHOLE = EVENTS.filter(lambda each: each[0] != "P(C=x | B=y)")
"""Without the one that speaks of rows: of each of them, whatever A is."""


def chance(fit, event, given):
    tables = {name: fit.network[name].values for name in PARENTS}
    return naive.chance(PARENTS, tables, event, given)


@SOME
@given(cases(), EVENTS, st.floats(0.001, 0.2))
def test_a_curved_rule_that_the_free_optimum_obeys_changes_nothing(data, said, room):
    text, event, held = said
    free = tc.fit(DAG, data)
    for rule in (f"{text} <= {chance(free, event, held) + room}",
                 f"{text} >= {max(0.0, chance(free, event, held) - room)}"):  # fmt: skip
        fit = tc.fit(DAG, data, knowledge=rule)
        for name in PARENTS:
            assert np.array_equal(fit.network[name].values, free.network[name].values)
        assert fit.objective == free.objective


@settings(max_examples=2, deadline=None)
@given(cases(), st.tuples(EVENTS, EVENTS), st.floats(0.3, 0.9))
def test_a_further_rule_never_raises_the_objective_and_every_rule_holds(data, said, part):
    free, rules, objectives = tc.fit(DAG, data), [], []
    for text, event, held in said:
        limit = part * chance(free, event, held)
        rules.append((f"{text} <= {limit}", limit, event, held))
        fit = tc.fit(DAG, data, knowledge=[rule for rule, *_ in rules])
        objectives.append(fit.objective)
        for _, top, one, given_ in rules:
            assert chance(fit, one, given_) <= top + 1e-8
    assert objectives[0] <= free.objective + 1e-9
    assert objectives[1] <= objectives[0] + 1e-6


@SOME
@given(cases(missing=0.3), EVENTS, st.booleans())
def test_no_step_of_em_under_a_curved_rule_lowers_the_objective(data, said, accelerate):
    text, event, held = said
    fit = tc.fit(
        DAG, data, knowledge=f"{text} = 0.3", method=tc.EM(accelerate=accelerate, max_steps=40)
    )
    assert np.diff(fit.trace).min(initial=0.0) >= -1e-9 * abs(fit.objective)
    assert abs(chance(fit, event, held) - 0.3) < 1e-7


@pytest.mark.full
@settings(max_examples=25, deadline=None)
@given(
    cases(), st.lists(st.tuples(WHOLE, st.floats(0.2, 1.8), st.booleans()), min_size=1, max_size=3)
)
def test_rules_of_both_kinds_hold_and_no_other_optimiser_does_better(data, said):
    free, texts, rules = tc.fit(DAG, data), [], []
    for (text, event, held), part, upper in said:
        limit = min(0.9, part * chance(free, event, held))
        texts.append(f"{text} {'<=' if upper else '>='} {limit}")
        sign = 1.0 if upper else -1.0

        def room(tables, event=event, held=held, limit=limit, sign=sign):
            return sign * (limit - naive.chance(PARENTS, tables, event, held))

        rules.append(("ineq", room))
    try:
        fit = tc.fit(DAG, data, knowledge=texts)
    except tc.TacitError:
        with pytest.raises(AssertionError):
            naive.most_likely(PARENTS, _weights(free), rules, starts=1)
        return
    tables = {name: fit.network[name].values for name in PARENTS}
    assert all(room(tables) >= -1e-8 for _, room in rules)
    best, _ = naive.most_likely(PARENTS, _weights(free), rules, starts=1)
    assert fit.objective >= best - 1e-4


def _weights(fit):
    """Counts and pseudo-counts, which the default estimate adds."""
    return {name: fit.evidence[name].values + fit.pseudo[name] for name in PARENTS}
