"""Laws of transfer: names and orders mean nothing, cases decide, and nothing is no source."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import tacit as tc
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import Table, uniform_table
from tacit.learn.lending import lend
from tacit.learn.sources import as_sources, offer_of

DAG = "A -> C <- B; C -> D"
WAYS = [
    tc.BestFragment(),
    tc.BestFragment(threshold=0.0, learned=False),
    tc.BestFragment(parents="align"),
    tc.BestFragment(states="relabel"),
    tc.Mixture(),
    tc.Mixture(learned=False),
    tc.Aggregate(),
    tc.Aggregate(variant="distance"),
    tc.Pool(),
]
seeds = st.integers(0, 10_000)


def network(seed: int, dag: str = DAG, states=("n", "y")) -> Network:
    """Tables drawn at random for variables with these states."""
    random = np.random.default_rng(seed)
    names = sorted({name for name in dag if name.isalpha()})
    cases = {name: list(states) for name in names}
    start = tc.fit(dag, cases).network
    tables = {}
    for name in start:
        shape = start[name].values.shape
        tables[name] = Table(
            start[name].variables, random.dirichlet(np.ones(shape[-1]), shape[:-1])
        )
    return Network(start.dag, start.variables, tables)


def same(one: tc.Fit, other: tc.Fit) -> bool:
    """Bit for bit the same numbers."""
    return all(np.array_equal(one.network[n].values, other.network[n].values) for n in one.network)


def close(one: tc.Fit, other: tc.Fit, tolerance: float = 1e-10) -> None:
    for name in one.network:
        assert_allclose(one.network[name].values, other.network[name].values, atol=tolerance)


def renamed(cases, names):
    """The columns under other names."""
    return {names[name]: column for name, column in cases.items()}


def columns(cases) -> dict[str, list[str]]:
    """The cases as labels."""
    return {
        name: [cases.variables[name].states[code] for code in cases[name]] for name in cases.names
    }


def turned(truth: Network) -> Network:
    """A network of the same shape that lists every state in the other order."""
    variables = {name: Discrete(name, truth.variables[name].states[::-1]) for name in truth}
    tables = {
        name: uniform_table(tuple(variables[each] for each in (*truth[name].parents, name)))
        for name in truth
    }
    return Network(truth.dag, variables, tables)


@settings(max_examples=6)
@given(seeds)
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.describe())
def test_a_source_of_strength_zero_is_no_source(way, seed):
    truth = network(seed)
    own, other = tc.sample(truth, 15, seed=seed), tc.sample(truth, 60, seed=seed + 1)
    plain = tc.fit(truth, own)
    nothing = tc.fit(truth, own, sources=[tc.Source(other, "L", strength=0)], transfer=way)
    assert same(plain, nothing)
    assert not any(table.loans for table in nothing.borrowed)
    if not isinstance(way, tc.Aggregate):
        assert nothing.objective == plain.objective
    alone = tc.fit(truth, own, sources=[tc.Source(other, "M")], transfer=way)
    beside = tc.fit(
        truth, own, sources=[tc.Source(other, "L", strength=0), tc.Source(other, "M")], transfer=way
    )
    assert same(alone, beside)


@settings(max_examples=8)
@given(seeds)
@pytest.mark.parametrize("way", WAYS[:-1], ids=lambda way: way.describe())
def test_names_of_a_source_and_the_order_of_its_parents_mean_nothing(way, seed):
    truth = network(seed)
    own, other = tc.sample(truth, 25, seed=seed), columns(tc.sample(truth, 150, seed=seed + 1))
    here = tc.fit(
        truth,
        own,
        sources=[tc.Source(renamed(other, dict(zip("ABCD", "PQRS", strict=True))), "L",
                           structure="P -> R <- Q; R -> S")],
        transfer=way,
    )  # fmt: skip
    there = tc.fit(
        truth,
        own,
        sources=[tc.Source(renamed(other, dict(zip("ABCD", "ZXWV", strict=True))), "L",
                           structure="X -> W <- Z; W -> V")],
        transfer=way,
    )  # fmt: skip
    ties = {table.variable for table in here.borrowed if table.tied}
    for name in set(here.network) - ties:
        assert_allclose(here.network[name].values, there.network[name].values, atol=1e-9)


@settings(max_examples=6)
@given(seeds)
@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_a_source_says_the_same_as_cases_as_statistics_and_with_its_states_turned(way, seed):
    truth = network(seed)
    own, other = tc.sample(truth, 25, seed=seed), tc.sample(truth, 150, seed=seed + 1)
    sources = [
        tc.Source(other, "L"),
        tc.Source(tc.Statistics(truth).update(other), "L"),
        tc.Source(columns(other), "L", structure=turned(truth)),
    ]
    fits = [tc.fit(truth, own, sources=[each], transfer=way) for each in sources]
    close(fits[0], fits[1])
    close(fits[0], fits[2])


def test_a_published_network_is_worth_the_cases_that_were_said():
    truth = network(3)
    own = tc.sample(truth, 30, seed=1)
    fit = tc.fit(
        truth, own, sources=[tc.Source(truth, "book", strength=1e6, related=1)],
        transfer=tc.BestFragment(),
    )  # fmt: skip
    for table in fit.borrowed:
        assert all(loan.nominal and loan.cases == pytest.approx(1e6) for loan in table.loans)
    worth = tc.fit(truth, own, sources=[tc.Source(truth, "book", strength=40, related=1)])
    for table in worth.borrowed:
        assert table.loans[0].worth == pytest.approx(40)
    counts = {name: 40 * p for name, p in _joints(truth).items()}
    for table in worth.borrowed:
        loan = table.loans[0]
        if (loan.fragment, loan.order) == (table.variable, table.parents):
            both = counts[table.variable] + worth.evidence[table.variable].dense().values
            both = both + tc.fit(truth, own).pseudo[table.variable]
            wanted = both / both.sum(-1, keepdims=True)
            assert_allclose(worth.network[table.variable].values, wanted, atol=1e-10)


def _joints(truth: Network) -> dict[str, np.ndarray]:
    """P(parents, child) of every family, by adding up the whole joint."""
    names = list(truth)
    whole = np.zeros((2,) * len(names))
    for cell in np.ndindex(*whole.shape):
        at = dict(zip(names, cell, strict=True))
        whole[cell] = np.prod(
            [truth[n].values[tuple(at[p] for p in (*truth[n].parents, n))] for n in names]
        )
    out = {}
    for name in names:
        axes = (*truth[name].parents, name)
        rest = tuple(i for i, n in enumerate(names) if n not in axes)
        kept = [n for n in names if n in axes]
        out[name] = whole.sum(axis=rest).transpose([kept.index(n) for n in axes])
    return out


@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_with_many_cases_of_its_own_a_site_needs_no_source(way):
    truth, other = network(11), network(12)
    own = tc.sample(truth, 200_000, seed=1)
    plain = tc.fit(truth, own)
    for source in (other, truth):
        fit = tc.fit(truth, own, sources=[tc.Source(tc.sample(source, 300, seed=2), "L")],
                     transfer=way)  # fmt: skip
        for table in fit.borrowed:
            rows = plain.evidence[table.variable].dense().values.sum(-1)
            lent = sum(loan.worth for loan in table.loans)
            assert table.moved <= lent / rows.min()
            if table.loans and source is other:
                # a fragment that happens to lie near: it cannot move much
                assert table.moved < 0.02
        assert max(table.moved for table in fit.borrowed) < 0.02


def test_the_probability_of_one_table_vanishes_as_cases_of_another_mount():
    other = {"A": ["n"] * 60 + ["y"] * 40}
    told = []
    for many in (10, 100, 1000, 10_000):
        own = {"A": ["n"] * (many // 5) + ["y"] * (many - many // 5)}
        fit = tc.fit("A", own, sources=[tc.Source(other, "L")],
                     transfer=tc.BestFragment(threshold=0.0, learned=False))  # fmt: skip
        told.append(fit.borrowed[0].loans[0].probability)
    assert told[0] > 0.1
    assert told[1] < 1e-5
    assert sorted(told, reverse=True) == told
    assert told[-1] < 1e-12
    rejected = tc.fit("A", own, sources=[tc.Source(other, "L")])
    assert not rejected.borrowed[0].loans
    assert same(rejected, tc.fit("A", own))


def _apart(truth: Network, fit: tc.Fit) -> float:
    """Mean over rows of KL(truth, estimate)."""
    found = []
    for name in truth:
        p, q = truth[name].values, fit.network[name].values
        found.append(np.where(p > 0, p * np.log(np.where(p > 0, p, 1) / q), 0).sum(-1).ravel())
    return float(np.concatenate(found).mean())


def _harm(number: int, cases: int, way) -> tuple[np.ndarray, np.ndarray]:
    """Per seed, how much farther from the truth a fit is with an unrelated source, and without."""
    more, base = [], []
    for seed in range(number):
        truth = network(seed)
        own = tc.sample(truth, cases, seed=seed)
        source = tc.Source(tc.sample(network(seed + 5000), 300, seed=seed), "L")
        plain = _apart(truth, tc.fit(truth, own))
        base.append(plain)
        more.append(_apart(truth, tc.fit(truth, own, sources=[source], transfer=way)) - plain)
    return np.array(more), np.array(base)


@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_an_unrelated_source_does_no_harm(way):
    more, _ = _harm(12, 60, way)
    assert more.mean() <= 4 * more.std(ddof=1) / np.sqrt(more.size)


@pytest.mark.full
@pytest.mark.parametrize("cases", [30, 100])
@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_an_unrelated_source_does_no_harm_over_many_seeds(way, cases):
    more, base = _harm(300, cases, way)
    assert more.mean() <= 3 * more.std(ddof=1) / np.sqrt(more.size)
    assert more.mean() <= 0.1 * base.mean()


@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_a_related_source_helps(way):
    gains = []
    for seed in range(12):
        truth = network(seed)
        own = tc.sample(truth, 30, seed=seed)
        source = tc.Source(tc.sample(truth, 300, seed=seed + 100), "L")
        with_it = tc.fit(truth, own, sources=[source], transfer=way)
        gains.append(_apart(truth, tc.fit(truth, own)) - _apart(truth, with_it))
    assert np.mean(gains) > 2 * np.std(gains, ddof=1) / np.sqrt(len(gains))


def test_states_taken_together_are_found_again():
    random = np.random.default_rng(1)
    table = np.array([[0.7, 0.1, 0.2], [0.1, 0.3, 0.6]])
    a = random.integers(0, 2, 3000)
    b = np.array([random.choice(3, p=table[each]) for each in a])
    theirs = {"P": [f"p{each}" for each in a], "Q": [f"q{each}" for each in b]}
    mine = np.array([0, 1, 1])[b[:800]]
    own = {"A": [f"a{each}" for each in a[:800]], "B": [f"b{each}" for each in mine]}
    source = tc.Source(theirs, "L", structure="P -> Q")
    plain = tc.fit("A -> B", own, sources=[source])
    assert not plain.borrowed[1].loans
    fit = tc.fit("A -> B", own, sources=[source], transfer=tc.BestFragment(states="aggregate"))
    (loan,) = fit.borrowed[1].loans
    assert (loan.fragment, loan.mapped) == ("Q", "states of 1 variable taken together")
    assert loan.probability > 0.9
    rows = np.array([[0.7, 0.3], [0.1, 0.9]])
    assert_allclose(fit.network["B"].values, rows, atol=5 * np.sqrt(0.25 / 1400))


def test_states_under_other_names_are_found_again():
    random = np.random.default_rng(2)
    b = random.choice(3, p=[0.7, 0.2, 0.1], size=3000)
    theirs = {"Q": [f"q{each}" for each in b]}
    own = {"B": [f"b{each}" for each in np.array([2, 0, 1])[b[:150]]]}
    fit = tc.fit("B", own, sources=[tc.Source(theirs, "L", structure="Q")],
                 transfer=tc.BestFragment(states="relabel"))  # fmt: skip
    assert fit.borrowed[0].loans[0].probability > 0.9
    assert_allclose(fit.network["B"].values, [0.2, 0.1, 0.7], atol=5 * np.sqrt(0.21 / 3000))
    assert not tc.fit("B", own, sources=[tc.Source(theirs, "L", structure="Q")]).borrowed[0].loans


def test_parents_that_differ_are_aligned():
    random = np.random.default_rng(4)
    y, w = random.integers(0, 2, 4000), random.integers(0, 2, 4000)
    x = (random.random(4000) < np.array([[0.1, 0.2], [0.9, 0.7]])[y, w]).astype(int)
    theirs = {"Y": y.tolist(), "W": w.tolist(), "X": x.tolist()}
    own = {"Y": y[:80].tolist(), "X": x[:80].tolist()}
    source = tc.Source(theirs, "L", structure="Y -> X <- W")
    fit = tc.fit("Y -> X", own, sources=[source], transfer=tc.BestFragment(parents="align"))
    (loan,) = fit.borrowed[1].loans
    assert (loan.fragment, loan.order, loan.mapped) == ("X", ("Y",), "W summed out")
    assert_allclose(fit.network["X"].values[:, 1], [0.15, 0.8], atol=5 * np.sqrt(0.16 / 2000))


def test_sources_are_mixed_by_fitness_and_unrelated_ones_leave_nothing_behind():
    random = np.random.default_rng(6)
    own = {"A": random.choice(["n", "y"], 400, p=[0.2, 0.8]).tolist()}
    good = [tc.Source({"A": random.choice(["n", "y"], 500, p=[0.2, 0.8]).tolist()}, f"good {at}")
            for at in range(2)]  # fmt: skip
    bad = tc.Source({"A": random.choice(["n", "y"], 500, p=[0.7, 0.3]).tolist()}, "bad")
    both = tc.fit("A", own, sources=good, transfer=tc.Mixture())
    assert {loan.source for loan in both.borrowed[0].loans} == {"good 0", "good 1"}
    assert sum(loan.probability for loan in both.borrowed[0].loans) > 0.8
    with_bad = tc.fit("A", own, sources=[*good, bad], transfer=tc.Mixture())
    assert "bad" not in {loan.source for loan in with_bad.borrowed[0].loans}
    # the belief in sources is shared by three instead of two: a third of it goes to nobody
    assert_allclose(with_bad.network["A"].values, both.network["A"].values, atol=0.01)


@settings(max_examples=5)
@given(seeds)
def test_learned_relatedness_settles_and_ranks_sources(seed):
    truth = network(seed)
    own = tc.sample(truth, 300, seed=seed)
    sources = as_sources(
        [
            tc.Source(tc.sample(network(seed + 7000), 300, seed=2), "bad"),
            tc.Source(tc.sample(truth, 300, seed=1), "good"),
            tc.Source(tc.sample(truth, 300, seed=3), "twin"),
        ]
    )
    from tacit.learn.borrowed_fit import target_of

    plain = tc.fit(truth, own)
    families = {name: plain.network[name].variables for name in plain.network}
    target = target_of(families, plain.evidence, plain.pseudo, None, list(families))
    fragments = [each for source in sources for each in offer_of(source, truth.dag).fragments]
    found = lend(target, sources, fragments, tc.BestFragment(learned=True)).related
    again = [tc.Source(s.data, s.name, related=found[s.name]) for s in sources]
    after = lend(target, as_sources(again), fragments, tc.BestFragment(learned=True)).related
    for name in found:
        assert after[name] == pytest.approx(found[name], abs=1e-4)
    assert min(found["good"], found["twin"]) >= found["bad"]
    assert found["good"] > 0.5


def test_among_sources_that_fit_alike_names_decide_and_then_cases():
    other = {"A": ["n", "y"] * 20, "B": ["u", "v"] * 20}
    double = {name: column * 2 for name, column in other.items()}
    structure = tc.fit("A; B", {"A": ["n", "y"], "B": ["u", "v"]}).network
    way = tc.BestFragment(threshold=0.0)
    fit = tc.fit(
        structure, {"A": ["n", "y"], "B": ["u", "v"]},
        sources=[tc.Source(other, "small"), tc.Source(double, "large")], transfer=way,
    )  # fmt: skip
    for table in fit.borrowed:
        assert table.loans[0].fragment == table.variable
        assert table.tied


@settings(max_examples=6)
@given(seeds)
@pytest.mark.parametrize("way", [tc.BestFragment(), tc.Mixture()], ids=lambda way: way.describe())
def test_em_borrows_and_its_objective_never_falls(way, seed):
    truth = network(seed)
    random = np.random.default_rng(seed)
    cases = columns(tc.sample(truth, 40, seed=seed))
    holes = {
        name: [None if random.random() < 0.15 else state for state in column]
        for name, column in cases.items()
    }
    source = tc.Source(tc.sample(truth, 200, seed=seed + 1), "L")
    fit = tc.fit(truth, holes, sources=[source], transfer=way, seed=1, method=tc.EM(restarts=1))
    trace = np.array(fit.trace)
    assert (np.diff(trace) >= -1e-9 * np.abs(trace[1:])).all()
    assert any(table.loans for table in fit.borrowed)
    assert fit.log_likelihood == pytest.approx(float(tc.log_likelihood(fit.network, holes)))


@settings(max_examples=6)
@given(seeds)
def test_em_chooses_as_counting_does_where_nothing_is_missing(seed):
    truth = network(seed)
    own = columns(tc.sample(truth, 40, seed=seed))
    source = tc.Source(tc.sample(truth, 200, seed=seed + 1), "L")
    counted = tc.fit(truth, own, sources=[source])
    # a case that says nothing at all makes it a matter for EM; it is expected to be like the others
    silent = {name: [*column, None] for name, column in own.items()}
    inferred = tc.fit(truth, silent, sources=[source], seed=1, method=tc.EM(restarts=1))
    close(counted, inferred, 0.01)
    for one, other in zip(counted.borrowed, inferred.borrowed, strict=True):
        assert [loan.fragment for loan in one.loans] == [loan.fragment for loan in other.loans]


def test_what_was_borrowed_is_saved_with_the_fit(tmp_path):
    truth = network(5)
    own, other = tc.sample(truth, 30, seed=1), tc.sample(truth, 200, seed=2)
    for way in WAYS:
        fit = tc.fit(truth, own, sources=[tc.Source(other, "Leeds")], transfer=way)
        fit.save(tmp_path / "fit.json")
        back = tc.load_fit(tmp_path / "fit.json")
        assert back.borrowed == fit.borrowed
        assert same(back, fit)
        assert list(back.settings["sources"]) == ["Leeds"]
        assert back.settings["transfer"] == way.describe()
