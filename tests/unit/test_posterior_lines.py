"""Posteriors of networks with continuous variables: regressions in closed form beside tables."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import tacit as tc
from mixed import gaussian_network, mixed_network
from tacit.cli.main import execute
from tacit.learn.posterior_shown import draws_dataset, posterior_plain

NETWORK = mixed_network(1)
CASES = tc.sample(NETWORK, 60, seed=1)
FOUND = tc.posterior(NETWORK.dag, CASES, prior=[tc.K2(), tc.NormalGamma(2)], seed=1)


def test_every_number_has_mean_spread_and_interval_and_draws_agree():
    for name, variable in NETWORK.variables.items():
        if isinstance(variable, tc.Discrete):
            continue
        drawn = FOUND.draws[name]
        assert_allclose(drawn.mean(axis=0), FOUND.mean[name], atol=0.12)
        interval = FOUND.interval[name]
        inside = (drawn >= interval.lower) & (drawn <= interval.upper)
        assert_allclose(inside.mean(axis=0), 0.95, atol=0.02)
        middle = np.isfinite(FOUND.sd[name])
        assert_allclose(drawn.std(axis=0)[middle], FOUND.sd[name][middle], rtol=0.5)


def test_the_mean_of_a_regression_is_least_squares_with_the_priors_cases():
    """The prior's cases: two at the mean, and scatter t sd² of every variable of its own."""
    network = gaussian_network(3, 3, 1.0)
    data = tc.sample(network, 20, seed=1)
    found = tc.posterior(network.dag, data, prior=tc.NormalGamma(2.0))
    columns = {name: data[name] for name in ("X0", "X1", "X2")}
    t = 2.0 * (5 - 3 - 1) / (2.0 + 1)
    rows, child = [], []
    for name in ("X0", "X1"):
        step = np.sqrt(t) * columns[name].std()
        rows.append([step if other == name else 0.0 for other in ("X0", "X1")] + [0.0])
        child.append(0.0)
    middle = [columns[name].mean() for name in ("X0", "X1")]
    rows.append([*(np.sqrt(2) * np.array(middle)), np.sqrt(2)])
    child.append(np.sqrt(2) * columns["X2"].mean())
    design = np.vstack([np.column_stack([columns["X0"], columns["X1"], np.ones(20)]), rows])
    slopes = np.linalg.lstsq(design, [*columns["X2"], *child], rcond=None)[0]
    assert_allclose(found.mean["X2"][:-1], slopes)
    assert found.size == len(found.draws["X2"])


def test_the_log_marginal_likelihood_is_the_sum_of_all_families():
    fit = tc.fit(NETWORK.dag, CASES, prior=[tc.K2(), tc.NormalGamma(2)])
    assert_allclose(FOUND.log_marginal_likelihood, fit.log_marginal_likelihood)
    assert FOUND.settings["normal_prior"] == "NormalGamma(2)"
    assert "prior K2() and NormalGamma(2)" in str(FOUND)


def test_the_predictive_density_adds_a_case_to_the_marginal_likelihood():
    new = tc.sample(NETWORK, 1, seed=9)
    both = tc.Dataset(
        CASES.variables, {name: np.append(CASES[name], new[name]) for name in CASES.names}
    )
    prior = [tc.K2(), tc.NormalGamma(2, spread=1)]
    before = tc.posterior(NETWORK.dag, CASES, prior=prior)
    gaussian = sum(
        float(own.log_predictive([new[axis.name] for axis in own.axes])[0])
        for own in before.lines.values()
    )
    tables = sum(
        np.log(before.mean[name][tuple(new[axis][0] for axis in (*family.parents, name))])
        for name, family in NETWORK.families.items()
        if name not in before.lines
    )
    assert_allclose(before.log_predictive(new)[0], gaussian + tables)
    assert len(both) == 61
    own = before.lines["X1"]
    mean, known = own.mean, own.each
    assert mean.shape == (3, 2)
    density = stats.t.logpdf(
        new["X1"][0],
        known[new["A2"][0]].freedom,
        known[new["A2"][0]].centre[0],
        np.sqrt(
            known[new["A2"][0]].residual
            / known[new["A2"][0]].freedom
            * (1 + known[new["A2"][0]].inverse[0, 0])
        ),
    )
    assert_allclose(own.log_predictive([new["A2"], new["X1"]])[0], density)


def test_cases_with_gaps_are_predicted_by_draws():
    gaps = tc.sample(NETWORK, 6, seed=3, missing=tc.AtRandom(0.4))
    logs = FOUND.log_predictive(gaps)
    assert_allclose(logs, tc.log_likelihood(FOUND.network, gaps).per_case, atol=0.8)
    predicted = FOUND.predict(gaps, draws=50)
    assert predicted["A1"].shape == (6, 3)
    seen = ~np.isnan(gaps["X1"])
    assert_allclose(predicted["X1"][seen], gaps["X1"][seen])


