"""Noisy-or, noisy-and and noisy-max: as values, as tables, and fitted from complete cases."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import strategies
import tacit as tc
from tacit.core.variables import Discrete
from tacit.families import KINDS

NO_YES = ("no", "yes")
FEVER = Discrete("Fever", NO_YES)
FLU, COLD = Discrete("Flu", ("yes", "no")), Discrete("Cold", NO_YES)


@pytest.mark.parametrize("kind", ["noisy-or", "noisy-and", "noisy-max"])
@given(data=st.data())
def test_the_expanded_table_is_the_family(kind, data):
    network = data.draw(strategies.noisy_networks(kind))
    for name in network:
        family = network[name]
        if isinstance(family, KINDS[kind]):
            table = family.to_table()
            cells = np.array(list(np.ndindex(table.values.shape)))
            assert_allclose(
                np.exp(family.log_prob(list(cells.T))), table.values.ravel(), rtol=0, atol=1e-12
            )


@given(data=st.data())
def test_the_chain_of_maxima_has_the_distribution_of_the_family(data):
    network = data.draw(strategies.noisy_networks("noisy-max"))
    for name in network:
        family = network[name]
        if isinstance(family, tc.NoisyMax):
            order = data.draw(st.permutations(range(len(family.parents))))
            reached = family.causes.leak()  # [parents so far..., highest level so far]
            for stage in family.causes.stages(order):
                reached = np.einsum("...a,aub->...ub", reached, stage)
            back = [*np.argsort(order), len(order)]
            assert_allclose(reached.transpose(back), family.to_table().values, atol=1e-12)


def test_pyagrum_has_the_same_noisy_or():
    gum = pytest.importorskip("pyagrum")
    ours = tc.NoisyOr.of(FEVER, {Discrete("A", NO_YES): 0.8, Discrete("B", NO_YES): 0.4}, 0.05)
    theirs = gum.BayesNet()
    for name in ("A", "B"):
        theirs.add(gum.LabelizedVariable(name, name, list(NO_YES)))
    theirs.addNoisyORNet(gum.LabelizedVariable("Fever", "", list(NO_YES)), 0.05)
    theirs.addWeightedArc("A", "Fever", 0.8)
    theirs.addWeightedArc("B", "Fever", 0.4)
    for a, b in np.ndindex(2, 2):
        row = theirs.cpt("Fever")[{"A": a, "B": b}]
        assert_allclose(ours.to_table().values[a, b], row, atol=1e-12)


def test_states_of_absence_are_told_by_their_names_or_by_the_user():
    assert tc.NoisyOr.of(FEVER, {FLU: 0.8}).absent == ("no", "no")
    mild = Discrete("Pain", ("mild", "strong"))
    assert tc.NoisyOr.of(FEVER, {mild: 0.8}).absent == ("mild", "no")
    turned = tc.NoisyOr.of(FEVER, {mild: 0.8}, 0.1, absent={"Pain": "strong"})
    assert turned.absent == ("strong", "no")
    assert_allclose(turned.to_table().values[:, 1], [1 - 0.9 * 0.2, 0.1])


def test_a_noisy_or_prints_its_links():
    family = tc.NoisyOr.of(FEVER, {FLU: 0.8, COLD: 0.4}, 0.05)
    assert str(family).splitlines() == [
        "Fever | Flu, Cold ~ noisy-or",
        "  cause     Fever=yes",
        "  Flu=yes      0.8000",
        "  Cold=yes     0.4000",
        "  (leak)       0.0500",
    ]
    assert repr(family) == "<NoisyOr Fever | Flu, Cold, 2 causes>"


def drawn(parents: int, cases: int, seed: int, leak: float = 0.05) -> tuple[tc.Network, tc.Dataset]:
    """A noisy-or of so many rare causes, and cases of it."""
    random = np.random.default_rng(seed)
    causes = [Discrete(f"C{at}", NO_YES) for at in range(parents)]
    links = dict(zip(causes, random.uniform(0.1, 0.9, parents).tolist(), strict=True))
    roots = [tc.table(each, [], [0.8, 0.2]) for each in causes]
    network = tc.Network.of([*roots, tc.NoisyOr.of(FEVER, links, leak)])
    return network, tc.sample(network, cases, seed=seed)


def solved(network: tc.Network, cases: tc.Dataset, pseudo: float) -> float:
    """The best Σ N log P + pseudo Σ (log link + log(1 - link)), by a solver for such programmes."""
    import cvxpy as cp

    family = network["Fever"]
    there = np.array([cases[p] for p in family.parents] + [np.ones(len(cases))]).T
    sick = cases["Fever"] == 1
    omega = cp.Variable(there.shape[1])
    value = cp.sum(cp.log(1 - cp.exp(-there[sick] @ omega))) - there[~sick].sum(axis=0) @ omega
    value += pseudo * (cp.sum(cp.log(1 - cp.exp(-omega))) - cp.sum(omega))
    problem = cp.Problem(cp.Maximize(value), [omega >= 0])
    problem.solve(solver="CLARABEL")
    assert problem.status == "optimal"
    return float(problem.value)


@pytest.mark.parametrize(("parents", "cases", "seed"), [(2, 40, 1), (4, 150, 2), (8, 300, 3)])
@pytest.mark.parametrize(
    ("estimate", "prior", "pseudo"),
    [
        (tc.ML(), tc.K2(), 0.0),
        (tc.Smoothed(), tc.K2(), 1.0),
        (tc.MAP(), tc.Dirichlet(1.5), 0.5),
    ],
)
def test_the_fit_is_the_optimum_of_the_concave_programme(
    parents, cases, seed, estimate, prior, pseudo
):
    network, data = drawn(parents, cases, seed)
    fit = tc.fit(network.dag, data, families={"Fever": tc.NoisyOr}, estimate=estimate, prior=prior)
    family = fit.network["Fever"]
    strength = np.append(family.links, family.leak)
    columns = [data[name] for name in (*family.parents, "Fever")]
    value = float(family.log_prob(columns).sum())
    if pseudo:
        value += pseudo * float(np.log(strength).sum() + np.log1p(-strength).sum())
    best = solved(network, data, pseudo)
    assert value >= best - 1e-6
    assert value <= best + 1e-4  # theirs may stop short of it


@given(data=st.data())
def test_no_noisy_max_nearby_is_more_likely(data):
    network = data.draw(strategies.noisy_networks("noisy-max", most=3))
    cases = tc.sample(network, 60, seed=data.draw(st.integers(0, 1000)))
    noisy = [n for n in network if isinstance(network[n], tc.NoisyMax) and network[n].parents]
    kinds = {name: network[name] for name in noisy}
    fit = tc.fit(network.dag, cases, families=kinds, prior=tc.Dirichlet(0.5))
    random = np.random.default_rng(0)
    for name in kinds:
        family = fit.network[name]
        best = objective(family, cases)
        for _ in range(10):
            moved = [shaken(link, random) for link in family.links]
            other = tc.NoisyMax(family.variables, moved, shaken(family.leak, random), family.absent)
            assert objective(other, cases) <= best + 1e-9


def shaken(values, random):
    """Rows a little to the side; what is sure stays so."""
    near = values * np.exp(0.05 * random.standard_normal(values.shape))
    return near / near.sum(axis=-1, keepdims=True)


def objective(family, cases) -> float:
    """log P(cases) + 0.5 Σ log P(Z) over the rows of states with an effect, and the leak's."""
    columns = [cases[name] for name in (*family.parents, family.child)]
    rows = [
        row
        for variable, link, off in zip(family.variables, family.links, family.absent, strict=False)
        for state, row in zip(variable.states, link, strict=True)
        if state != off
    ]
    prior = sum(float(np.log(row).sum()) for row in [*rows, family.leak])
    return float(family.log_prob(columns).sum()) + 0.5 * prior


