"""Rules that are not linear: what they are bound to, and the functions that they become."""

from __future__ import annotations

import math
import subprocess
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_curved
import tacit as tc
from tacit.core.dag import Dag
from tacit.core.errors import SizeError
from tacit.core.variables import Discrete
from tacit.estimate.curved import events
from tacit.estimate.curved.functions import Functions, functions_of
from tacit.knowledge import bending
from tacit.knowledge.applying import rule
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.curves import Applied, Event, Mass, Polynomial
from tacit.knowledge.expansion import expansion
from tacit.knowledge.parsing import rule_of, rules_of
from tacit.knowledge.statements import Smooth

SMOKER = Discrete("Smoker", ("no", "yes"))
GENES = Discrete("Genes", ("good", "bad"))
CANCER = Discrete("Cancer", ("no", "yes"))
XRAY = Discrete("Xray", ("normal", "abnormal"))
DIE = Discrete("Die", ("a", "b", "c"))
FAMILIES = {
    "Smoker": (SMOKER,),
    "Genes": (GENES,),
    "Cancer": (SMOKER, GENES, CANCER),
    "Xray": (CANCER, XRAY),
    "Die": (DIE,),
}
CELLS = Cells.of(FAMILIES)
DAG = Dag({name: tuple(axis.name for axis in axes[:-1]) for name, axes in FAMILIES.items()})
# cells: Smoker 0-1, Genes 2-3, Cancer 4-11, Xray 12-15, Die 16-18


def bound(text: str) -> Bound:
    return bind(rules_of(text), CELLS)


def functions(text: str) -> Functions:
    return functions_of(bound(text), DAG)


def some(cells: Cells = CELLS, seed: int = 1) -> Any:
    random, theta = np.random.default_rng(seed), np.zeros(cells.size)
    for name in cells.families:
        block = cells.block(name)
        theta[block] = random.dirichlet(np.full(block.shape[-1], 2.0), block.shape[:-1])
    return theta


def die(a: float, b: float) -> Any:
    theta = some()
    theta[16:] = a, b, 1 - a - b
    return theta


def linear(text: str) -> tuple[list[int], list[float], float]:
    found = bound(text)
    assert not found.curved
    (limit,) = found.rows.limits
    return found.rows.cells.tolist(), found.rows.factors.tolist(), float(limit)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("P(Die=a) / P(Smoker=yes) >= 3", "P(Die=a) >= 3 * P(Smoker=yes)"),
        ("P(Die=a) / P(Smoker=yes) = 3", "P(Die=a) = 3 * P(Smoker=yes)"),
        ("3 >= P(Die=a) / P(Smoker=yes)", "P(Die=a) <= 3 * P(Smoker=yes)"),
        ("P(Die=a) / (1 - P(Die=a)) <= 4", "5 * P(Die=a) <= 4"),
        ("P(Die=a) / P(Die=b) - P(Die=c) / P(Die=b) <= 2",
         "P(Die=a) - P(Die=c) <= 2 * P(Die=b)"),
        ("1 / (P(Die=a) - 1) <= -2", "2 * P(Die=a) >= 1"),
        ("P(Die=a) * P(Die=b) / P(Die=b) <= 0.3", "P(Die=a) <= 0.3"),
        ("P(Die=a) / P(Die=b) * P(Die=b) * 2 <= 0.3", "2 * P(Die=a) <= 0.3"),
        ("P(Smoker=yes, Die={a, b, c}) <= 0.3", "P(Smoker=yes) <= 0.3"),
        ("P(Cancer=yes | Smoker=no, Genes=bad) / P(Die=a) <= 2",
         "P(Cancer=yes | Smoker=no, Genes=bad) <= 2 * P(Die=a)"),
    ],
)  # fmt: skip
def test_what_is_linear_when_multiplied_out_is_linear(text: str, same: str):
    cells, factors, limit = linear(text)
    others, plain, bar = linear(same)
    assert cells == others
    assert_allclose([*factors, limit], [*plain, bar])


def test_a_condition_of_parents_still_stands_for_rows():
    found = bound("P(Cancer=yes | Smoker=yes) <= 0.3; P(Xray=normal | Cancer=*) <= 0.9")
    assert not found.curved
    assert len(found.rows) == 4


