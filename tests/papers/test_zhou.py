"""Transfer and rules in twelve networks, Zhou, Fenton, Hospedales and Neil (2015)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import naive_zhou as naive
import tacit as tc
from tacit.estimate.transfer.compatible import exact_interval
from tacit.experiments.outcome import Settings
from tacit.experiments.registry import find, run
from tacit.experiments.zhou import methods, networks, runs
from tacit.experiments.zhou.search import Search, stacks_of
from tacit.experiments.zhou.significance import p_value, worse
from tacit.experiments.zhou.worlds import Limits, World, draw_counts, free_cells, with_noise
from tacit.io.textbook import parse_textbook

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"
FIGURES = ("zhou2015-figure4", "zhou2015-figure5", "zhou2015-figure6")
seeds = st.integers(0, 2**32)


def known(name: str) -> World:
    world = networks.world(name)
    assert world is not None
    return world


def mixed() -> World:
    """Tables with two and three states, and parents of unequal sizes in both orders."""
    return World.of(
        "mixed",
        parse_textbook(
            "A{a,b} : .3 .7\nB{a,b,c} : .2 .3 .5\n"
            "C{a,b} | A, B : .9 .1; .8 .2; 0 1; .5 .5; .4 .6; .2 .8\n"
            "D{a,b} | B, A : .1 .9; .7 .3; .3 .7; .5 .5; .2 .8; 1 0\n"
            "E{a,b,c} | C, D : .1 .2 .7; .3 .3 .4; .5 .5 0; .2 .2 .6\n"
            "F{a,b,c} | D, C : .4 .2 .4; .1 .3 .6; .3 .3 .4; 0 0 1\n"
        ),
    )


def tables(world: World, cells: np.ndarray) -> list[np.ndarray]:
    return [world.table(cells, number).reshape(shape) for number, shape in enumerate(world.shapes)]


def drawn(world: World, seed: int, cases: int = 60) -> runs.Draw:
    return runs.draw(world, cases, np.random.default_rng(seed))


# the networks


@pytest.mark.parametrize("name", ["Alarm", "Asia", "Cancer", "Earthquake", "Survey", "Insurance"])
def test_own_networks_are_those_of_the_repository(name: str, example_models: Path) -> None:
    world, theirs = known(name), World.of(name, tc.read(example_models / f"{name.lower()}.bif.gz"))
    assert world.shapes == theirs.shapes
    assert world.parents == theirs.parents
    assert_allclose(world.theta, theirs.theta, atol=2e-9)


@pytest.mark.data
@pytest.mark.parametrize("line", networks.TABLE, ids=lambda line: line.name)
def test_networks_have_the_parameters_printed(line: networks.Printed, data_folder: Path) -> None:
    world = networks.world(line.name, data_folder)
    assert world is not None
    printed = 1008 if line.name == "Insurance" else line.parameters
    assert world.free_parameters == printed


def test_the_printed_reductions_are_those_of_the_column_sums() -> None:
    from tacit.experiments.zhou.table1 import REDUCTIONS

    sums = dict(
        zip(networks.METHODS, np.sum([line.mean for line in networks.TABLE], 0), strict=True)
    )
    for of, over, text in REDUCTIONS:
        found = 100 * (1 - sums[of] / sums[over])
        assert found == pytest.approx(
            27.3 if (of, over) == ("MPL-TC+5", "MPL-C+5") else text, abs=0.06
        )


# the protocol


def test_counts_follow_the_tables() -> None:
    world, cases = mixed(), 40_000
    counts = draw_counts(world, world.theta, cases, np.random.default_rng(3))
    totals = world.totals(counts)
    error = np.sqrt(world.theta * (1 - world.theta) / totals)
    assert (np.abs(counts / totals - world.theta) <= 5 * error).all()
    assert_array_equal([each.sum() for each in tables(world, counts)], cases)
    whole = tables(world, counts)
    assert_array_equal(whole[4].sum(axis=(1, 2)), whole[2].sum(axis=(0, 1)))


@given(seeds)
def test_a_fifth_of_the_tables_is_made_anew(seed: int) -> None:
    world = known("Asia")
    theta, chosen = with_noise(world, 0.2, np.random.default_rng(seed))
    assert chosen.size == np.unique(chosen).size == 2
    assert_allclose(world.totals(theta), 1)
    apart = [
        np.abs(a - b).max() > 0
        for a, b in zip(*(tables(world, each) for each in (theta, world.theta)), strict=True)
    ]
    assert_array_equal(np.flatnonzero(apart), chosen)


def test_at_least_one_table_is_made_anew() -> None:
    assert with_noise(known("Weather"), 0.01, np.random.default_rng(1))[1].size == 1


@given(seeds)
def test_rules_are_about_free_parameters_each_once(seed: int) -> None:
    world = mixed()
    free = free_cells(world, np.random.default_rng(seed))
    assert np.unique(free).size == free.size == world.free_parameters
    left = np.bincount(world.row, minlength=world.rows_at.size - 1)
    assert_array_equal(np.bincount(world.row[free]), left - 1)


def test_rules_leave_five_percent_about_the_truth() -> None:
    world = mixed()
    cells = np.flatnonzero(np.isin(world.theta, [0.0, 0.3, 1.0]))
    limits = Limits.about(world, cells, 0.05)
    for cell, value in enumerate(world.theta):
        low, high = (0.95 * value, min(1.05 * value, 1)) if cell in cells else (0, 1)
        assert limits.lower[cell] == pytest.approx(low)
        assert limits.upper[cell] == pytest.approx(high)
    assert set(np.flatnonzero(limits.ruled)) == set(cells)


# the metric


def test_a_row_of_zeros_is_half_of_the_log_of_a_hundred_thousand_less_the_entropy_away() -> None:
    world = mixed()
    entropy = -sum(p * np.log(p) for p in world.theta if p > 0) / (world.rows_at.size - 1)
    found = methods.distance(world, np.zeros(world.theta.size))
    assert found == pytest.approx((np.log(1e5) - entropy) / 2, rel=1e-12)


@given(seeds)
def test_the_distance_is_averaged_over_all_rows(seed: int) -> None:
    world = mixed()
    theta, _ = with_noise(world, 0.5, np.random.default_rng(seed))
    rows = zip(*(np.split(each, world.rows_at[1:-1]) for each in (world.theta, theta)), strict=True)
    expected = np.mean([naive.distance_of_rows(p, q) for p, q in rows])
    assert methods.distance(world, theta) == pytest.approx(expected, rel=1e-10)


# what is borrowed


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("check", ["strict", "tolerant", "none"])
def test_the_fragment_borrowed_is_the_best_of_all_that_keep_the_rules(
    seed: int, check: str
) -> None:
    world = mixed()
    draw = drawn(world, seed)
    limits = draw.limits(0 if check == "none" else 8)
    search = Search.of(world, stacks_of(world, draw.sources), draw.target)
    loan = search.loan(limits, "strict" if check == "none" else check)
    sources = [tables(world, each) for each in draw.sources]
    for number, target in enumerate(tables(world, draw.target)):
        inside = slice(world.starts[number], world.starts[number + 1])
        low, high = (
            each[inside].reshape(-1, target.shape[-1]) for each in (limits.lower, limits.upper)
        )

        def keeps(rows: np.ndarray, low: np.ndarray = low, high: np.ndarray = high) -> bool:
            return all(
                _keeps(rows[row], cell, low[row, cell], high[row, cell], check)
                for row, cell in zip(*np.nonzero((low > 0) | (high < 1)), strict=True)
            )

        best = naive.best_fitness(sources, target, keeps)
        borrowed = world.table(loan.counts, number)
        if best == -np.inf:
            assert loan.child[number] == -1
            assert not loan.borrowed[inside].any()
        else:
            rows = target.reshape(-1, target.shape[-1])
            assert naive.log_predictive(borrowed, rows) == pytest.approx(best, abs=1e-8)
            assert keeps(borrowed)


def _keeps(row: np.ndarray, cell: int, low: float, high: float, check: str) -> bool:
    if row.sum() == 0:
        return True
    least = most = row[cell] / row.sum()
    if check == "tolerant":
        seen = np.array([row[cell], row.sum() - row[cell]])
        least, most = (each[0] for each in exact_interval(seen))
    return bool(least <= high + 1e-9 and most >= low - 1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_cptagg_borrows_the_nearest_table_and_mixes_by_confidence(seed: int) -> None:
    world = mixed()
    draw = drawn(world, seed, 300)
    stacks = stacks_of(world, draw.sources)
    ours = methods.most_likely(world, draw.target)
    loan = Search.nearest(world, stacks, ours).loan()
    mixture = methods.aggregated(world, draw.target, stacks)
    sources = [tables(world, each) for each in draw.sources]
    for number, target in enumerate(tables(world, draw.target)):
        mine, theirs = world.table(ours, number), naive.shares(world.table(loan.counts, number))
        apart = np.mean([naive.distance_of_rows(p, q) for p, q in zip(mine, theirs, strict=True)])
        assert apart == pytest.approx(naive.nearest(sources, target), abs=1e-10)
        c = 300 / (target.size + 2)
        trust = 1 - np.log(c) / c if c >= 3 else 1 - c * np.log(3) / 3
        expected = trust * mine + (1 - trust) * np.array(theirs)
        assert_allclose(world.table(mixture, number), expected, atol=1e-12)


def test_of_equals_the_fragment_of_the_same_name_and_the_larger_source_is_taken() -> None:
    world = mixed()
    draw = drawn(world, 1)
    nothing = np.zeros(world.theta.size)
    loan = Search.of(world, stacks_of(world, draw.sources), nothing).loan()
    assert_array_equal(loan.child, np.arange(len(world.shapes)))
    assert_array_equal(loan.counts, draw.sources[2])


# the estimates


@given(seeds)
def test_two_states_without_rules_have_the_mean_of_the_squared_likelihood(seed: int) -> None:
    world = known("Cancer")
    counts = drawn(world, seed).target
    found = methods.constrained(world, counts, Limits.none(world))
    assert_allclose(found, (counts + 0.5) / (world.totals(counts) + 1), rtol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_two_states_with_rules_and_priors_are_the_integrals(seed: int) -> None:
    world = known("Asia")
    draw, rng = drawn(world, seed), np.random.default_rng(seed)
    limits = draw.limits(6)
    loan = Search.of(world, stacks_of(world, draw.sources), draw.target).loan(limits)
    mode = methods.Mode(prior=tc.NormalPrior(floor=0.01, coherent=False))
    found = methods.transferred(world, draw.target, limits, loan, rng, mode)
    for yes in range(0, world.theta.size, 2):
        no = yes + 1
        k, n = loan.counts[yes], loan.counts[yes] + loan.counts[no]
        centre, spread = (0.5, 1e9) if n == 0 else (k / n, max(0.01, np.sqrt(k * (n - k) / n**3)))
        low = max(limits.lower[yes], 1 - limits.upper[no])
        high = min(limits.upper[yes], 1 - limits.lower[no])
        if high - low < 1e-12:
            expected = low
        else:
            expected = naive.mean_of_two(
                draw.target[yes], draw.target[no], centre, spread, low, high
            )
        assert found[yes] == pytest.approx(expected, abs=1e-5)
        assert found[yes] + found[no] == pytest.approx(1)


@pytest.mark.parametrize("name", ["Survey", "Asia"])
def test_every_estimate_keeps_the_rules_and_adds_up(name: str) -> None:
    world = known(name)
    draw, rng = drawn(world, 5), np.random.default_rng(5)
    made = runs.estimates(runs.Trial.of(draw), rng)
    limits = draw.limits(5)
    for method in ("MPL-C+5", "MPL-TC+5", "coherent"):
        assert_allclose(world.totals(made[method]), 1, atol=1e-9)
        assert (made[method] >= limits.lower - 1e-12).all()
        assert (made[method] <= limits.upper + 1e-12).all()


# the paper's figures


@pytest.mark.parametrize(
    ("name", "mean", "within"),
    [("asia", 0.36, 0.03), ("cancer", 0.072, 0.012), ("hepar2", 0.329, 0.01),
     ("hailfinder", 0.46, 0.01), ("win95pts", 0.82, 0.02)],
)  # fmt: skip
def test_map_is_as_far_off_as_printed(
    name: str, mean: float, within: float, example_models: Path
) -> None:
    world = World.of(name, tc.read(example_models / f"{name}.bif.gz"))
    rng = np.random.default_rng(21)
    found = [
        methods.distance(world, methods.smoothed(world, draw_counts(world, world.theta, 100, rng)))
        for _ in range(50)
    ]
    assert np.mean(found) == pytest.approx(mean, abs=within)


@pytest.mark.parametrize(
    ("name", "mean", "within", "times"),
    [("andes", 0.149, 0.005, 5), ("hailfinder", 0.410, 0.015, 1)],
)
def test_mpl_c_without_rules_is_as_far_off_as_printed(
    name: str, mean: float, within: float, times: int, example_models: Path
) -> None:
    world = World.of(name, tc.read(example_models / f"{name}.bif.gz"))
    rng = np.random.default_rng(22)
    found = [
        methods.distance(
            world,
            methods.constrained(
                world, draw_counts(world, world.theta, 100, rng), Limits.none(world)
            ),
        )
        for _ in range(times)
    ]
    assert np.mean(found) == pytest.approx(mean, abs=within)


@pytest.mark.parametrize("name", networks.SMALL)
def test_borrowing_with_rules_is_nearer_than_map(name: str) -> None:
    world, apart = known(name), []
    for number in range(50):
        rng = np.random.default_rng([23, number])
        trial = runs.Trial.of(runs.draw(world, 100, rng))
        before = methods.distance(world, methods.smoothed(world, trial.given.target))
        apart.append(before - methods.distance(world, trial.transferred(5, rng)))
    assert np.mean(apart) > 2 * np.std(apart) / np.sqrt(50)


@pytest.mark.parametrize("name", FIGURES)
def test_small_runs_of_the_figures_show_what_the_paper_says(name: str) -> None:
    outcome = run(find(name), Settings("smoke"))
    assert outcome.claims[0].holds, str(outcome)
    for table in outcome.tables:
        assert all(len(row) == len(table.heads) for row in table.rows)


def test_a_small_table_has_the_small_networks_and_says_what_is_missing() -> None:
    outcome = run(find("zhou2015-table1"), Settings("smoke"))
    assert [row[0] for row in outcome.tables[0].rows[::2]] == [*networks.SMALL]
    assert all(len(row) == 9 for row in outcome.tables[0].rows)
    assert {line.name for line in networks.TABLE if line.home is None} >= {
        *outcome.plain["missing"]
    }
    assert outcome.done == outcome.asked == 10
    assert outcome.claims[0].holds
    again = run(find("zhou2015-table1"), Settings("smoke"))
    assert str(again) == str(outcome)


def test_an_interruption_leaves_the_networks_that_were_done() -> None:
    def stop(done: int, total: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    outcome = run(find("zhou2015-table1"), Settings("smoke", progress=stop))
    assert (outcome.done, outcome.asked) == (7, 10)
    assert [each["repetitions"] for each in outcome.plain["rows"]] == [2, 2, 1, 1, 1]
    assert "interrupted: 7 of 10 repetitions were made" in str(outcome)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(tc.OptionError) as caught:
        run(find("zhou2015-table1"), Settings("smoke", data=tmp_path / "none"))
    assert str(caught.value) == (
        "zhou2015-table1 takes five networks as BIF files, but there is no folder "
        f"{tmp_path / 'none'}\n\nname another with --data DIR, or leave it out"
    )


def test_networks_are_read_from_the_folder_or_its_networks(
    tmp_path: Path, example_models: Path
) -> None:
    (tmp_path / "networks").mkdir()
    whole = (example_models / "sachs.bif.gz").read_bytes()
    (tmp_path / "networks" / "sachs.bif.gz").write_bytes(whole)
    for folder in (tmp_path, example_models):
        world = networks.world("Sachs", folder)
        assert world is not None
        assert world.free_parameters == 178
    assert networks.world("Andes", tmp_path) is None


# significance


@given(seeds, st.integers(2, 12))
def test_p_values_are_those_of_students_tests(seed: int, many: int) -> None:
    rng = np.random.default_rng(seed)
    one, other = rng.normal(0, 1, many), rng.normal(0.5, 2, many)
    assert p_value(one, other) == pytest.approx(stats.ttest_ind(one, other).pvalue, rel=1e-9)
    paired = p_value(one, other, paired=True)
    assert paired == pytest.approx(stats.ttest_rel(one, other).pvalue, rel=1e-9)


def test_marks_are_on_what_the_best_beats() -> None:
    base = np.array([1.0, 1.1, 0.9, 1.0, 1.05])
    marks = worse({"far": base + 5, "near": base + 0.01, "best": base})
    assert marks == {"far": True, "near": False, "best": False}
    assert worse({"near": base + 0.01, "best": base}, paired=True)["near"]


def test_one_repetition_proves_nothing() -> None:
    one = np.array([1.0])
    assert p_value(one, one + 5) == 1.0
    assert p_value(np.ones(3), np.ones(3)) == 1.0
    assert p_value(np.ones(3), np.zeros(3), paired=True) == 0.0


# as on the page


@pytest.mark.full
@pytest.mark.parametrize("name", FIGURES)
def test_figures_are_those_of_the_page(name: str) -> None:
    outcome = run(find(name), Settings("default"))
    assert all(claim.holds for claim in outcome.claims)
    page = PAGE.read_text(encoding="utf-8")
    assert all(str(table) in page for table in outcome.tables)


@pytest.mark.full
@pytest.mark.data
def test_the_whole_table_is_that_of_the_page(data_folder: Path) -> None:
    outcome = run(find("zhou2015-table1"), Settings("full", data=data_folder))
    assert all(claim.holds for claim in outcome.claims)
    page = PAGE.read_text(encoding="utf-8")
    assert all(str(table) in page for table in outcome.tables)