def test_thirty_parents_fit_where_no_table_could():
    network, cases = drawn(30, 3000, 7)
    with pytest.raises(tc.SizeError):
        tc.fit(network.dag, cases)
    fit = tc.fit(network.dag, cases, families=tc.NoisyOr, prior=tc.K2())
    off = np.abs(fit.network["Fever"].links - network["Fever"].links)
    assert off.mean() < 0.15
    assert fit.network["Fever"].free_parameters == 31
    interval = fit.intervals["Fever"]
    inside = (interval.lower[:-1] <= network["Fever"].links) & (
        network["Fever"].links <= interval.upper[:-1]
    )
    assert inside.sum() >= 24


def test_a_link_that_never_fails_is_one_and_one_nobody_saw_is_reported():
    columns = {"Flu": ["no", "no", "yes", "yes"], "Fever": ["no", "no", "yes", "yes"]}
    fit = tc.fit("Flu -> Fever", columns, families=tc.NoisyOr, estimate=tc.ML())
    assert (fit.network["Fever"].links[0], fit.network["Fever"].leak) == (1.0, 0.0)
    network = tc.Network.of([tc.table(COLD, [], [0.5, 0.5]), tc.NoisyOr.of(FEVER, {COLD: 0.5})])
    alone = {"Cold": ["no", "no"], "Fever": ["no", "yes"]}
    fit = tc.fit(network, alone, estimate=tc.ML())
    assert "1 link of Fever no case says anything about; half was taken" in fit.notes
    assert (fit.network["Fever"].links[0], fit.network["Fever"].leak) == (0.5, 0.5)


