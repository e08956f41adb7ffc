"""Paths on which the network changes: states, children and hidden variables."""

from __future__ import annotations

import json
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import bottlenecks
import tacit as tc
from commands import run
from tacit.experiments.elidan.planted import measured, planted_hierarchy
from tacit.learn import diaries
from tacit.learn.bottleneck.path import BottleneckPath
from tacit.learn.bottleneck.shape import (
    Shape,
    absorbed,
    dissolved,
    fresh_name,
    idle,
    inserted,
    moved,
    resized,
)
from tacit.learn.fits import Stop

GROUPS = {letter.upper(): [f"{letter}{at}" for at in range(4)] for letter in "ab"}
TWO = tc.grouped_hierarchy({**GROUPS, "R": ["A", "B"]})
WHOLE = tc.IBEM(
    cardinality="adapt", structure=True, enrich=True, inference="exact", longest=0.1, max_steps=60
)


def planted(dag=TWO, states=2, cases=600, seed=1, stays=0.7, sharp=0.3):
    every = {name: (states if dag.children[name] else 3) for name in dag.names}
    return measured(planted_hierarchy(dag, every, seed, stays=stays, sharp=sharp), cases, seed)


def leaves(many, states, cases=500, seed=1, sharp=0.4):
    dag = tc.grouped_hierarchy({"T": [f"x{at}" for at in range(many)]})
    return dag, planted(dag, states, cases, seed, sharp=sharp)


def groups_of(fit):
    """The observed children of every hidden variable."""
    dag = fit.network.dag
    hidden = [name for name in fit.path.hidden if name in dag]
    return {frozenset(each for each in dag.children[name] if each not in hidden) for name in hidden}


def learned(data, method=WHOLE, start=None, seed=1, **options):
    dag = start or tc.grouped_hierarchy({"H": list(data.names)})
    hidden = options.pop("hidden", {"H": 2})
    return tc.fit(dag, data, hidden=hidden, method=method, seed=seed, **options)


@pytest.mark.parametrize("states", [2, 4])
def test_as_many_states_as_there_are(states):
    dag, data = leaves(8, states)
    method = tc.IBEM(cardinality="adapt", longest=0.05, max_steps=100)
    fit = tc.fit(dag, data, hidden={"T": 2}, method=method, seed=1)
    assert len(fit.network.variables["T"].states) == states
    path = fit.path
    assert path.reshaped
    assert path.column("states").max() == states + 1  # a spare one
    assert path.steps[-1].states == (states,)
    assert f"T gets {states + 1} states" in "; ".join("; ".join(e.changed) for e in path.steps)
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, data), rtol=1e-10)
    assert "states(T)" in path.columns()
    assert BottleneckPath.from_plain(json.loads(json.dumps(path.to_plain()))) == path


def test_no_more_states_than_are_allowed():
    dag, data = leaves(8, 4)
    method = tc.IBEM(cardinality="adapt", most_states=3, longest=0.1, max_steps=50)
    fit = tc.fit(dag, data, hidden={"T": 2}, method=method, seed=1)
    assert len(fit.network.variables["T"].states) == 3


def test_planted_groups_are_found_from_one_hidden_variable():
    data = planted()
    fit = learned(data)
    assert groups_of(fit) == {frozenset(GROUPS["A"]), frozenset(GROUPS["B"])}
    assert [len(fit.network.variables[name].states) for name in fit.path.hidden
            if name in fit.network] == [2, 2]  # fmt: skip
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, data), rtol=1e-10)
    flat = learned(data, tc.IBEM(longest=0.1), hidden={"H": 4})
    assert tc.cheeseman_stutz(fit, data) > tc.cheeseman_stutz(flat, data) + 10
    assert "comes between" in "; ".join("; ".join(each.changed) for each in fit.path.steps)
    assert set(fit.evidence) == set(fit.pseudo) == set(fit.network)


def test_children_move_to_the_parent_that_explains_them():
    """Two leaves were given to the wrong variable."""
    data = planted(stays=0.6)
    wrong = tc.grouped_hierarchy(
        {"A": [*GROUPS["A"][:3], "b3"], "B": [*GROUPS["B"][:3], "a3"], "R": ["A", "B"]}
    )
    method = tc.IBEM(structure=True, longest=0.1, max_steps=60)
    fit = learned(data, method, wrong, hidden={"A": 2, "B": 2, "R": 2})
    assert groups_of(fit) == {frozenset(GROUPS["A"]), frozenset(GROUPS["B"])}
    assert "R" not in fit.network  # two groups need no third variable
    moves = "; ".join("; ".join(each.changed) for each in fit.path.steps)
    assert "a3 goes to A from B" in moves
    assert "b3 goes to B from A" in moves


