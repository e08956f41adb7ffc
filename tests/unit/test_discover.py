"""Rules found in cases: what was planted comes back, in words that an expert reads."""

from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.knowledge.cells import Cells
from tacit.knowledge.statements import Compare, Ignores, Ratios
from tacit.learn.discover import discover
from tacit.learn.discovered import Discovery
from tacit.learn.discovery.finds import Proposal
from tacit.learn.discovery.soundness import sound

SOME = ("EXPCO2", "MINVOL", "BP", "LVEDVOLUME", "HRSAT", "HREKG")
"""Variables of the alarm network."""


def network(text: str, **tables: Any) -> tc.Network:
    """A network with these tables; the states of X are x0, x1, ..., in that order."""
    dag = tc.Dag.parse(text)
    sizes = {name: np.shape(values)[-1] for name, values in tables.items()}
    variables = {
        name: tc.Discrete(name, tuple(f"{name.lower()}{at}" for at in range(size)))
        for name, size in sizes.items()
    }
    families = {
        name: tc.Table(
            tuple(variables[each] for each in (*dag.parents[name], name)), np.array(tables[name])
        )
        for name in dag.names
    }
    return tc.Network(dag, variables, families)


def even(states: int) -> list[float]:
    return [1 / states] * states


def found_in(net: tc.Network, cases: int, seed: int = 1, **wishes: Any) -> Discovery:
    return discover(net, tc.sample(net, cases, seed=seed), seed=1, **wishes)


def texts(found: Discovery, kind: str) -> list[str]:
    return [each.text for each in found if each.kind == kind]


def test_rows_that_are_one_are_found_and_no_others() -> None:
    kinds = [[0.7, 0.2, 0.1], [0.2, 0.2, 0.6], [0.1, 0.7, 0.2]]
    which = [0, 1, 0, 2, 1, 0, 2, 1]
    net = network("R -> X", R=even(8), X=[kinds[kind] for kind in which])
    found = found_in(net, 4000, within="X", kinds="rows")
    groups = {
        frozenset(int(side.parts[0].of.given[0].states[0].text[1:]) for side in each.sides)
        for each in (proposal.rule.statement for proposal in found)
        if isinstance(each, Compare)
    }
    planted = {frozenset(np.flatnonzero(np.array(which) == kind).tolist()) for kind in range(3)}
    assert groups == planted


def test_a_parent_that_matters_in_one_context_only_is_ignored_in_the_other() -> None:
    one, two, three = [0.7, 0.2, 0.1], [0.1, 0.3, 0.6], [0.3, 0.6, 0.1]
    net = network(
        "Y -> X <- Z", Y=even(3), Z=even(2), X=[[one, two], [one, three], [one, [0.2, 0.1, 0.7]]]
    )
    found = found_in(net, 6000, within="X", kinds="rows")
    assert texts(found, "rows") == ["X ignores Y when Z=z0"]
    assert isinstance(found.proposals[0].rule.statement, Ignores)


def test_a_parent_that_never_matters_is_ignored_everywhere() -> None:
    rows = np.random.default_rng(3).dirichlet(np.ones(3), size=4)
    net = network("Y -> X <- Z", Y=even(3), Z=even(4), X=np.tile(rows, (3, 1, 1)))
    found = found_in(net, 6000, within="X", kinds="rows")
    assert texts(found, "rows") == ["X ignores Y"]


def test_tables_that_are_one_are_found() -> None:
    step, other = [[0.8, 0.2], [0.3, 0.7]], [[0.5, 0.5], [0.9, 0.1]]
    variables = {name: tc.Discrete(name, ("dry", "wet")) for name in ("D1", "D2", "D3", "D4")}
    dag = tc.Dag.parse("D1 -> D2 -> D3 -> D4")
    tables = {"D1": [0.5, 0.5], "D2": step, "D3": step, "D4": other}
    families = {
        name: tc.Table(
            tuple(variables[each] for each in (*dag.parents[name], name)), np.array(tables[name])
        )
        for name in dag.names
    }
    found = found_in(tc.Network(dag, variables, families), 3000, kinds="tables")
    assert texts(found, "tables") == ["table(D2 | D1) = table(D3 | D2)"]
    assert found.proposals[0].cases == 6000


