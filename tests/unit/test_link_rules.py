"""Rules about links: the optimum under them, against a solver, and what is said of each."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.variables import Discrete

NO_YES = ("no", "yes")
CAUSES = [Discrete(f"C{at}", NO_YES) for at in range(4)]
FEVER = Discrete("Fever", NO_YES)
TRUTH = tc.Network.of(
    [
        *(tc.table(each, [], [0.7, 0.3]) for each in CAUSES),
        tc.NoisyOr.of(FEVER, dict(zip(CAUSES, [0.2, 0.5, 0.7, 0.4], strict=True)), 0.1),
    ]
)
CASES = tc.sample(TRUTH, 300, seed=1)
RULES = """
    link(Fever, C0) >= 0.35
    link(Fever, C1) = link(Fever, C2)
    link(Fever, C3) <= link(Fever, C0)
    0.02 <= leak(Fever) <= 0.05
"""


def fitted(knowledge: str | None, estimate: object = None) -> tc.Fit:
    return tc.fit(
        TRUTH.dag, CASES, families={"Fever": tc.NoisyOr}, knowledge=knowledge, prior=tc.K2(),
        estimate=estimate or tc.Smoothed(),
    )  # fmt: skip


def solved(pseudo: float) -> float:
    """The optimum under RULES by a solver for convex programmes, in ω = -log(1 - link)."""
    import cvxpy as cp

    there = np.array([CASES[f"C{at}"] for at in range(4)] + [np.ones(len(CASES))]).T
    sick = CASES["Fever"] == 1
    omega = cp.Variable(5)
    value = cp.sum(cp.log(1 - cp.exp(-there[sick] @ omega))) - there[~sick].sum(axis=0) @ omega
    value += pseudo * (cp.sum(cp.log(1 - cp.exp(-omega))) - cp.sum(omega))
    bounds = -np.log1p(-np.array([0.35, 0.02, 0.05]))
    rules = [omega >= 0, omega[0] >= bounds[0], omega[1] == omega[2], omega[3] <= omega[0],
             omega[4] >= bounds[1], omega[4] <= bounds[2]]  # fmt: skip
    problem = cp.Problem(cp.Maximize(value), rules)
    problem.solve(solver="CLARABEL")
    assert problem.status == "optimal"
    return float(problem.value)


@pytest.mark.parametrize(("estimate", "pseudo"), [(tc.ML(), 0.0), (tc.Smoothed(), 1.0)])
def test_links_under_rules_are_the_optimum_of_the_constrained_programme(estimate, pseudo):
    family = fitted(RULES, estimate).network["Fever"]
    assert family.links[0] >= 0.35
    assert family.links[1] == pytest.approx(family.links[2], abs=1e-12)
    assert family.links[3] <= family.links[0] + 1e-12
    assert 0.02 <= family.leak <= 0.05
    columns = [CASES[name] for name in (*family.parents, "Fever")]
    strength = np.append(family.links, family.leak)
    value = float(family.log_prob(columns).sum())
    value += pseudo * float(np.log(strength).sum() + np.log1p(-strength).sum())
    assert value == pytest.approx(solved(pseudo), abs=1e-4)


def test_every_rule_says_what_it_costs():
    fit = fitted(RULES)
    free = fitted(None)
    assert {rule.text.strip() for rule in fit.rules} == {
        r.strip() for r in RULES.split("\n") if r.strip()
    }
    for rule in fit.rules:
        others = "\n".join(each.text for each in fit.rules if each.text != rule.text)
        assert rule.cost == pytest.approx(fitted(others).objective - fit.objective, abs=1e-6)
        assert rule.alone == pytest.approx(free.objective - fitted(rule.text).objective, abs=1e-6)
    assert [rule.verdict for rule in fit.rules if rule.active] != []


def test_a_rule_that_the_links_keep_anyway_changes_nothing():
    free = fitted(None).network["Fever"]
    kept = fitted("link(Fever, C2) >= 0.1; leak(Fever) <= 0.9")
    assert_allclose(kept.network["Fever"].links, free.links, atol=1e-9)
    assert [rule.verdict for rule in kept.rules] == ["free", "free"]


def test_em_obeys_rules_about_links_and_no_step_lowers_its_objective():
    random = np.random.default_rng(77)
    gaps = {
        name: [
            None if random.random() < 0.15 else CASES.variables[name].states[code]
            for code in CASES[name]
        ]
        for name in CASES.names
    }
    fit = tc.fit(
        TRUTH.dag, gaps, families={"Fever": tc.NoisyOr}, knowledge=RULES, prior=tc.K2(), seed=1
    )
    family = fit.network["Fever"]
    assert family.links[0] >= 0.35 - 1e-12
    assert family.links[1] == pytest.approx(family.links[2], abs=1e-9)
    assert 0.02 - 1e-12 <= family.leak <= 0.05 + 1e-12
    assert (np.diff(fit.trace) >= -1e-9 * abs(fit.objective)).all()
    assert len(fit.rules) == 4
    assert all(rule.at_least for rule in fit.rules)


def test_a_noisy_and_has_links_to_speak_of_too():
    fit = tc.fit(
        TRUTH.dag, CASES, families={"Fever": tc.NoisyAnd}, knowledge="link(Fever, C1) <= 0.2"
    )
    assert fit.network["Fever"].links[1] <= 0.2 + 1e-12


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (
            "link(Fever, C0) >= 0.5; link(Fever, C0) <= link(Fever, C1)\n"
            "link(Fever, C1) <= 0.3; leak(Fever) <= 0.1",
            "these rules cannot hold together\n\n"
            "    line 1: link(Fever, C0) >= 0.5\n"
            "    line 1: link(Fever, C0) <= link(Fever, C1)\n"
            "    line 2: link(Fever, C1) <= 0.3",
        ),
        (
            "link(Fever, C9) >= 0.2",
            "line 1: 'C9' is no parent of 'Fever'\n\n"
            "    link(Fever, C9) >= 0.2\n"
            "                ^^\n\n"
            "parents of 'Fever': C0, C1, C2, C3",
        ),
        (
            "link(C0, C1) >= 0.2",
            "line 1: 'C0' has no links\n\n"
            "    link(C0, C1) >= 0.2\n"
            "         ^^\n\n"
            "give it some: families={'C0': tc.NoisyOr}",
        ),
        (
            "2 * link(Fever, C1) >= 0.2",
            "line 1: links are compared as they are, not in sums or products\n\n"
            "    2 * link(Fever, C1) >= 0.2\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^^^^^\n\n"
            "such as  link(Fever, Flu) >= 0.3  or  link(Fever, Flu) >= link(Fever, Cold)",
        ),
        (
            "link(Fever, C1) >= 1.2",
            "line 1: a link lies between 0 and 1, and 1.2 does not\n\n"
            "    link(Fever, C1) >= 1.2\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^",
        ),
        (
            "link(Fever, C1) ~ link(Fever, C2) +- 0.1",
            "line 1: links are compared by =, <= and >=\n\n"
            "    link(Fever, C1) ~ link(Fever, C2) +- 0.1\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n\n"
            "such as  link(Fever, Flu) >= 0.3  or  link(Fever, Flu) >= link(Fever, Cold)",
        ),
    ],
)
def test_what_cannot_be_said_of_links_is_told(rules, message):
    with pytest.raises(tc.KnowledgeError) as caught:
        fitted(rules)
    assert str(caught.value) == message


def test_links_of_a_noisy_max_are_no_numbers():
    with pytest.raises(tc.KnowledgeError, match="'Fever' is a noisy-max: its links are rows"):
        tc.fit(
            TRUTH.dag, CASES, families={"Fever": tc.NoisyMax}, knowledge="link(Fever, C1) <= 0.2"
        )


def test_a_check_reads_rules_about_the_links_that_a_network_has():
    rules = "link(Fever, C0) >= 0.3; P(C0=yes) <= 0.4; leak(Fever) <= 0.1"
    found = tc.check(rules, TRUTH)
    assert found.feasible
    assert str(found).startswith("3 rules: they can hold together")
    assert "link(Fever, C0) >= 0.3" in str(found)
    broken = tc.check("link(Fever, C0) >= 0.3; link(Fever, C0) <= 0.2; leak(Fever) <= 0.1", TRUTH)
    assert not broken.feasible
    assert [rule.text for rule in broken.conflicts[0].rules] == [
        "link(Fever, C0) >= 0.3", "link(Fever, C0) <= 0.2",
    ]  # fmt: skip


def test_a_slope_is_told_of_networks_with_links():
    found = tc.sensitivity(TRUTH, "P(C0=yes | Fever=yes)")
    assert float(found.value) == pytest.approx(float(tc.query(TRUTH, found.query).values))
    assert "it changes most with" in str(found)
