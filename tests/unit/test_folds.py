"""Cross-validation: every case is scored by a network that never saw it."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_compare
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table
from tacit.learn.folds import cross_validate
from tacit.learn.heldout import CrossValidation, average_and_error, difference

SIDE, COIN = Discrete("Side", ("x", "y")), Discrete("Coin", ("a", "b", "c"))
PAIR = Network.of(
    [table(SIDE, [], [0.4, 0.6]), table(COIN, [SIDE], [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]])]
)
SHARED = "P(Coin | Side=x) = P(Coin | Side=y)"


def pairs(seed: int = 1, cases: int = 23) -> Dataset:
    return tc.sample(PAIR, cases, seed=seed)


def codes_of(data: Dataset) -> list[tuple[int, ...]]:
    return list(zip(data["Side"].tolist(), data["Coin"].tolist(), strict=True))


def free(case: tuple[int, ...]) -> list[tuple[object, int]]:
    side, coin = case
    return [("Side", side), (("Coin", side), coin)]


def shared(case: tuple[int, ...]) -> list[tuple[object, int]]:
    side, coin = case
    return [("Side", side), ("Coin", coin)]


def bdeu(name: object) -> list[float]:
    if name == "Side":
        return [0.5, 0.5]
    return [1 / 3] * 3 if name == "Coin" else [1 / 6] * 3


def changed(data: Dataset, which: np.ndarray, seed: int = 5) -> Dataset:
    """The data with other values in these cases."""
    random = np.random.default_rng(seed)
    columns = {name: np.array(column) for name, column in data.columns.items()}
    for name, column in columns.items():
        states = len(data.variables[name].states)
        column[which] = (column[which] + random.integers(1, states, which.size)) % states
    return Dataset(data.variables, columns, data.weights)


def test_every_case_is_held_out_once_and_folds_are_even() -> None:
    found = cross_validate(PAIR, pairs(), folds=4, seed=1)
    sizes = np.bincount(found.fold)
    assert sizes.tolist() == [6, 6, 6, 5]
    assert [each.cases for each in found.folds] == sizes.tolist()
    assert len(found.networks) == 4


def test_folds_are_drawn_at_random_and_the_seed_repeats_them() -> None:
    one, again = (cross_validate(PAIR, pairs(), seed=3) for _ in range(2))
    other = cross_validate(PAIR, pairs(), seed=4)
    assert_array_equal(one.fold, again.fold)
    assert_array_equal(one.per_case, again.per_case)
    assert (one.fold != other.fold).any()
    assert (np.diff(one.fold) != 1).any()  # not dealt out in the order of the data


@pytest.mark.parametrize(("knowledge", "places"), [(None, free), (SHARED, shared)])
def test_the_log_likelihood_of_every_case_is_that_of_its_definition(knowledge, places) -> None:
    data = pairs()
    found = cross_validate(PAIR, data, seed=2, knowledge=knowledge)
    cases = codes_of(data)
    oracle = naive_compare.held_out(cases, found.fold.tolist(), places, bdeu)
    assert_allclose(found.per_case, oracle, rtol=1e-12)
    assert found.total == pytest.approx(sum(oracle))
    assert found.average == pytest.approx(np.mean(oracle))
    assert found.error == pytest.approx(np.std(oracle, ddof=1) / np.sqrt(len(oracle)))


def test_folds_add_up_to_the_whole() -> None:
    found = cross_validate(PAIR, pairs(), seed=2)
    assert sum(each.total for each in found.folds) == pytest.approx(found.total)
    for at, each in enumerate(found.folds):
        assert each.average == pytest.approx(found.per_case[found.fold == at].mean())


def test_as_many_folds_as_cases_leave_one_out() -> None:
    data = pairs(cases=7)
    found = cross_validate(PAIR, data, folds=7, seed=1)
    for case in range(7):
        rest = np.flatnonzero(np.arange(7) != case)
        network = tc.fit(PAIR, data.take(rest)).network
        alone = tc.log_likelihood(network, data.take(np.array([case])))
        assert found.per_case[case] == pytest.approx(float(alone))


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"knowledge": SHARED},
        {"knowledge": "P(Coin=a | Side=x) <= 0.3\nCoin increases with Side"},
        {"knowledge": "P(Coin=a | Side=x) = P(Coin=a | Side=y) confidence 0.8"},
        {"prior": tc.Prior.like(PAIR, 5), "estimate": tc.ML()},
    ],
    ids=["free", "shared", "inequalities", "doubted", "other prior"],
)
def test_what_is_learned_for_a_fold_does_not_depend_on_its_cases(options) -> None:
    data = pairs(cases=40)
    one = cross_validate(PAIR, data, seed=1, **options)
    out = np.flatnonzero(one.fold == 2)
    other = cross_validate(PAIR, changed(data, out), seed=1, **options)
    assert_array_equal(one.fold, other.fold)
    for name in PAIR:
        assert_array_equal(one.networks[2][name].values, other.networks[2][name].values)
    assert (one.networks[0]["Coin"].values != other.networks[0]["Coin"].values).any()


@pytest.mark.parametrize("hidden", [None, {"H": 2}], ids=["missing cells", "a hidden variable"])
def test_nothing_leaks_through_em_either(hidden) -> None:
    data = tc.sample(PAIR, 60, seed=1, missing=None if hidden else tc.AtRandom(0.2))
    structure = "H -> Side; H -> Coin" if hidden else "Side -> Coin"
    one = cross_validate(structure, data, folds=3, seed=1, hidden=hidden)
    out = np.flatnonzero(one.fold == 1)
    columns = {name: np.array(column) for name, column in data.columns.items()}
    columns["Coin"][out] = 0
    columns["Side"][out] = -1 if hidden is None else 1
    other = cross_validate(
        structure, Dataset(data.variables, columns), folds=3, seed=1, hidden=hidden
    )
    for name in one.networks[1]:
        assert_array_equal(one.networks[1][name].values, other.networks[1][name].values)


def test_missing_cells_of_held_out_cases_are_summed_out() -> None:
    data = tc.sample(PAIR, 60, seed=1, missing=tc.AtRandom(0.3))
    found = cross_validate("Side -> Coin", data, folds=3, seed=1)
    for fold in range(3):
        left = np.flatnonzero(found.fold == fold)
        value = tc.log_likelihood(found.networks[fold], data.take(left))
        assert_array_equal(found.per_case[left], value.per_case)


def test_states_are_those_of_all_cases_even_where_one_fold_holds_them_alone() -> None:
    data = {"A": ["rare", *"xyxyxyxy"]}
    found = cross_validate("A", data, folds=3, seed=1)
    network = found.networks[found.fold[0]]
    assert network.variables["A"].states == ("rare", "x", "y")
    assert network["A"].values[0] == pytest.approx((1 / 3) / (6 + 1))


def test_a_held_out_case_that_was_never_seen_is_impossible_under_ml() -> None:
    data = {"A": ["rare", *"xyxyxyxy"]}
    found = cross_validate("A", data, folds=3, seed=1, estimate=tc.ML())
    assert found.impossible == 1
    assert found.per_case[0] == -np.inf
    assert (found.total, found.average) == (-np.inf, -np.inf)
    assert np.isnan(found.error)
    assert [each.impossible for each in found.folds].count(1) == 1
    assert "1 held-out case is impossible" in str(found)


def test_cases_that_rules_hold_at_0_are_impossible_wherever_they_stand() -> None:
    data = pairs(cases=40)
    never = (data["Side"] == 0) & (data["Coin"] == 1)
    found = cross_validate(PAIR, data, seed=1, knowledge="P(Coin=b | Side=x) = 0")
    assert never.any()
    assert_array_equal(np.isneginf(found.per_case), never)
    assert found.notes == (
        f"the rules hold {never.sum()} cases impossible; nothing was learned from them",
    )
    possible = np.flatnonzero(~never & (found.fold != 0))
    fitted = tc.fit(PAIR, data.take(possible), knowledge="P(Coin=b | Side=x) = 0")
    assert_array_equal(found.networks[0]["Coin"].values, fitted.network["Coin"].values)


def test_rows_that_were_left_unknown_are_told() -> None:
    data = {"A": [*"xxxxyyy"], "B": [*"xxyyxxy"], "C": [*"xyxyxyx"]}  # y, y once
    found = cross_validate("A -> C <- B", data, folds=7, seed=1, estimate=tc.ML("nan"))
    assert np.flatnonzero(np.isnan(found.per_case)).tolist() == [6]
    assert np.isnan(found.average)
    assert "1 held-out case meets a row of tables that nothing determined" in found.notes


def test_weights_count_in_what_is_learned_and_in_what_is_told() -> None:
    weights = np.random.default_rng(0).integers(0, 4, 23).astype(float)
    data = pairs().with_weights(weights)
    found = cross_validate(PAIR, data, seed=2)
    oracle = naive_compare.held_out(
        codes_of(data), found.fold.tolist(), free, bdeu, weights.tolist()
    )
    assert_allclose(found.per_case, oracle, rtol=1e-12)
    assert found.average == pytest.approx(np.average(oracle, weights=weights))
    repeated = np.repeat(oracle, weights.astype(int))
    assert found.error == pytest.approx(np.std(repeated, ddof=1) / np.sqrt(repeated.size))
    assert sum(each.weight for each in found.folds) == weights.sum()


def test_the_error_of_a_difference_is_that_of_the_paired_differences() -> None:
    data = pairs(cases=60)
    one = cross_validate(PAIR, data, seed=1)
    other = cross_validate(PAIR, data, seed=1, knowledge=SHARED)
    apart = one.per_case - other.per_case
    gain, error = difference(one, other)
    assert gain == pytest.approx(one.average - other.average)
    assert error == pytest.approx(np.std(apart, ddof=1) / np.sqrt(60))
    assert error < np.hypot(one.error, other.error)


def test_one_case_has_an_average_and_no_error() -> None:
    average, error = average_and_error(np.array([-1.5]), None)
    assert average == -1.5
    assert np.isnan(error)
    assert np.isnan(average_and_error(np.zeros(2), np.zeros(2))).all()


def test_gaussians_are_held_out_as_well() -> None:
    random = np.random.default_rng(1)
    wind = random.normal(size=30)
    data = tc.read_cases({"Wind": wind, "Power": 2 * wind + random.normal(size=30)})
    found = cross_validate("Wind -> Power", data, folds=3, seed=1)
    left = np.flatnonzero(found.fold == 0)
    fitted = tc.fit("Wind -> Power", data.take(np.flatnonzero(found.fold != 0)))
    value = tc.log_likelihood(fitted.network, data.take(left))
    assert_array_equal(found.per_case[left], value.per_case)


def test_a_file_of_a_network_gives_what_the_network_gives(tmp_path) -> None:
    tc.write(PAIR, tmp_path / "pair.bif")
    (tmp_path / "pair.dag").write_text("Side -> Coin\n")
    data, whole = pairs(), cross_validate(PAIR, pairs(), seed=1)
    for structure in (tmp_path / "pair.bif", str(tmp_path / "pair.dag"), "Side -> Coin"):
        assert_array_equal(cross_validate(structure, data, seed=1).per_case, whole.per_case)


def test_threads_change_nothing() -> None:
    data = tc.sample(PAIR, 60, seed=1, missing=tc.AtRandom(0.2))
    one, two = (cross_validate(PAIR, data, seed=1, threads=threads) for threads in (1, 2))
    assert_array_equal(one.per_case, two.per_case)


def test_progress_is_told_fold_by_fold() -> None:
    told: list[tuple[int, int]] = []
    cross_validate(PAIR, pairs(), folds=3, seed=1, progress=lambda *said: told.append(said[:2]))
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_it_prints_pickles_and_is_plain_data() -> None:
    found = cross_validate(PAIR, pairs(), folds=3, seed=1)
    assert repr(found) == "<CrossValidation of 23 cases in 3 folds>"
    lines = str(found).splitlines()
    assert lines[1].split() == ["fold", "cases", "log-likelihood", "per", "case"]
    assert lines[-1].startswith("held-out log-likelihood -")
    assert "<table" in found._repr_html_()
    plain = found.to_plain()
    assert plain["per_case"] == found.per_case.tolist()
    assert plain["settings"]["folds"] == 3
    again: CrossValidation = pickle.loads(pickle.dumps(found))
    assert_array_equal(again.per_case, found.per_case)
    with pytest.raises(ValueError, match="read-only"):
        found.per_case[0] = 0