def test_groups_of_equal_states_are_found_among_fifty() -> None:
    random = np.random.default_rng(8)
    group = random.permutation(np.repeat(range(4), [20, 12, 10, 8]))
    values = np.array([1.0, 2.0, 4.0, 8.0])[group]
    net = network("X", X=values / values.sum())
    found = found_in(net, 40_000)
    sets = {
        frozenset(int(side.parts[0].of.targets[0].states[0].text[1:]) for side in each.sides)
        for each in (proposal.rule.statement for proposal in found)
        if isinstance(each, Compare)
    }
    assert sets == {frozenset(np.flatnonzero(group == at).tolist()) for at in range(4)}


def test_a_shared_cell_equal_masses_and_equal_ratios_are_found() -> None:
    inside = [(0.1, 0.8), (0.35, 0.3), (0.6, 0.55), (0.85, 0.05), (0.5, 0.2)]
    masses = [[0.4 * p, 0.4 * (1 - p), 0.6 * q, 0.6 * (1 - q)] for p, q in inside]
    shared = [[0.3, 0.7 * p, 0.7 * q * (1 - p), 0.7 * (1 - q) * (1 - p)] for p, q in inside]
    ratios = [[0.5 * m, 0.3 * m, 0.2 * m, 1 - m] for m in (0.2, 0.35, 0.5, 0.7, 0.9)]
    net = network("R -> M; R -> S; R -> Q", R=even(5), M=masses, S=shared, Q=ratios)
    found = found_in(net, 20_000, within=["M", "S", "Q"])
    contexts = [f"R=r{at}" for at in range(5)]
    assert set(texts(found, "links")) == {
        " = ".join(f"P(M={{m0, m1}} | {each})" for each in contexts),
        " = ".join(f"P(S=s0 | {each})" for each in contexts),
    }
    assert texts(found, "ratios") == [
        " = ".join(" : ".join(f"P(Q=q{at} | {each})" for at in range(3)) for each in contexts)
    ]
    assert isinstance(found.proposals[-1].rule.statement, Ratios)


def test_rises_and_falls_are_found_and_nothing_that_bends() -> None:
    p = np.linspace(0.2, 0.8, 4)
    rising = np.stack([1 - p, p], axis=-1)
    bent = np.array([[0.8, 0.2], [0.3, 0.7], [0.9, 0.1], [0.2, 0.8]])
    net = network("Y -> U; Y -> D; Y -> B", Y=even(4), U=rising, D=rising[::-1], B=bent)
    found = found_in(net, 4000, kinds="orders")
    assert texts(found, "orders") == ["U increases with Y", "D decreases with Y"]


def test_an_order_of_three_states_is_weighed_by_dominance() -> None:
    rising = [[0.6, 0.3, 0.1], [0.3, 0.4, 0.3], [0.1, 0.2, 0.7]]
    crossing = [[0.6, 0.1, 0.3], [0.3, 0.6, 0.1], [0.1, 0.5, 0.4]]
    net = network("Y -> U; Y -> C", Y=even(3), U=rising, C=crossing)
    found = found_in(net, 6000, kinds="orders")
    assert texts(found, "orders") == ["U increases with Y"]


def test_nobody_is_asked_about_orders_that_nobody_stated() -> None:
    p = np.linspace(0.2, 0.8, 3)
    net = network("Y -> U", Y=even(3), U=np.stack([1 - p, p], axis=-1))
    frame = tc.to_frame(tc.sample(net, 3000, seed=1))
    found = discover("Y -> U", frame, kinds="orders", seed=1)
    assert not found.proposals
    assert found.notes[-1].startswith("nobody said which states of Y are high")
    turned = discover("Y -> U", frame, kinds="orders", seed=1, start="order of Y: y2 < y1 < y0")
    assert texts(turned, "orders") == ["U decreases with Y"]


