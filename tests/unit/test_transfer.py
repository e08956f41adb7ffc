"""The parts of transfer: fragments, orders, alignments, checks, pools and what fits keep."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive_transfer as naive
import tacit as tc
from tacit.estimate.transfer.aggregation import mapped
from tacit.estimate.transfer.alignment import NOBODY, aligned
from tacit.estimate.transfer.choosing import Candidate, Wanted, candidates, weighted
from tacit.estimate.transfer.compatible import exact_interval
from tacit.estimate.transfer.fragments import Fragment, in_the_order_of, matches
from tacit.estimate.transfer.metric import most_likely_rows, row_divergences, zhou2015
from tacit.estimate.transfer.pools import (
    confidence,
    distance_coefficients,
    distance_pool,
    linear_pool,
    local_average,
    local_pool,
    logarithmic_pool,
)
from tacit.learn.sources import as_sources, offer_of


def no_rules(counts):
    return np.zeros(0, dtype=np.int64)


def fragment(shape, source="Leeds", child="X", seed=0, cases=40.0) -> Fragment:
    counts = np.random.default_rng(seed).dirichlet(np.ones(int(np.prod(shape)))) * cases
    parents = tuple(f"P{at}" for at in range(len(shape) - 1))
    return Fragment(source, child, parents, counts.reshape(shape))


def test_a_source_has_as_many_fragments_as_tables():
    random = np.random.default_rng(3)
    cases = {name: random.choice(["n", "y"], 60).tolist() for name in "ABCD"}
    dag = tc.fit("A -> B <- C; B -> D", cases).network.dag
    found = offer_of(as_sources(cases)[0], dag).fragments
    assert {each.child: set(each.parents) for each in found} == {
        "A": set(), "B": {"A", "C"}, "C": set(), "D": {"B"}
    }  # fmt: skip
    assert all(each.cases == 60 for each in found)


def test_figure_3_has_two_fragments_in_four_orders(example_models):
    asia = tc.read(example_models / "asia.bif.gz")
    source = as_sources([tc.Source(asia, "Asia", strength=100)])[0]
    found = [m for f in offer_of(source, asia.dag).fragments for m in matches(f, (2, 2, 2))]
    assert len({each.fragment.child for each in found}) == 2
    assert len(found) == 4
    assert {each.fragment.child for each in found} == {"either", "dysp"}


@pytest.mark.parametrize(
    ("theirs", "ours", "number"),
    [
        ((2, 3), (3, 2), 1),
        ((2, 2, 3), (2, 3, 2), 2),
        ((3, 3, 3), (3, 3, 3), 6),
        ((2, 2), (4, 1), 0),
        ((2, 2), (4,), 0),
        ((6,), (2, 3), 0),
        ((), (), 1),
    ],
)
def test_orders_match_the_sizes_of_parents_and_not_their_product(theirs, ours, number):
    given = fragment((*theirs, 2))
    found = list(matches(given, (*ours, 2)))
    assert len(found) == number
    if len(theirs) == len(ours):
        assert [each.order for each in found] == list(naive.orders(theirs, ours))
    for each in found:
        for cell in np.ndindex(*ours, 2):
            there = [0] * len(theirs)
            for place, at in enumerate(each.order):
                there[at] = cell[place]
            assert each.counts[cell] == given.counts[(*there, cell[-1])]


@pytest.mark.parametrize(("theirs", "ours", "number"), [(3, 2, 6), (4, 2, 14), (4, 3, 36)])
def test_states_are_taken_together_in_every_way_and_the_choice_is_paid_for(theirs, ours, number):
    given = fragment((theirs,))
    found = list(mapped(given, (ours,)))
    expected = [naive.together(given.counts, (each,), (ours,))
                for each in naive.maps_onto(theirs, ours)]  # fmt: skip
    assert len(found) == number == len(expected)
    for each in found:
        assert each.price == pytest.approx(np.log(number))
        assert each.counts.sum() == pytest.approx(given.cases)
    ours_sorted = sorted(tuple(np.round(each.counts, 9)) for each in found)
    assert_allclose(ours_sorted, sorted(tuple(np.round(each, 9)) for each in expected))


def test_parents_are_taken_together_as_well():
    given = fragment((3, 2, 2))
    found = list(mapped(given, (2, 2, 2)))
    ways = [(m, (0, 1), (0, 1)) for m in naive.maps_onto(3, 2)]
    added = [naive.together(given.counts, each, (2, 2, 2)) for each in ways]
    wanted = [turned.ravel() for each in added for turned in (each, each.swapaxes(0, 1))]
    assert len(found) == len(wanted)
    for each in found:
        assert any(np.allclose(each.counts.ravel(), other) for other in wanted)


def test_relabelling_lists_every_permutation_of_states_but_that_which_is_free():
    given = fragment((3,))
    found = list(mapped(given, (3,), relabel=True))
    assert len(found) == 5
    assert all(sorted(each.counts) == sorted(given.counts) for each in found)
    assert not any(np.array_equal(each.counts, given.counts) for each in found)
    assert all(each.price == pytest.approx(np.log(6)) for each in found)


def test_parents_that_only_the_source_has_are_summed_out():
    given = fragment((2, 3, 2, 2), cases=60)
    found = [each for each in aligned(given, (3, 2)) if NOBODY not in each.order]
    assert [each.order for each in found] == [(1,)]
    once = naive.summed_out(given.counts, 0)  # P(x | P1, P2), with P(P0 | P1, P2)
    pairs = given.counts.sum(axis=0)
    assert_allclose(most_likely_rows(pairs), once)
    assert_allclose(most_likely_rows(found[0].counts), naive.summed_out(pairs, 1))
    assert found[0].counts.sum() == pytest.approx(60)


def test_parents_that_only_the_target_has_repeat_the_table_without_counting_a_case_twice():
    given = fragment((2, 2), cases=60)
    found = [each for each in aligned(given, (3, 2, 2)) if each.order == (NOBODY, 0)]
    assert len(found) == 1
    assert found[0].counts.shape == (3, 2, 2)
    assert found[0].counts.sum() == pytest.approx(60)
    for state in range(3):
        assert_allclose(most_likely_rows(found[0].counts[state]), most_likely_rows(given.counts))


def test_a_fragment_with_the_same_parents_needs_no_alignment():
    whole = {each.order for each in aligned(fragment((2, 2, 2)), (2, 2, 2))}
    assert (0, 1) not in whole
    assert (1, 0) not in whole
    assert whole == {(0, -1), (1, -1), (-1, 0), (-1, 1), (-1, -1)}
    assert not list(aligned(fragment((2, 3)), (2, 2)))


def test_summing_out_is_what_the_network_of_the_source_says(example_models):
    asia = tc.read(example_models / "asia.bif.gz")
    source = as_sources([tc.Source(asia, "Asia", strength=50)])[0]
    dysp = next(each for each in offer_of(source, asia.dag).fragments if each.child == "dysp")
    found = [each for each in aligned(dysp, (2, 2)) if NOBODY not in each.order]
    assert len(found) == 2
    for each in found:
        kept = dysp.parents[each.order[0]]
        for at, state in enumerate(asia.variables[kept].states):
            answer = tc.query(asia, "dysp", given={kept: state})
            assert_allclose(most_likely_rows(each.counts)[at], answer.values, atol=1e-12)


def test_among_equals_names_come_first_and_then_cases():
    flat = np.full((2, 2), 5.0)
    wanted = Wanted("X", ("A",), np.zeros((2, 2)), np.ones((2, 2)))
    small = Fragment("small", "Q", ("R",), flat)
    large = Fragment("large", "Q", ("R",), 10 * flat)
    parent = Fragment("parent", "Q", ("A",), flat)
    child = Fragment("child", "X", ("R",), flat)
    same = Fragment("same", "X", ("A",), flat)
    offered = [m for each in (small, large, parent, child, same) for m in matches(each, (2, 2))]
    found = candidates(wanted, offered, no_rules)
    assert [each.match.fragment.source for each in found] == [
        "same", "child", "parent", "large", "small"
    ]  # fmt: skip
    assert all(each.log_factor == 0 for each in found)


def test_a_better_fit_beats_a_better_name():
    wanted = Wanted("X", (), np.array([30.0, 10.0]), np.ones(2))
    namesake = Fragment("a", "X", (), np.array([10.0, 30.0]))
    fitting = Fragment("b", "Q", (), np.array([30.0, 10.0]))
    offered = [m for each in (namesake, fitting) for m in matches(each, (2,))]
    assert candidates(wanted, offered, no_rules)[0].match.fragment.source == "b"


@pytest.mark.parametrize(("seen", "cases"), [(0, 5), (5, 5), (1, 20), (7, 11), (0, 400)])
def test_exact_intervals_are_those_that_neither_tail_excludes(seen, cases):
    low, high = exact_interval(np.array([float(seen), float(cases - seen)]))
    wanted = naive.exact_interval(seen, cases, 0.99)
    assert_allclose([low[0], high[0]], wanted, atol=1e-9)


def test_exact_intervals_keep_zero_where_nothing_was_seen_and_everything_without_cases():
    low, high = exact_interval(np.array([[0.0, 9.0], [0.0, 0.0]]))
    assert low[0, 0] == 0
    assert high[0, 1] == 1
    assert_allclose(low[1], 0)
    assert_allclose(high[1], 1)


def test_states_of_the_same_variable_are_brought_into_the_order_of_the_target():
    counts = np.array([[1.0, 2.0], [3.0, 4.0]])
    given = Fragment("L", "X", ("A",), counts, (("yes", "no"), ("b", "a")))
    turned = in_the_order_of(given, {"A": ("no", "yes"), "X": ("a", "b")})
    assert_allclose(turned.counts, [[4, 3], [2, 1]])
    assert turned.states == (("no", "yes"), ("a", "b"))
    other = in_the_order_of(given, {"A": ("down", "up")})
    assert other.counts is counts


def test_states_that_cases_do_not_show_have_none_unless_a_network_was_published():
    given = Fragment("L", "X", (), np.array([2.0, 5.0]), (("a", "c"),))
    assert_allclose(in_the_order_of(given, {"X": ("a", "b", "c")}).counts, [2, 0, 5])
    published = Fragment("L", "X", (), np.array([2.0, 5.0]), (("a", "c"),), nominal=True)
    assert in_the_order_of(published, {"X": ("a", "b", "c")}).counts.size == 2


# the metric -----------------------------------------------------------------------------------


def test_the_divergence_is_the_mean_over_rows_of_both_directions():
    random = np.random.default_rng(5)
    one, other = random.dirichlet(np.ones(3), (2, 4)), random.dirichlet(np.ones(3), (2, 4))
    one[0, 1], other[1, 2], one[1, 1] = (0, 0.4, 0.6), (1, 0, 0), 0
    assert zhou2015(one, other) == pytest.approx(naive.divergence(one, other), rel=1e-12)
    assert zhou2015(one, other) == zhou2015(other, one)
    assert zhou2015(other, other) == 0


def test_a_row_that_nobody_saw_is_as_far_away_as_its_formula_says():
    p = np.array([0.2, 0.5, 0.3])
    entropy = -(p * np.log(p)).sum()
    assert row_divergences(p, np.zeros(3)) == pytest.approx(0.5 * (np.log(1e5) - entropy))


# pools ----------------------------------------------------------------------------------------


def tables(seed: int, shape=(3, 2, 3), empty: int = 1):
    random = np.random.default_rng(seed)
    counts = random.integers(0, 6, shape).astype(float)
    counts.reshape(-1, shape[-1])[:empty] = 0
    return most_likely_rows(counts)


def test_confidence_is_equation_8_and_both_forms_meet_at_three_cases_per_cell():
    for c in (3.0, 5.0, 80.0):
        wanted = 1 - np.log(c) / c
        assert confidence(c * 10, 8) == pytest.approx(wanted)
        assert confidence(c * 10, 8, "linear") == pytest.approx(wanted)
    for c in (0.0, 0.5, 2.9):
        assert confidence(c * 10, 8) == pytest.approx(1 - c * np.log(3) / 3)
        assert confidence(c * 10, 8, "linear") == pytest.approx(c * (1 - np.log(3) / 3) / 3)
    assert confidence(80, 8, doubled=True) == confidence(50, 8)
    assert confidence(0, 8) == 1
    assert confidence(0, 8, "linear") == 0
    rising = [confidence(n, 8, "linear") for n in range(300)]
    assert all(np.diff(rising) > 0)


def test_rows_of_every_pool_add_up_to_one_or_nothing():
    own, other = tables(1), tables(2, empty=2)
    some = (own.sum(-1) > 0) | (other.sum(-1) > 0)
    pools = [
        linear_pool(np.stack([own, other]), np.array([0.3, 0.7])),
        logarithmic_pool(np.stack([own, other]), np.array([0.3, 0.7])),
        distance_pool(own, other),
        distance_pool(own, other, rising=True),
        local_pool(own, other, 0.4),
        local_pool(own, other, 1.0),
        local_pool(own, other, 0.0),
    ]
    for pool in pools:
        assert_allclose(pool.sum(-1), some.astype(float))
        assert (pool >= 0).all()


def test_a_row_that_one_site_never_saw_comes_from_the_other():
    own, other = np.array([[0.0, 0.0], [0.3, 0.7]]), np.array([[0.2, 0.8], [0.0, 0.0]])
    both = np.stack([own, other])
    weights = np.array([0.9, 0.1])
    for pool in (
        linear_pool(both, weights),
        logarithmic_pool(both, weights),
        distance_pool(own, other),
        local_pool(own, other, 1.0),
        local_pool(own, other, 0.0),
    ):
        assert_allclose(pool, [[0.2, 0.8], [0.3, 0.7]])


def test_logarithmic_pools_multiply_powers_and_fall_back_where_nothing_is_left():
    both = np.array([[[0.2, 0.8], [1.0, 0.0]], [[0.6, 0.4], [0.0, 1.0]]])
    found = logarithmic_pool(both, np.array([1.0, 3.0]))
    raw = np.array([0.2**0.25 * 0.6**0.75, 0.8**0.25 * 0.4**0.75])
    assert_allclose(found[0], raw / raw.sum())
    assert_allclose(found[1], [0.25, 0.75])


def test_local_pools_are_equation_12():
    own, other = tables(3), tables(4)
    assert_allclose(local_pool(own, other, 0.35), naive.local_pool(own, other, 0.35))
    printed = local_pool(own, other, 0.35, renormalise=False)
    assert_allclose(printed, 0.35 * own + 0.65 * other)


def test_local_averages_take_the_sources_near_the_target_and_keep_it_where_there_are_none():
    target = np.array([0.5, 0.5])
    sources = np.array([[0.45, 0.55], [0.4, 0.6], [0.1, 0.9]])
    average = sources.mean(axis=0)
    assert average[0] == pytest.approx(0.5 - 0.55 / 3)
    assert_allclose(local_average(target, sources, average), [0.425, 0.575])
    # reach 0: no source is the target itself
    assert_allclose(local_average(target, np.array([[0.2, 0.8], [0.8, 0.2]]), target), target)
    assert_allclose(local_average(np.zeros(2), sources, average), average)


def test_distances_make_shares_between_a_quarter_and_three_quarters():
    distances = np.array([0.1, 0.2, 0.5])
    assert_allclose(distance_coefficients(distances, rising=True), [0.25, 0.375, 0.75])
    assert_allclose(distance_coefficients(distances), [0.75, 0.625, 0.25])
    assert_allclose(distance_coefficients(np.array([0.2, 0.2])), [0.5, 0.5])
    assert distance_coefficients(np.zeros(0)).size == 0


def test_names_carry_weight_where_they_are_said_to():
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 60, seed=1)
    leeds = tc.Source(tc.sample(asia, 300, seed=2), name="Leeds")
    plain = tc.fit(asia, cases, sources=leeds)
    named = tc.fit(asia, cases, sources=leeds, transfer=tc.BestFragment(names=1000.0))
    assert plain.borrowed[1].loans[0].fragment != "tub"  # two rare diseases look alike
    assert [each.loans[0].fragment for each in named.borrowed] == list(asia)
    factors = [each.loans[0].log_factor for each in named.borrowed]
    same = {each.variable: each.loans[0].log_factor for each in plain.borrowed}
    assert factors[0] == same["asia"]  # what was found is told without the weight of names


def test_a_printed_loan_tells_how_probable_it_is():
    asia = tc.textbook("asia")
    leeds = tc.Source(tc.sample(asia, 300, seed=2), name="Leeds")
    fit = tc.fit(
        asia, tc.sample(asia, 60, seed=1), sources=leeds,
        transfer=tc.BestFragment(fusion="normal", printed=True),
    )  # fmt: skip
    loan = fit.borrowed[0].loans[0]
    assert 0.5 < loan.probability < 1
    assert loan.worth == loan.cases == 300


@pytest.mark.parametrize(("sure", "factor", "own"), [(1.0, -800.0, 0.0), (0.0, 800.0, 1.0)])
def test_what_was_certain_about_a_source_stays_so_whatever_the_cases_say(sure, factor, own):
    (match,) = matches(fragment((2, 2)), (2, 2))
    found = Candidate(match, factor, np.zeros(0, dtype=np.int64))
    assert weighted([found], {"Leeds": sure}, 0.0).own == own


def test_states_written_alike_are_not_turned_round_under_another_name():
    data = {"A": ["no", "no", "yes", "yes"] * 5, "B": ["no", "no", "no", "yes"] * 5}
    ours = tc.fit("A -> B", data)
    a, b = (tc.Discrete(name, ("yes", "no")) for name in ("X", "Y"))
    theirs = tc.Network(
        tc.Dag.parse("X -> Y"),
        {"X": a, "Y": b},
        {
            "X": tc.Table((a,), np.array([0.5, 0.5])),
            "Y": tc.Table((a, b), np.array([[0.5, 0.5], [0.02, 0.98]])),
        },
    )
    fit = tc.fit(ours.network, data, sources=tc.Source(theirs, name="York", strength=400))
    assert fit.borrowed[1].loans[0].probability > 0.9
    assert fit.network["B"].values[0, 1] < 0.05  # P(B=yes | A=no)


def test_a_doubted_rule_excludes_no_source():
    asia = tc.textbook("asia")
    leeds = tc.Source(tc.sample(asia, 300, seed=2), name="Leeds")
    rule = "P(bronc=yes | smoke=yes) <= 0.2"
    cases = tc.sample(asia, 60, seed=1)
    certain = tc.fit(asia, cases, sources=leeds, knowledge=rule)
    doubted = tc.fit(asia, cases, sources=leeds, knowledge=f"{rule} confidence 0.1")
    assert certain.borrowed[4].refused
    assert not doubted.borrowed[4].refused
    assert doubted.borrowed[4].loans


def test_a_source_that_has_seen_a_hidden_variable_leads_em_to_its_states():
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 200, seed=1).select([name for name in asia if name != "either"])
    leeds = tc.Source(tc.sample(asia, 500, seed=2), name="Leeds")
    hidden = {"either": ["yes", "no"]}
    alone = tc.fit(asia, cases, hidden=hidden, seed=1)
    fit = tc.fit(asia, cases, hidden=hidden, sources=leeds, seed=1)
    assert tc.divergence(asia, fit.network) < 0.1 < tc.divergence(asia, alone.network)
    assert fit.borrowed[5].loans[0].fragment == "either"
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(fit.trace))


def test_an_unrelated_source_lends_nothing_to_a_hidden_variable():
    asia = tc.textbook("asia")
    cases = tc.sample(asia, 300, seed=1).select([name for name in asia if name != "either"])
    random = np.random.default_rng(5)
    wrong = tc.Network(
        asia.dag,
        asia.variables,
        {
            name: tc.Table(
                asia[name].variables,
                random.dirichlet(np.ones(2), asia[name].values.shape[:-1]).reshape(
                    asia[name].values.shape
                ),
            )
            for name in asia
        },
    )
    leeds = tc.Source(tc.sample(wrong, 500, seed=2), name="Leeds")
    fit = tc.fit(asia, cases, hidden={"either": ["yes", "no"]}, sources=leeds, seed=1)
    alone = tc.fit(asia, cases, hidden={"either": ["yes", "no"]}, seed=1)
    assert fit.log_likelihood > alone.log_likelihood - 5