def test_a_noisy_and_is_a_noisy_or_of_what_is_lacking():
    _, cases = drawn(3, 400, 4)
    turned = {name: cases[name] for name in cases.names}
    opposite = tc.fit(
        "C0, C1, C2 -> Fever",
        {name: np.where(codes == 1, "no", "yes") for name, codes in turned.items()},
        families=tc.NoisyAnd,
    )
    plain = tc.fit("C0, C1, C2 -> Fever", cases, families=tc.NoisyOr)
    assert_allclose(opposite.network["Fever"].links, plain.network["Fever"].links, atol=1e-9)
    assert_allclose(opposite.network["Fever"].leak, plain.network["Fever"].leak, atol=1e-9)


def test_a_network_that_holds_noisy_families_keeps_them():
    network, cases = drawn(4, 200, 5)
    fit = tc.fit(network, cases)
    assert isinstance(fit.network["Fever"], tc.NoisyOr)
    assert isinstance(
        tc.fit(network, cases, families={"Fever": tc.Table}).network["Fever"], tc.Table
    )
    assert fit.settings["families"] == {"Fever": "noisy-or"}


def test_a_saved_fit_and_network_keep_the_family(tmp_path):
    network, cases = drawn(4, 200, 5)
    fit = tc.fit(network, cases)
    fit.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == fit.network
    assert_allclose(again.intervals["Fever"].upper, fit.intervals["Fever"].upper, rtol=1e-12)
    tc.write(fit.network, tmp_path / "net.json")
    assert tc.read(tmp_path / "net.json") == fit.network
    tc.write(fit.network, tmp_path / "net.bif")
    written = tc.read(tmp_path / "net.bif")["Fever"]
    assert_allclose(written.values, fit.network["Fever"].to_table().values, atol=1e-15)


def test_cases_of_both_halves_add_up():
    network, cases = drawn(4, 300, 6)
    whole, one, other = (
        tc.fit(network, part).evidence["Fever"]
        for part in (cases, cases.take(np.arange(100)), cases.take(np.arange(100, 300)))
    )
    assert_allclose((one + other).values, whole.values)
    assert_allclose(((one + other) - other).values, one.values)
    assert (one + other).total == 300
    codes = zip(*(cases[name] for name in (*network["Fever"].parents, "Fever")), strict=True)
    table = naive.counts(list(codes), [2] * 5)
    assert_allclose(whole.values, table.reshape(-1, 2)[table.reshape(-1, 2).sum(axis=1) > 0])


def test_the_report_shows_links_and_what_each_arc_tells():
    network, cases = drawn(3, 300, 8)
    fit = tc.fit(network, cases)
    told = str(tc.report(fit))
    assert "noisy-or, on 300 cases" in told
    sections = {each["kind"]: each for each in tc.report(fit).facts["sections"]}
    arcs = [each for each in sections["network"]["arcs"] if each["child"] == "Fever"]
    expanded = tc.Network.of(
        [*(network[n] for n in ("C0", "C1", "C2")), fit.network["Fever"].to_table()]
    )
    as_table = tc.fit(expanded, cases)
    table = replace(as_table, network=expanded)
    theirs = [each for each in facts_of(table) if each["child"] == "Fever"]
    for one, other in zip(arcs, theirs, strict=True):
        assert_allclose(one["information"], other["information"], rtol=1e-9)
        assert_allclose(one["given_others"], other["given_others"], rtol=1e-9)


def facts_of(fit):
    return next(e for e in tc.report(fit).facts["sections"] if e["kind"] == "network")["arcs"]


def test_estimates_by_drawing_agree_with_the_exact_answer():
    network, _ = drawn(4, 10, 9)
    exact = tc.query(network, "P(C0 | Fever=yes)").values
    found = tc.query(network, "P(C0 | Fever=yes)", method=tc.LikelihoodWeighting(40_000, seed=1))
    assert_allclose(found.values, exact, atol=0.02)


def test_the_divergence_is_that_of_the_tables():
    network, cases = drawn(3, 200, 10)
    other = tc.fit(network, cases).network

    def tables(each):
        return tc.Network.of([*(each[n] for n in ("C0", "C1", "C2")), each["Fever"].to_table()])

    expected = tc.divergence(tables(network), tables(other))
    assert_allclose(tc.divergence(network, other), expected, rtol=1e-10)
    assert expected > 0