def test_independent_columns_stand_alone():
    data = planted(seed=2)
    rng = np.random.default_rng(0)
    noise = {name: rng.integers(0, 3, len(data)) for name in ("n1", "n2")}
    states = {name: tc.Discrete(name, ("a", "b", "c")) for name in noise}
    both = tc.Dataset({**data.variables, **states}, {**data.columns, **noise})
    dag = learned(both).network.dag
    for name in noise:
        assert dag.parents[name] == ()


def test_missing_cells_of_leaves_do_no_harm():
    data = planted(cases=800)
    rng, columns = np.random.default_rng(3), {}
    for name in data.names:
        columns[name] = np.where(rng.random(len(data)) < 0.1, -1, data[name])
    fit = learned(tc.Dataset(data.variables, columns))
    assert groups_of(fit) == {frozenset(GROUPS["A"]), frozenset(GROUPS["B"])}


# --- stopping and going on ---------------------------------------------------------------------


class BreakError(Exception):
    """Somebody pulls the plug."""


def test_broken_anywhere_it_goes_on_to_the_same_bits(tmp_path, monkeypatch):
    monkeypatch.setattr(diaries, "EVERY", 0.0)
    data, path = planted(cases=150), tmp_path / "run.ckpt"
    method = tc.IBEM(cardinality="adapt", structure=True, enrich=True, longest=0.2, max_steps=15)
    whole, breaks = learned(data, method, threads=1), 0
    for every in range(60, 4000, 40):
        left = every

        def plug(done: int, total: int) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise BreakError

        try:
            fit = learned(data, method, threads=1, checkpoint=path, resume=True, progress=plug)
            break
        except BreakError:
            breaks += 1
    assert breaks > 2
    assert fit.path == whole.path
    assert fit.network == whole.network
    for name in whole.network:
        assert_array_equal(fit.network[name].values, whole.network[name].values)
    again = learned(data, method, threads=1, checkpoint=path, resume=True)
    assert again.network == whole.network
    assert again.path == whole.path


def test_a_saved_fit_keeps_the_network_that_was_found(tmp_path):
    fit = learned(planted(cases=200), tc.IBEM(cardinality="adapt", longest=0.2, max_steps=20))
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == fit.network
    assert again.path == fit.path
    fit.path.save(tmp_path / "path.csv")


# --- shapes ------------------------------------------------------------------------------------

SHAPE = Shape(TWO, {"A": 2, "B": 2, "R": 2})


def test_shapes_change_one_thing_at_a_time():
    assert SHAPE.hierarchy
    assert not Shape(tc.Dag.parse("a -> b"), {}).hierarchy
    assert SHAPE.below("A") == {"A", *GROUPS["A"]}
    assert resized(SHAPE, "A", 5).states == {"A": 5, "B": 2, "R": 2}
    assert moved(SHAPE, "a0", "B").dag.parents["a0"] == ("B",)
    assert moved(SHAPE, "a0", None).dag.parents["a0"] == ()
    more = inserted(SHAPE, "H", 3, "A", ("a0", "a1", "a2"))
    assert more.dag.parents["H"] == ("A",)
    assert more.dag.children["A"] == ("a3", "H")
    assert dissolved(more, "H") == SHAPE
    assert dissolved(SHAPE, "R").dag.parents["A"] == ()
    one = absorbed(SHAPE, "A", "B")
    assert set(one.dag.children["B"]) == {*GROUPS["A"], *GROUPS["B"]}
    assert one.dag.parents["B"] == ("R",)
    up = absorbed(SHAPE, "R", "A")
    assert up.dag.parents["A"] == ()
    assert up.dag.parents["B"] == ("A",)
    assert idle(SHAPE) is None
    assert idle(one) == "R"
    assert fresh_name(["H", "H2"]) == "H3"
    assert Shape.of(SHAPE.plain()) == SHAPE