def test_the_most_probable_numbers_are_those_of_map():
    fit = tc.fit(NETWORK.dag, CASES, prior=[tc.K2(), tc.NormalGamma(2)], estimate=tc.MAP())
    for name, family in fit.network.families.items():
        if hasattr(family, "sd"):
            mode = FOUND.mode[name]
            assert_allclose(mode[..., -1], family.sd)
            assert_allclose(mode[..., -2], family.intercept)


def test_it_is_shown_saved_as_plain_data_and_drawn_into_columns(tmp_path, capsys, monkeypatch):
    plain = posterior_plain(FOUND)
    assert json.loads(json.dumps(plain))["regressions"]["X1"]["numbers"] == ["(intercept)", "(sd)"]
    columns = draws_dataset(FOUND)
    assert "sd(X1 | A2=a)" in columns.names
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    tc.write(NETWORK, "net.json")
    line = "posterior cases.csv --network net.json --normal-prior 2 --seed 1 --evidence"
    assert execute(line.split()) == 0
    told = capsys.readouterr().out
    assert "intercept(X1 | A2=a)" in told
    assert execute([*line.split(), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["settings"]["normal_prior"] == "NormalGamma(2)"


def test_rules_about_tables_and_about_regressions_hold_together():
    rules = "P(A0=a) = 0.3\nintercept(X1) >= 0"
    found = tc.posterior(NETWORK.dag, CASES, knowledge=rules, seed=1)
    assert_allclose(found.mean["A0"], [0.3, 0.7])
    assert (found.draws["X1"][..., 0] >= 0).all()
    assert found.settings["knowledge"] == rules
    with pytest.raises(tc.KnowledgeError) as raised:
        tc.posterior(NETWORK.dag, CASES, knowledge="intercept(X1) >= 0 confidence 0.9")
    assert str(raised.value).startswith("line 1: a rule about a regression is certain or left out")


def test_a_quantity_of_one_regression_is_exact_and_draws_agree():
    for text in (
        "coefficient(X3, X0 | A0=a, A2=b)",
        "2 * intercept(X1 | A2=b) - 1",
        "variance(X1 | A2=a)",
    ):
        found = FOUND.of(text)
        assert found.margins is not None
        assert_allclose(found.draws.mean(axis=0), found.mean, atol=0.15)
        low, high = found.interval
        inside = (found.draws >= low) & (found.draws <= high)
        assert_allclose(inside.mean(axis=0), 0.95, atol=0.02)
        limit = float(np.median(found.draws))
        assert_allclose(found.above(limit), (found.draws > limit).mean(axis=0), atol=0.03)


def test_a_quantity_is_a_students_t_or_an_inverse_gamma():
    own = FOUND.lines["X1"].each[1]
    t = stats.t(own.freedom, own.centre[0], np.sqrt(own.inverse[0, 0] * own.residual / own.freedom))
    found = FOUND.of("3 - intercept(X1 | A2=b)")
    assert_allclose([float(found), found.sd[0]], [3 - t.mean(), t.std()])
    assert_allclose(np.ravel(found.interval), [3 - t.ppf(0.975), 3 - t.ppf(0.025)])
    assert_allclose(found.above(2.0), t.cdf(1.0))
    noise = stats.invgamma(own.freedom / 2, scale=own.residual / 2)
    found = FOUND.of("-2 * variance(X1 | A2=b)")
    assert_allclose([float(found), found.sd[0]], [-2 * noise.mean(), 2 * noise.std()])
    assert_allclose(np.ravel(found.interval), [-2 * noise.ppf(0.975), -2 * noise.ppf(0.025)])
    assert_allclose(found.above(-1.0), noise.cdf(0.5))


def test_a_quantity_of_several_regressions_has_a_line_for_each_configuration():
    found = FOUND.of("intercept(X1) - intercept(X1 | A2=a)")
    assert found.labels == (
        "-intercept(X1 | A2=a) + intercept(X1 | A2=b)",
        "-intercept(X1 | A2=a) + intercept(X1 | A2=c)",
    )
    assert found.margins is None
    drawn = FOUND.draws["X1"][..., 0]
    assert_allclose(found.draws, drawn[:, 1:] - drawn[:, :1])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "coefficient(X3, X0) + P(A0=a)",
            "coefficient(X3, X0) + P(A0=a) is about numbers of regressions and about "
            "probabilities\n\nask for each by itself, and compute with their draws",
        ),
        (
            "variance(A0)",
            "'A0' is discrete and has no variance\n\n    variance(A0)\n             ^^"
            "\n\nits rules speak of probabilities",
        ),
    ],
)
def test_a_quantity_that_is_none_is_refused(text, message):
    with pytest.raises(tc.KnowledgeError) as raised:
        FOUND.of(text)
    assert str(raised.value) == message
