"""Curves fitted to cases with gaps, and to hidden parents: against dense grids and other fits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from scipy.stats import norm

import tacit as tc
from commands import run_json
from tacit.families.curve_evidence import CurveEvidence
from tacit.learn.bends.lattice import lattice


def sigmoid(a):
    return 1 / (1 + np.exp(-a))


def planted(random, cases):
    """A -> B; A, B -> X; X -> Y: a sigmoid and a softplus."""
    a = random.normal(2, 1, cases)
    b = 0.5 * a + random.normal(size=cases)
    x = 1 + 3 * sigmoid(2 * (a - 2) - (b - 1)) + random.normal(0, 0.2, cases)
    y = np.logaddexp(0, 2 * (x - 2.5)) + random.normal(0, 0.3, cases)
    return {"A": a, "B": b, "X": x, "Y": y}


def punched(random, cases, share=0.2):
    return {
        name: np.where(random.random(len(column)) < share, np.nan, column)
        for name, column in cases.items()
    }


DAG = "A -> B; A, B -> X; X -> Y"
KINDS = {"X": tc.SigmoidGaussian, "Y": tc.SoftplusGaussian}
RANDOM = np.random.default_rng(1)
WHOLE = planted(RANDOM, 120)
GAPS = punched(RANDOM, WHOLE)
FIT = tc.fit(DAG, GAPS, families=KINDS, estimate=tc.ML(), seed=1)


def grid_likelihood(network, case, far=8.0, many=161):
    """log P(what was observed), the missing summed over a dense grid; slow, and plain to see."""
    names = list(network)
    open_ = [name for name in names if np.isnan(case[name])]
    axes = [np.linspace(CENTRE[n] - far * SPREAD[n], CENTRE[n] + far * SPREAD[n], many)
            for n in open_]  # fmt: skip
    mesh = np.meshgrid(*axes, indexing="ij") if axes else []
    columns = {name: each.ravel() for name, each in zip(open_, mesh, strict=True)}
    size = many ** len(open_)
    columns |= {name: np.full(size, case[name]) for name in names if name not in open_}
    logs = sum(network[n].log_prob([columns[v.name] for v in network[n].variables]) for n in names)
    volume = np.prod([axis[1] - axis[0] for axis in axes])
    return np.log(np.exp(logs - logs.max()).sum() * volume) + logs.max()


CENTRE = {name: column.mean() for name, column in WHOLE.items()}
SPREAD = {name: column.std() for name, column in WHOLE.items()}


def test_the_likelihood_is_that_of_a_dense_grid():
    total = 0.0
    for at in range(120):
        case = {name: column[at] for name, column in GAPS.items()}
        gone = sum(np.isnan(value) for value in case.values())
        many = {0: 2, 1: 4001, 2: 801, 3: 161, 4: 2}[int(gone)]
        total += grid_likelihood(FIT.network, case, many=many) if gone < 4 else 0.0
    assert FIT.log_likelihood == pytest.approx(total, abs=2e-4)


def test_the_likelihood_is_that_of_weighted_draws_within_their_error():
    told = tc.log_likelihood(FIT.network, GAPS)
    (note,) = told.notes
    error = float(note.split("Monte Carlo error of ")[1].split(" ")[0])
    assert abs(float(told) - FIT.log_likelihood) < 4 * error


def test_no_step_lowers_the_objective_and_the_end_is_a_maximum():
    assert (np.diff(FIT.trace) >= 0).all()
    assert FIT.trace[-1] == FIT.objective == FIT.log_likelihood
    plain = tc.EM(accelerate=False)
    again = tc.fit(FIT.network, GAPS, start="given", estimate=tc.ML(), method=plain, seed=1)
    assert again.objective == pytest.approx(FIT.objective, abs=1e-4)
    assert (np.diff(again.trace) >= 0).all()


def test_lines_beside_curves_have_the_prior_and_no_step_lowers_the_objective():
    fit = tc.fit(DAG, GAPS, families=KINDS, method=tc.EM(accelerate=False), seed=1)
    assert (np.diff(fit.trace) >= 0).all()
    assert fit.settings["normal_prior"] == "WeakNormal()"
    assert set(fit.normal) == {"A", "B"}
    told = fit.log_likelihood
    seen = {name: GAPS[name][~np.isnan(GAPS[name])] for name in "AB"}
    for name, parents in (("A", ""), ("B", "A")):
        line = fit.network[name]
        squares = seen[name].var() + sum(line.coefficients**2 * seen["A"].var())
        mean = line.intercept + sum(line.coefficients * seen["A"].mean())
        assert list(line.parents) == list(parents)
        squares += (seen[name].mean() - mean) ** 2
        told -= np.log(line.sd) + 0.01**2 * squares / line.sd**2 / 2
    assert fit.objective == pytest.approx(told, abs=1e-6)


def test_the_end_is_the_maximum_that_a_quasi_newton_method_finds_on_dense_grids():
    random = np.random.default_rng(2)
    a = random.normal(size=60)
    x = 3 * sigmoid(2 * a) + random.normal(0, 0.4, 60)
    x[:5] = np.nan
    a[20:40] = np.nan
    cases = {"A": a, "X": x}
    fit = tc.fit("A -> X", cases, families={"X": tc.SigmoidGaussian}, estimate=tc.ML(), seed=1,
                 method=tc.EM(tolerance=1e-13))  # fmt: skip
    curve, line = fit.network["X"], fit.network["A"]
    centre = curve.threshold / curve.coefficients[0]
    grid = np.linspace(-7, 7, 1401)
    here = np.array([line.intercept, np.log(line.sd), curve.coefficients[0], curve.base,
                     curve.rise, np.log(curve.sd)])  # fmt: skip

    def loss(numbers):
        mean, log_sd, slope, base, rise, log_noise = numbers
        prior = norm.logpdf(grid, mean, np.exp(log_sd))
        answer = base + rise * sigmoid(slope * (grid - centre))
        lost = np.isnan(a)
        logs = prior + norm.logpdf(x[lost, None], answer, np.exp(log_noise))
        total = np.log(np.exp(logs).sum(axis=1) * 0.01).sum()
        total += norm.logpdf(a[~lost], mean, np.exp(log_sd)).sum()
        both = ~lost & ~np.isnan(x)
        at = base + rise * sigmoid(slope * (a[both] - centre))
        return -(total + norm.logpdf(x[both], at, np.exp(log_noise)).sum())

    best = minimize(loss, here + 0.1, method="BFGS", options={"gtol": 1e-6})
    assert fit.log_likelihood == pytest.approx(-loss(here), abs=1e-6)
    assert -loss(here) >= -best.fun - 1e-6
    assert_allclose(here, best.x, atol=5e-3)


def test_plain_steps_end_where_extrapolated_ones_do():
    method = tc.EM(accelerate=False)
    plain = tc.fit(DAG, GAPS, families=KINDS, estimate=tc.ML(), method=method, seed=1)
    assert plain.objective == pytest.approx(FIT.objective, abs=1e-4)
    assert len(FIT.trace) < len(plain.trace)
    assert_allclose(plain.network["X"].coefficients, FIT.network["X"].coefficients, atol=1e-2)


def test_one_seed_gives_the_same_bits_and_weights_count_as_cases():
    again = tc.fit(DAG, GAPS, families=KINDS, estimate=tc.ML(), seed=1)
    assert again.network == FIT.network
    assert again.log_likelihood == FIT.log_likelihood
    twice = tc.read_cases(GAPS).with_weights(np.full(120, 2.0))
    double = tc.fit(DAG, twice, families=KINDS, estimate=tc.ML(), seed=1)
    assert double.log_likelihood == pytest.approx(2 * FIT.log_likelihood, abs=1e-3)
    assert_allclose(double.network["X"].coefficients, FIT.network["X"].coefficients, rtol=1e-3)


def test_planted_curves_come_back_where_whole_cases_mislead():
    random = np.random.default_rng(4)
    cases = planted(random, 1500)
    high = cases["X"] > 2.5
    cases["B"] = np.where(high & (random.random(1500) < 0.9), np.nan, cases["B"])
    families = {"X": tc.SigmoidGaussian}
    fit = tc.fit("A -> B; A, B -> X", cases, families=families, seed=1)
    some = tc.fit("A -> B; A, B -> X", cases, families=families, method=tc.AvailableCases())
    truth = np.array([2.0, -1.0, 1.0, 3.0, 0.2])

    def off(found):
        x = found.network["X"]
        return np.abs(np.array([*x.coefficients, x.base, x.rise, x.sd]) - truth).max()

    assert off(fit) < 0.15
    assert off(fit) < 0.5 * off(some)
    assert abs(fit.network["B"].coefficients[0] - 0.5) < 0.1
    assert abs(some.network["B"].coefficients[0] - 0.5) > 0.1


def test_with_a_fifth_of_the_cells_gone_curves_are_nearer_than_by_whole_cases():
    errors = []
    for seed in range(3):
        random = np.random.default_rng([9, seed])
        whole = planted(random, 800)
        cases = punched(random, whole)
        fits = [
            tc.fit(DAG, data, families=KINDS, method=method, seed=1).network["X"]
            for data, method in ((whole, None), (cases, None), (cases, tc.AvailableCases()))
        ]
        x = [np.array([*each.coefficients, each.base, each.rise, each.sd]) for each in fits]
        errors.append([((each - x[0]) ** 2).sum() for each in x[1:]])
    by_em, by_whole = np.array(errors).mean(axis=0)
    assert by_em < 0.8 * by_whole


def test_gaps_of_straight_lines_alone_are_exact_and_give_what_straight_lines_give():
    random = np.random.default_rng(5)
    cases = planted(random, 150)
    c = random.normal(size=150)
    cases |= {"C": c, "D": 2 * c + random.normal(size=150)}
    cases |= punched(random, {name: cases[name] for name in "CD"}, 0.3)
    dag = "A, B -> X; C -> D"
    prior = [tc.BDeu(1), tc.NormalGamma()]
    for wishes in ({}, {"prior": prior}):
        fit = tc.fit(dag, {k: cases[k] for k in "ABXCD"}, families={"X": tc.SigmoidGaussian},
                     method=tc.EM(tolerance=1e-12), seed=1, **wishes)  # fmt: skip
        lines = tc.fit(dag, {k: cases[k] for k in "ABXCD"}, method=tc.EM(tolerance=1e-12),
                       **wishes)  # fmt: skip
        for name in "CD":
            for number in ("coefficients", "intercept", "sd"):
                assert_allclose(getattr(fit.network[name], number),
                                getattr(lines.network[name], number), atol=1e-5)  # fmt: skip
        told = float(tc.log_likelihood(fit.network, {k: cases[k] for k in "ABXCD"}))
        assert fit.log_likelihood == pytest.approx(told, abs=1e-6)
        assert not any("parents of curves" in note for note in fit.notes)
    assert fit.objective != fit.log_likelihood
    whole = {name: cases[name] for name in "ABX"}
    curve = tc.fit("A, B -> X", whole, families={"X": tc.SigmoidGaussian}).network["X"]
    assert_allclose(fit.network["X"].coefficients, curve.coefficients, rtol=1e-4)


def test_many_unknown_parents_are_integrated_by_draws_and_the_note_says_how_sure_that_is():
    random = np.random.default_rng(6)
    parents = {f"P{at}": random.normal(size=150) for at in range(5)}
    x = 3 * sigmoid(sum(parents.values())) + random.normal(0, 0.3, 150)
    cases = {**parents, "X": x}
    for name in list(parents)[:4]:
        cases[name] = np.where(np.arange(150) < 12, np.nan, cases[name])
    fit = tc.fit(", ".join(parents) + " -> X", cases, families=tc.SigmoidGaussian, seed=1)
    (note,) = [note for note in fit.notes if "weighted draws" in note]
    assert note.startswith("12 cases with unknown parents of curves, more than three together")
    error = float(note.split("Monte Carlo error of ")[1].split(" ")[0])
    told = float(tc.log_likelihood(fit.network, cases))
    assert 0 < error < 0.5
    assert abs(told - fit.log_likelihood) < 5 * error + 0.05


def test_what_says_nothing_changes_nothing():
    random = np.random.default_rng(7)
    cases = planted(random, 100)
    cases["Y"] = np.where(random.random(100) < 0.3, np.nan, cases["Y"])
    fit = tc.fit(DAG, cases, families=KINDS, seed=1)
    some = tc.fit(DAG, cases, families=KINDS, method=tc.AvailableCases())
    grid = np.linspace(1.5, 3.5, 9)
    ours, theirs = (each.network["Y"].mean([grid], 9) for each in (fit, some))
    assert_allclose(ours, theirs, atol=0.03)
    assert fit.log_likelihood == pytest.approx(some.log_likelihood, abs=0.5)
    assert fit.evidence["Y"].total == pytest.approx(100)


HIDDEN = np.random.default_rng(8)
H = HIDDEN.normal(size=250)
CHILDREN = {
    f"X{at}": (2 + at) * sigmoid(slope * H) + HIDDEN.normal(0, 0.25, 250)
    for at, slope in enumerate([2.0, -1.5, 3.0, 1.0])
}
UNDER = tc.fit("H -> " + ", ".join(CHILDREN), CHILDREN, hidden={"H": "continuous"}, seed=1,
               families=dict.fromkeys(CHILDREN, tc.SigmoidGaussian),
               method=tc.EM(restarts=2))  # fmt: skip


def test_a_hidden_parent_of_curves_is_found():
    first = UNDER.network["X0"]
    assert first.coefficients[0] * first.rise > 0
    assert UNDER.network["H"].sd == 1
    for name, column in CHILDREN.items():
        curve = UNDER.network[name]
        grid = np.linspace(-2, 2, 9)
        at = int(name[1])
        truth = (2 + at) * sigmoid([2.0, -1.5, 3.0, 1.0][at] * grid)
        assert_allclose(curve.mean([grid], 9), truth, atol=0.15 * column.std() + 0.1)
    assert len(UNDER.runs) == 2


def test_a_hidden_parent_is_that_of_two_layers_up_to_the_error_of_laplace():
    layers = tc.search(CHILDREN, family=tc.SigmoidGaussian, seed=1,
                       method=tc.IdealParent(k=2, hidden=True, most_hidden=1))  # fmt: skip
    (name,) = layers.found.hidden
    grid = np.linspace(-1.5, 1.5, 7)
    for child in layers.dag.children[name]:
        ours, theirs = UNDER.network[child], layers.network[child]
        both = [theirs.mean([sign * grid], 7) for sign in (1, -1)]
        gaps = [np.abs(each - ours.mean([grid], 7)).max() for each in both]
        assert min(gaps) < 0.25
    assert UNDER.log_likelihood >= float(tc.log_likelihood(layers.network, CHILDREN)) - 0.5


def test_a_hidden_parent_with_gaps_in_its_children():
    random = np.random.default_rng(3)
    cases = punched(random, CHILDREN, 0.1)
    fit = tc.fit("H -> " + ", ".join(CHILDREN), cases, hidden={"H": "continuous"}, seed=1,
                 families=dict.fromkeys(CHILDREN, tc.SigmoidGaussian),
                 method=tc.EM(restarts=1))  # fmt: skip
    assert (np.diff(fit.trace) >= 0).all()
    told = sum(
        grid_hidden(fit.network, {name: column[at] for name, column in cases.items()})
        for at in range(250)
    )
    assert fit.log_likelihood == pytest.approx(told, abs=1e-4)


def grid_hidden(network, case):
    """log P(what was observed) over a dense grid of the hidden variable."""
    above = [np.array([case[name]]) for name in network["H"].parents]
    h = network["H"].mean(above, 1) + np.linspace(-8, 8, 4001)
    logs = network["H"].log_prob([*(np.full(h.size, each[0]) for each in above), h])
    for name, value in case.items():
        if not np.isnan(value):
            told = [h] if network[name].parents else []
            logs = logs + network[name].log_prob([*told, np.full(h.size, value)])
    return np.log(np.exp(logs - logs.max()).sum() * (h[1] - h[0])) + logs.max()


def test_a_hidden_variable_below_measured_ones():
    random = np.random.default_rng(10)
    cause = random.normal(5, 1, 300)
    h = 1.5 * (cause - 5) + random.normal(size=300)
    cases = {"C": cause}
    cases |= {f"X{at}": 3 * sigmoid(slope * h) + random.normal(0, 0.2, 300)
              for at, slope in enumerate([1.0, -0.8, 0.6])}  # fmt: skip
    fit = tc.fit("C -> H -> X0, X1, X2", cases, hidden={"H": "continuous"}, seed=1,
                 families={f"X{at}": tc.SigmoidGaussian for at in range(3)},
                 method=tc.EM(restarts=1, max_steps=40))  # fmt: skip
    assert fit.network["X0"].coefficients[0] > 0
    told = sum(
        grid_hidden(fit.network, {name: column[at] for name, column in cases.items()})
        for at in range(300)
    )
    assert fit.log_likelihood == pytest.approx(told, abs=1e-4)
    total = fit.evidence["X0"].moments
    assert_allclose(total.means[-1], cases["X0"].mean())


def test_a_fit_is_saved_reported_and_says_what_was_inferred(tmp_path: Path):
    cells = sum(int(np.isnan(column).sum()) for column in GAPS.values())
    assert f"{cells:,} cells are missing" in FIT.notes[0]
    assert "integrated by sums over points, which is sure to" in FIT.notes[1]
    assert isinstance(FIT.evidence["X"], CurveEvidence)
    for held in FIT.evidence.values():
        assert held.total == pytest.approx(120)
    interval = FIT.intervals["X"]
    assert (interval.lower < interval.upper).all()
    FIT.save(tmp_path / "fit.json")
    again = tc.load_fit(tmp_path / "fit.json")
    assert again.network == FIT.network
    assert again.trace == FIT.trace
    told = str(tc.report(FIT))
    assert "All 120 cases were used" in told
    assert "of what was observed" in told
    assert "sigmoid Gaussian" in told


def test_an_interrupted_fit_is_the_best_so_far():
    def ended(done, total, objective):
        if done >= 3:
            raise KeyboardInterrupt

    fit = tc.fit(DAG, GAPS, families=KINDS, estimate=tc.ML(), seed=1, progress=ended)
    assert "interrupted" in fit.stop.value
    assert fit.trace[-1] < FIT.trace[-1]
    assert fit.network["X"].kind == "sigmoid-gaussian"


def test_a_broken_off_fit_goes_on_to_the_same_end(tmp_path: Path):
    def ended(done, total, objective):
        if done >= 4:
            raise KeyboardInterrupt

    asked = {"families": KINDS, "estimate": tc.ML(), "seed": 1, "checkpoint": tmp_path / "kept"}
    tc.fit(DAG, GAPS, progress=ended, **asked)
    fit = tc.fit(DAG, GAPS, resume=True, **asked)
    assert fit.network == FIT.network


def test_the_command_line_fits_curves_to_gaps(tmp_path: Path, capsys):
    table = tmp_path / "cases.csv"
    rows = [",".join(GAPS)]
    rows += [
        ",".join("" if np.isnan(v) else repr(float(v)) for v in row)
        for row in zip(*GAPS.values(), strict=True)
    ]
    table.write_text("\n".join(rows) + "\n")
    asked = ["--network", DAG, "--family", "X=sigmoid", "--family", "Y=softplus", "--seed", "1"]
    asked += ["--estimate", "ml"]
    told = run_json(capsys, "fit", str(table), *asked, "-o", str(tmp_path / "n.json"), "--json")
    assert told["log_likelihood"] == pytest.approx(FIT.log_likelihood, abs=1e-6)
    assert any("unknown parents of curves" in note for note in told["notes"])


@pytest.mark.parametrize("dimensions", [1, 2, 3, 5])
def test_points_integrate_normals_and_know_how_well(dimensions):
    points = lattice(dimensions)
    normal = -0.5 * (points.points**2).sum(axis=1) - dimensions / 2 * np.log(2 * np.pi)
    shifted = -0.5 * ((points.points - 0.3) ** 2).sum(axis=1) - dimensions / 2 * np.log(2 * np.pi)
    for logs in (normal, shifted):
        found = points.integrals(logs[None])
        assert abs(found.logs[0]) <= max(5 * found.error[0], 1e-8)
        assert abs(found.logs[0]) < 0.02
        assert found.shares.sum() == pytest.approx(1)