def test_events_are_what_no_row_is():
    (marginal, diagnosis, both) = (
        curve.instances[0]
        for curve in bound(
            "P(Xray=abnormal) <= 0.2; P(Cancer=yes | Xray=abnormal) >= 0.5;"
            "P(Genes=bad, Cancer=yes) <= 0.1"
        ).curved
    )
    xray, ill = Event((("Xray", (1,)),)), Event((("Cancer", (1,)), ("Xray", (1,))))
    assert dict(_turned(marginal)) == {(): -0.2, (xray,): 1.0}
    assert dict(_turned(diagnosis)) == {(xray,): 0.5, (ill,): -1.0}
    assert [terms for terms, _ in diagnosis.under] == [((1.0, (xray,)),)]
    assert dict(_turned(both)) == {(): -0.1, (Event((("Cancer", (1,)), ("Genes", (1,)))),): 1.0}


def _turned(instance: Any) -> list[tuple[Any, float]]:
    assert isinstance(instance, Polynomial)
    return [(atoms, factor) for factor, atoms in instance.terms]


def test_what_divides_and_multiplies_is_left_out():
    (curve,) = bound("P(Cancer=yes | Xray=abnormal) * P(Xray=abnormal) <= 0.1").curved
    both = Event((("Cancer", (1,)), ("Xray", (1,))))
    assert dict(_turned(curve.instances[0])) == {(): -0.1, (both,): 1.0}
    assert curve.instances[0].under == ()


def test_a_divisor_of_either_sign_does_not_turn_the_rule_round():
    found = functions("P(Die=a) / (P(Die=b) - P(Die=c)) <= 1")
    for a, b in ((0.1, 0.6), (0.3, 0.45), (0.3, 0.36), (0.3, 0.3), (0.1, 0.2)):
        c = 1 - a - b
        holds = a / (b - c) <= 1
        (value,), (excess,) = found.values(die(a, b)), found.excess(die(a, b))
        assert (value <= 0) == holds
        assert_allclose(excess, max(0.0, a / (b - c) - 1))


def test_free_variables_are_one_index_of_a_statement_that_is_not_linear():
    said = bound("P(Die) * P(Die) <= P(Cancer=yes | Smoker=no) / P(Xray=normal | Cancer={no, yes})")
    lines = expansion(said, 0)
    assert len(lines) == 3 * 2 * 2
    assert lines[1] == (
        "P(Die=a) * P(Die=a) <= P(Cancer=yes | Smoker=no, Genes=good) / P(Xray=normal | Cancer=yes)"
    )
    again = bound("\n".join(lines))
    theta = some()
    assert_allclose(functions_of(again, DAG).excess(theta), functions_of(said, DAG).excess(theta))


def test_a_variable_named_without_a_state_runs_in_an_event_too():
    assert expansion(bound("P(Cancer=yes | Xray) >= P(Cancer=yes, Xray)"), 0) == (
        "P(Cancer=yes | Xray=normal) >= P(Cancer=yes, Xray=normal)",
        "P(Cancer=yes | Xray=abnormal) >= P(Cancer=yes, Xray=abnormal)",
    )


def test_about_chains_and_ratios_may_be_curved():
    assert expansion(bound("P(Xray=normal) ~ P(Cancer=no) +- 0.1"), 0) == (
        "P(Xray=normal) <= P(Cancer=no) + 0.1",
        "P(Xray=normal) >= P(Cancer=no) - 0.1",
    )
    (equal,) = bound("P(Xray=normal) ~ P(Cancer=no) +- 0").curved
    assert equal.equal
    chain = bound("0.1 <= P(Die=a) <= P(Xray=normal) = P(Cancer=no)")
    assert [(curve.equal, len(curve.instances)) for curve in chain.curved] == [
        (True, 1),
        (False, 1),
    ]
    assert len(chain.rows) == 1
    ratios = bound("P(Xray=normal) : P(Cancer=no) : P(Die=c) = P(Die=a) : P(Die=b) : P(Die=c)")
    assert expansion(ratios, 0) == (
        "P(Xray=normal) * P(Die=b) = P(Cancer=no) * P(Die=a)",
        "P(Xray=normal) * P(Die=c) = P(Die=c) * P(Die=a)",
    )