def test_what_is_found_is_read_again_and_fitted_with(tmp_path: Path) -> None:
    kinds = [[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]
    net = network("R -> X", R=even(4), X=[kinds[at % 2] for at in range(4)])
    data = tc.sample(net, 4000, seed=1)
    found = discover(net, data, seed=1)
    place = tmp_path / "found.know"
    found.save(place)
    again = tc.read_knowledge(place)
    assert [rule.statement for rule in again] == [each.rule.statement for each in found]
    assert place.read_text().startswith("# rules that 4,000 cases support")
    fit = tc.fit(net, data, knowledge=again)
    table = fit.network["X"]
    assert isinstance(table, tc.Table)
    assert_allclose(table.values[0], table.values[2])
    free = tc.fit(net, data)
    assert tc.divergence(net, fit.network) < tc.divergence(net, free.network)


def test_odd_names_are_quoted() -> None:
    names = ('a "b"', "not", "c = P(d)")
    columns = {name: [] for name in names}
    random = np.random.default_rng(0)
    for first, second in product(("ja, nein", "=*"), ('x"', "by", "{}")):
        p = {"ja, nein": (0.7, 0.2, 0.1), "=*": (0.1, 0.2, 0.7)}[first]
        for _ in range(700):
            columns[names[0]].append(first)
            columns[names[1]].append(second)
            columns[names[2]].append(random.choice(["1 2", "#", ";"], p=p))
    dag = tc.Dag({names[2]: (names[0], names[1]), names[0]: (), names[1]: ()})
    found = discover(dag, columns, seed=1, start=None)
    assert '"c = P(d)" ignores "not"' in texts(found, "rows")
    again = tc.parse_knowledge(str(found.knowledge))
    assert tc.fit(dag, columns, knowledge=again).rules


def test_rules_of_the_expert_are_kept_and_never_proposed() -> None:
    kinds = [[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]
    net = network("R -> X", R=even(6), X=[kinds[at % 2] for at in range(6)])
    data = tc.sample(net, 3000, seed=1)
    said = "P(X | R=r0) = P(X | R=r2)"
    found = discover(net, data, start=said, within="X", kinds="rows", seed=1)
    assert found.knowledge.rules[0].text == said
    assert texts(found, "rows") == [
        "P(X | R=r1) = P(X | R=r3) = P(X | R=r5)",
        "P(X | R=r0) = P(X | R=r4)",
    ]
    alone = discover(net, data, within="X", kinds="rows", seed=1)
    assert found.log_marginal_likelihood == pytest.approx(alone.log_marginal_likelihood)
    assert found.before > alone.before
    bounded = discover(net, data, start="P(X=x0 | R=r0) <= 0.9", within="X", kinds="rows", seed=1)
    assert "1 row has rules already and was not searched" in bounded.notes
    assert all("R=r0" not in each.text for each in bounded)


def test_counts_weights_and_the_order_of_cases_make_no_difference() -> None:
    net = tc.textbook("alarm")
    data = tc.sample(net, 3000, seed=2)
    found = discover(net, data, seed=3, within=SOME)
    assert {"rows", "orders"} <= {each.kind for each in found}
    again = discover(net, data, seed=3, within=SOME)
    assert again.to_plain() == found.to_plain()
    frame = tc.to_frame(data)
    shuffled = frame.sample(frac=1, random_state=1).reset_index(drop=True)
    assert discover(net, shuffled, seed=3, within=SOME).knowledge == found.knowledge
    statistics = tc.Statistics(net)
    statistics = statistics.update(data) or statistics
    assert discover(net, statistics, seed=3, within=SOME).knowledge == found.knowledge


def test_missing_cells_and_continuous_variables_are_noted() -> None:
    random = np.random.default_rng(1)
    kinds = [[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]
    net = network("R -> X", R=even(4), X=[kinds[at % 2] for at in range(4)])
    frame = tc.to_frame(tc.sample(net, 4000, seed=1))
    frame["T"] = random.normal(size=len(frame))
    frame.loc[:99, "X"] = None
    found = discover("R -> X; T", frame, seed=1)
    assert len(texts(found, "rows")) == 2
    assert "T is continuous: rules are discovered in tables only" in found.notes
    assert any(note.startswith("100 cells missing: every table") for note in found.notes)


def test_a_discovery_prints_and_is_plain_data() -> None:
    kinds = [[0.7, 0.2, 0.1], [0.2, 0.2, 0.6]]
    net = network("R -> X", R=even(4), X=[kinds[at % 2] for at in range(4)])
    found = found_in(net, 3000, within="X")
    plain = json.loads(json.dumps(found.to_plain()))
    assert [each["text"] for each in plain["proposals"]] == [each.text for each in found]
    assert len(found.trace) == len(texts(found, "rows"))
    assert found.trace[-1].log_marginal_likelihood == pytest.approx(found.log_marginal_likelihood)
    steps = [found.before, *(step.log_marginal_likelihood for step in found.trace)]
    assert all(after > before for before, after in pairwise(steps))
    shown = str(found)
    assert all(each.text in shown and each.remark in shown for each in found)
    assert repr(found) == "<Discovery of 2 rules>"
    page = found._repr_html_()
    assert page.count("<tr>") == 3
    assert "&" not in found.proposals[0].text


def test_nothing_found_says_so() -> None:
    rows = [[0.7, 0.2, 0.1], [0.2, 0.25, 0.55], [0.05, 0.9, 0.05]]
    net = network("R -> X", R=[0.5, 0.3, 0.2], X=rows)
    found = found_in(net, 500, kinds=("rows", "tables"))
    assert str(found).startswith(
        "the cases (500) support no rule of the kinds that were looked for"
    )
    assert not found.knowledge.rules
    assert found.log_marginal_likelihood == found.before
    assert "table" not in found._repr_html_()


def test_a_table_of_thousands_of_rows_is_searched_where_its_cases_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tacit.learn.discovery.rows.MOST_ROWS", 150)
    random = np.random.default_rng(5)
    shape = (12, 13, 14)
    rows = random.dirichlet(np.ones(2), size=3)[random.integers(3, size=shape)]
    net = network("A -> X; B -> X; C -> X", A=even(12), B=even(13), C=even(14), X=rows)
    found = found_in(net, 6000, within="X", kinds="rows")
    assert any(note.startswith("X has ") and "compared" in note for note in found.notes)


def test_within_and_kinds_restrict_the_search() -> None:
    net = tc.textbook("alarm")
    data = tc.sample(net, 3000, seed=2)
    found = discover(net, data, within=["EXPCO2", "MINVOL"], kinds=("rows",), seed=1)
    assert found.proposals
    assert {each.kind for each in found} == {"rows"}
    assert all("EXPCO2" in each.text or "MINVOL" in each.text for each in found)


def test_finds_that_have_no_closed_form_together_give_way() -> None:
    """A mass of rows that tables share, named in one table alone, is no tree of splits."""
    rows, child = ("r0", "r1"), ("a", "b", "c", "d")
    axes = {f"T{at}": (tc.Discrete(f"R{at}", rows), tc.Discrete(f"T{at}", child)) for at in (1, 2)}
    texts = [
        ("tables", "table(T1 | R1) = table(T2 | R2)"),
        ("links", "P(T1={a, b} | R1=r0) = P(T1={a, b} | R1=r1)"),
        ("orders", "T1 increases with R1"),
    ]
    finds = [
        Proposal(tc.parse_knowledge(text).rules[0], kind, 9.0, 9.0, 1.0, 100.0)
        for kind, text in texts
    ]
    standing, gone = sound(finds, [], Cells.of(axes))
    assert [each.kind for each in standing] == ["tables", "orders"]
    assert gone == (finds[1],)


def test_a_proposal_says_how_well_it_is_supported() -> None:
    rule = tc.parse_knowledge("P(A=a) = P(A=b)").rules[0]
    words = [
        Proposal(rule, "cells", gain, gain, 1.0, 2.5).remark
        for gain in (1.5, 3.0, 5.0, 20.0, 800.0)
    ]
    assert words == [
        "1.5 nats, Bayes factor 4.5, weak support, 2.500 cases",
        "3.0 nats, Bayes factor 20, positive support, 2.500 cases",
        "5.0 nats, Bayes factor 148, strong support, 2.500 cases",
        "20.0 nats, Bayes factor 4.9e+08, very strong support, 2.500 cases",
        "800.0 nats, Bayes factor e^800, very strong support, 2.500 cases",
    ]