@pytest.mark.parametrize("gamma", [0.5, 1.0])
def test_at_frozen_shares_a_move_gains_its_difference_of_scores(gamma):
    """γ times the BDe score of the family after, minus that before; by the score of the whole."""
    from tacit.learn.bottleneck.branches import Families
    from tacit.learn.bottleneck.completion import state_at
    from tacit.learn.bottleneck.continuation import Settled
    from tacit.learn.bottleneck.reshaping import Ground, Growth, Made, distinct, reshaped, worth
    from tacit.learn.fits import Stop

    data = planted(cases=120)

    def made(shape, cases):
        problem, alpha, _ = bottlenecks.problem(shape.dag, cases, dict(shape.states))
        return Made(problem, alpha)

    ground = Ground(made, tc.IBEM(structure=True), distinct(data), dict(data.variables), tc.BDeu(1))
    route = ground.route(SHAPE, (0, 0))
    state = state_at(route.work, bottlenecks.random_theta(route.work, 0),
                     bottlenecks.random_shares(route.work, 1), gamma)  # fmt: skip
    here = Settled(route, state, Stop.CONVERGED, 0, False, Growth(SHAPE, ("A", "B", "R")))
    here = reshaped(ground, here, SHAPE, lambda _: None, frozen=True)
    families = Families(ground, here)
    for child, parent in (("a0", "B"), ("b2", "R"), ("A", "B"), ("B", None)):
        before = SHAPE.dag.parents[child][0]
        after = reshaped(ground, here, moved(SHAPE, child, parent), lambda _: None, frozen=True)
        gain = families.score(child, parent) - families.score(child, before)
        assert_allclose(worth(after) - worth(here), gamma * gain, rtol=1e-6, atol=1e-6)


def test_the_command_line_changes_networks_too(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    data = planted(cases=200)
    tc.write_cases(data, "cases.csv")
    words = ["longest=0.2", "max_steps=20", "cardinality=adapt", "structure=true", "enrich=true"]
    dag = f"H -> {', '.join(data.names)}"
    run(
        capsys, "fit", "cases.csv", "--network", dag, "--hidden", "H=2", "--method", "ibem",
        *[word for each in words for word in ("--set", each)], "--seed", "1", "-o", "out.json",
        "--save-fit", "fit.json", "--report", "r.html", "--path-to", "path.csv",
    )  # fmt: skip
    method = tc.IBEM(cardinality="adapt", structure=True, enrich=True, longest=0.2, max_steps=20)
    again = tc.fit(dag, "cases.csv", hidden={"H": 2}, method=method, seed=1)
    assert tc.load_fit("fit.json").network == again.network
    assert "changed" in (tmp_path / "path.csv").read_text().splitlines()[0]
    assert "--set enrich=True" in (tmp_path / "r.html").read_text()


def test_the_last_gamma_is_chosen_while_networks_change():
    data = planted(cases=150)
    method = tc.IBEM(cardinality="adapt", until="validation", longest=0.2, max_steps=20)
    fit = learned(data, method)
    told = [each.held_out for each in fit.path.tried]
    assert fit.path.tried[int(np.argmax(told))].gamma == fit.path.gamma[-1]
    assert fit.path.steps[-1].states


@pytest.mark.parametrize("at", [0.05, 0.6, 0.98])
def test_ctrl_c_returns_the_network_so_far(at):
    sent = False

    def interrupt(done: int, total: int) -> None:
        nonlocal sent
        if done >= at * total and not sent:
            sent = True
            os.kill(os.getpid(), signal.SIGINT)

    method = tc.IBEM(cardinality="adapt", structure=True, enrich=True, longest=0.2, max_steps=20)
    data = planted(cases=200)
    fit = learned(data, method, progress=interrupt, threads=1)
    assert sent
    assert fit.stop is Stop.INTERRUPTED
    assert_allclose(fit.log_likelihood, tc.log_likelihood(fit.network, data), rtol=1e-10)


def test_several_paths_are_compared_by_what_their_networks_are_worth():
    data = planted(cases=200)
    method = tc.IBEM(
        cardinality="adapt", structure=True, enrich=True, longest=0.2, max_steps=20, restarts=3
    )
    one, two = (learned(data, method, threads=threads) for threads in (1, 2))
    assert one.network == two.network
    assert len(one.runs) == 3
    alone = learned(data, replace(method, restarts=1))
    assert tc.cheeseman_stutz(one, data) >= tc.cheeseman_stutz(alone, data) - 1e-6