def test_product_synergy_is_a_curved_rule():
    found = bound("positive product synergy of Smoker, Genes on Cancer")
    (curve,), (products,) = found.curved, found.products
    assert [len(curve.instances), curve.rule, curve.equal] == [1, 0, False]
    (left, right) = ([Mass((int(cell),)) for cell in side[:, 0]] for side in
                     (products.left, products.right))  # fmt: skip
    assert curve.instances[0].terms == ((1.0, tuple(left)), (-1.0, tuple(right)))
    (line,) = expansion(found, 0)
    theta = some()
    assert_allclose(functions(line).excess(theta), functions_of(found, DAG).excess(theta))


def test_equal_quotients_of_cells_are_equal_ratios():
    found = bound("P(Die=a) / P(Die=b) = P(Xray=normal | Cancer) / P(Smoker=no)")
    same = bound("P(Die=a) : P(Die=b) = P(Xray=normal | Cancer) : P(Smoker=no)")
    assert not found.curved
    assert [each.lists.tolist() for each in found.proportions] == [
        each.lists.tolist() for each in same.proportions
    ]
    assert expansion(found, 0) == expansion(same, 0)
    for text in ("P(Die=a) / P(Die={b, c}) = P(Smoker=no) / P(Smoker=yes)",
                 "P(Die=a) / P(Die=b) = P(Xray=normal) / P(Smoker=yes)",
                 "2 * P(Die=a) / P(Die=b) = P(Genes=bad) / P(Smoker=yes)"):  # fmt: skip
        assert not bound(text).proportions
        assert len(bound(text).curved) == 1


def test_a_group_stands_for_its_states_in_an_event():
    found = bound("let low = {a, b}; let any = {no, yes}; P(Die=low, Cancer=yes | Xray=normal) = 0")
    event = found.curved[0].instances[0].terms[0][1][0]
    assert event == Event((("Cancer", (1,)), ("Die", (0, 1)), ("Xray", (0,))))


def test_tables_that_are_one_are_moved_together():
    names = ("X1", "X2", "X3", "X4")
    axes = {name: Discrete(name, ("a", "b", "c")) for name in names}
    families = {"X1": (axes["X1"],), **{
        child: (axes[parent], axes[child]) for parent, child in pairwise(names)
    }}  # fmt: skip
    cells = Cells(families, {"X1": 0, "X2": 3, "X3": 3, "X4": 3}, 12)
    dag = Dag({"X1": (), "X2": ("X1",), "X3": ("X2",), "X4": ("X3",)})
    found = functions_of(bind(rules_of("P(X4=b) <= 0.2; P(X1=a | X3=c) >= 0.5"), cells), dag)
    theta = some(cells)
    start, step = theta[:3], theta[3:].reshape(3, 3)
    marginal = (start @ step @ step @ step)[1]
    assert_allclose(found.excess(theta)[0], max(0.0, marginal - 0.2))
    weights = np.array([1.0, -2.0])
    bends = found.hessian(theta, weights)
    for at, cell in enumerate(found.support.tolist()):
        slope = naive_curved.slope(found.values, theta, cell)
        assert_allclose(found.jacobian(theta)[:, at], slope, atol=1e-9)
        slope = naive_curved.slope(lambda there: weights @ found.jacobian(there), theta, cell)
        assert_allclose(bends[:, at], slope, atol=1e-9)


def test_cells_that_are_zero_do_no_harm():
    found = functions("P(Xray=abnormal, Genes=bad) <= 0.2; P(Die=a) * P(Die=a) * P(Die=b) <= 0.1")
    theta = some()
    theta[[2, 3, 5, 9, 12, 16]] = 1.0, 0.0, 0.0, 0.0, 0.0, 0.0
    bends = found.hessian(theta, np.ones(2))
    for at, cell in enumerate(found.support.tolist()):
        assert_allclose(found.jacobian(theta)[:, at],
                        naive_curved.slope(found.values, theta, cell), atol=1e-9)  # fmt: skip
        slope = naive_curved.slope(lambda there: found.jacobian(there).sum(axis=0), theta, cell)
        assert_allclose(bends[:, at], slope, atol=1e-9)


def test_a_long_chain_is_summed_link_by_link():
    names = [f"X{at}" for at in range(120)]
    axes = {name: Discrete(name, ("a", "b")) for name in names}
    cells = Cells.of({"X0": (axes["X0"],), **{
        child: (axes[parent], axes[child]) for parent, child in pairwise(names)
    }})  # fmt: skip
    dag = Dag({"X0": (), **{child: (parent,) for parent, child in pairwise(names)}})
    found = functions_of(bind(rules_of("P(X119=b) <= 0"), cells), dag)
    theta = some(cells)
    chance = theta[:2]
    for step in theta[2:].reshape(-1, 2, 2):
        chance = chance @ step
    assert_allclose(found.excess(theta), chance[1])
    assert_allclose(
        found.jacobian(theta) @ theta[found.support] * found.size, 120 * chance[1]
    )  # Euler: degree 120
    assert_allclose(
        theta[found.support] @ found.hessian(theta, found.size) @ theta[found.support],
        120 * 119 * chance[1],
    )


def test_a_network_that_is_too_wide_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(events, "MOST_SLOPES", 40)
    with pytest.raises(SizeError) as caught:
        events.contraction(CELLS, DAG, Event((("Smoker", (1,)), ("Xray", (1,)))))
    assert str(caught.value) == (
        "P(Smoker=yes, Xray=abnormal) is summed over 4 variables, and one step has 4 cells "
        "(Genes, Cancer)\n\n"
        "hold some of them to single states, or speak of the rows of tables"
    )


def test_a_rule_that_stands_for_too_many_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(bending, "MOST_INSTANCES", 5)
    with pytest.raises(SizeError) as caught:
        bound("P(Die) * P(Cancer | Smoker=no, Genes=bad) <= 0.2")
    assert str(caught.value) == (
        "line 1: this rule stands for 6 rules that are not linear\n\n"
        "    P(Die) * P(Cancer | Smoker=no, Genes=bad) <= 0.2\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n\n"
        "hold some variables to single states: Die, Cancer"
    )


def test_sums_that_are_multiplied_again_and_again_are_refused():
    many = " * ".join(["(P(Die=a) + P(Die=b) + P(Xray=normal) + 1)"] * 12)
    assert len(bound(f"{many} <= 20").curved[0].instances[0].terms) == math.comb(12 + 3, 3)
    wide = "P(Die=a) + P(Die=b) + P(Smoker=no) + P(Genes=bad) + P(Xray=normal) + P(Cancer=no)"
    with pytest.raises(SizeError, match="too many terms when it is multiplied out"):
        bound(f"{' * '.join([f'({wide})'] * 12)} <= 0.2")


def test_some_of_the_functions_can_be_had():
    said = bound("P(Xray=normal) <= 0.2; P(Die=a) * P(Die=b) <= 0.1; P(Cancer=no) >= 0.5")
    every, theta = functions_of(said, DAG), some()
    few = functions_of(said, DAG, np.array([2, 1]))
    assert few.rule.tolist() == [2, 1]
    assert few.texts == ("P(Cancer=no) >= 0.5", "P(Die=a) * P(Die=b) <= 0.1")
    assert_allclose(few.values(theta), every.values(theta)[[2, 1]])
    assert [cells.tolist() for cells in few.touched][1] == [16, 17]
    assert 12 not in few.support


def odds_ratio(p: float, q: float) -> float:
    return p / (1 - p) / (q / (1 - q))


def test_a_function_is_a_rule_that_prints():
    said = rule(odds_ratio, ["P(Cancer=yes | Smoker=yes)", "Cancer=yes | Smoker=no"], at_least=2)
    assert str(said) == "odds_ratio(P(Cancer=yes | Smoker=yes), P(Cancer=yes | Smoker=no)) >= 2"
    assert isinstance(said.statement, Smooth)
    stated = said.stated(by="Dr. Lee", confidence=0.9)
    assert str(stated) == f'{said} confidence 0.9 by "Dr. Lee"'
    assert (stated.by, stated.confidence) == ("Dr. Lee", 0.9)
    again = rule(
        odds_ratio, ["P(Cancer=yes | Smoker=yes)", "P(Cancer=yes | Smoker=no)"],
        at_least=2, by="Dr. Lee", confidence=0.9,
    )  # fmt: skip
    assert again == stated
    assert hash(again) == hash(stated)
    between = rule(lambda p: p, ["Die=a"], at_least=0.1, at_most=0.2)
    assert str(between) == "0.1 <= function(P(Die=a)) <= 0.2"
    assert str(rule(math.sqrt, ["Die=a"], equal=0.5)) == "sqrt(P(Die=a)) = 0.5"
    assert str(rule(math.sqrt, ["Die=a"], at_most=0.5, name="root")) == "root(P(Die=a)) <= 0.5"
    with pytest.raises(tc.KnowledgeError, match="no text can state a rule on it"):
        rule_of(str(said))


def test_a_function_holds_for_every_state_of_what_is_free():
    said = rule(odds_ratio, ["P(Cancer=yes | Smoker=yes)", "P(Cancer=yes | Xray=normal)"],
                at_least=2, at_most=5)  # fmt: skip
    found = bind([said], CELLS)
    (curve,) = found.curved
    assert all(isinstance(each, Applied) for each in curve.instances)
    assert expansion(found, 0)[:2] == (
        "odds_ratio(P(Cancer=yes | Smoker=yes, Genes=good), P(Cancer=yes | Xray=normal)) >= 2",
        "odds_ratio(P(Cancer=yes | Smoker=yes, Genes=good), P(Cancer=yes | Xray=normal)) <= 5",
    )
    values = functions_of(found, DAG).values(some())
    assert_allclose(values[::2] - 2, -(values[1::2] + 5))


def test_a_function_without_a_value_is_nan_there():
    said = rule(math.log, ["P(Cancer=yes | Xray=normal)"], at_least=-2)
    theta = some()
    theta[[12, 14]] = 0.0
    found = functions_of(bind([said], CELLS), DAG)
    assert np.isnan(found.values(theta)).all()
    assert np.isnan(found.excess(theta)).all()
    assert np.isnan(found.jacobian(theta)).any()


def test_what_a_function_raises_later_is_told():
    calls = iter(range(5))

    def tired(p: float) -> float:
        next(calls, None)
        if next(calls, "none left") == "none left":
            raise RuntimeError("no more")
        return p

    with pytest.raises(tc.KnowledgeError, match=r"tired\(0.\d+\) raised RuntimeError: no more"):
        functions_of(bind([rule(tired, ["Die=a"], at_least=0.1)], CELLS), DAG).values(some())


def test_a_check_lists_what_is_not_linear():
    text = "P(Xray=abnormal) <= 0.2\nP(Smoker=yes) <= 0.3\n0 <= P(Smoker=yes) <= P(Xray=normal)"
    network = tc.Network.of(
        [tc.Table(axes, some()[CELLS.block(name)]) for name, axes in FAMILIES.items()]
    )
    check = tc.check(text, network)
    assert check.feasible
    assert check.curved == (0, 2)
    assert not check.redundant
    assert str(check).startswith("3 rules: those that are linear can hold together\n")
    assert check.notes == (
        "not linear, so looked for by search in a fit, and not held against the others: "
        "lines 1 and 3",
    )
    assert [each["linear"] for each in check.to_plain()["rules"]] == [False, True, False]
    alone = tc.check("P(Xray=abnormal) <= 0.2", network)
    assert str(alone).startswith("1 rule: not linear; a fit will look for tables that obey it\n")
    clash = tc.check("P(Xray=abnormal) <= 0.2; P(Smoker=yes) = 0.2; P(Smoker=no) = 0.2", network)
    assert not clash.feasible


def test_reading_curved_rules_loads_no_kernels():
    code = (
        "import sys, tacit; tacit.Knowledge.parse('P(A=a) * P(B=b) / P(C=c) = 1'); "
        "tacit.P('A=a') / tacit.P('B=b') <= 0.3; "
        "from tacit.knowledge.applying import rule; rule(abs, ['P(A=a)'], at_least=0.1); "
        "print(*[name for name in ('numba', 'scipy', 'numpy', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
