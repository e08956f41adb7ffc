"""Likelihoods of real tables against what others compute: regressions, mixtures, enumeration."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm
from sklearn.linear_model import LinearRegression
from sklearn.mixture import GaussianMixture

import tacit as tc

pytestmark = pytest.mark.data


def read(folder: Path, name: str) -> tc.Dataset:
    return tc.read_cases(folder / "tables" / f"{name}.csv.gz")


@pytest.mark.parametrize(
    ("table", "child", "parents", "by"),
    [
        ("titanic3", "age", (), "passengerClass"),
        ("pima2", "glucose", ("mass", "pressure"), "diabetes"),
        ("uci_heart_cleveland", "thalach", ("age",), "sex"),
        ("chile1988", "statusquo", ("age",), "sex"),
    ],
)
def test_lines_of_complete_cases_are_those_of_least_squares(
    data_folder: Path, table: str, child: str, parents: tuple[str, ...], by: str
) -> None:
    """The complete cases of the same columns, one regression for each state."""
    whole = read(data_folder, table).select([by, *parents, child])
    used = np.asarray(whole[by]) >= 0
    for name in (*parents, child):
        used &= ~np.isnan(whole[name])
    data = whole.take(np.flatnonzero(used))
    fit = tc.fit(f"{', '.join((by, *parents))} -> {child}", data, estimate=tc.ML())
    total = 0.0
    counts = np.bincount(data[by])
    total += float((counts * np.log(counts / counts.sum()))[counts > 0].sum())
    for name in parents:
        total += norm.logpdf(data[name], data[name].mean(), data[name].std()).sum()
    for state in range(counts.size):
        mine = np.asarray(data[by]) == state
        y = data[child][mine]
        x = np.column_stack([np.zeros(mine.sum()), *(data[name][mine] for name in parents)])
        off = y - LinearRegression().fit(x, y).predict(x)
        total += norm.logpdf(off, 0, off.std()).sum()
    assert fit.log_likelihood == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("table", ["iris", "wine"])
def test_hidden_classes_of_measurements_are_the_mixtures_of_scikit_learn(
    data_folder: Path, table: str
) -> None:
    """Started where scikit-learn ended, EM stays there, with the same likelihood."""
    data = read(data_folder, table)
    names = [name for name, each in data.variables.items() if isinstance(each, tc.Continuous)][:5]
    values = np.column_stack([data[name] for name in names])
    theirs = GaussianMixture(
        3, covariance_type="diag", reg_covar=0, tol=1e-10, max_iter=5000, random_state=0
    ).fit(values)
    states = tc.Discrete("Class", ("a", "b", "c"))
    families = [tc.Table((states,), theirs.weights_ / theirs.weights_.sum())]
    for at, name in enumerate(names):
        families.append(
            tc.ConditionalGaussian(
                (states, tc.Continuous(name)),
                np.zeros((3, 0)),
                theirs.means_[:, at],
                np.sqrt(theirs.covariances_[:, at]),
            )
        )
    start = tc.Network.of(families)
    fit = tc.fit(start, data.select(names), hidden="rest", start="given", estimate=tc.ML(),
                 method=tc.EM(restarts=1))  # fmt: skip
    assert float(tc.log_likelihood(start, data.select(names))) == pytest.approx(
        theirs.score(values) * len(values), rel=1e-9
    )
    assert fit.log_likelihood == pytest.approx(theirs.score(values) * len(values), rel=1e-5)


def density(network: tc.Network, case: dict[str, object]) -> float:
    """The product over families at a whole case, read from their numbers."""
    found = 1.0
    for name, family in network.families.items():
        states = tuple(
            axis.states.index(case[axis.name])
            for axis in family.variables
            if isinstance(axis, tc.Discrete)
        )
        if isinstance(family, tc.Table):
            found *= float(family.values[states])
            continue
        reals = [axis.name for axis in family.variables if isinstance(axis, tc.Continuous)][:-1]
        slopes = np.asarray(family.coefficients)[states] if states else family.coefficients
        level = np.asarray(family.intercept)[states] if states else family.intercept
        sd = np.asarray(family.sd)[states] if states else family.sd
        mean = level + sum(b * case[real] for b, real in zip(slopes, reals, strict=True))
        found *= float(norm.pdf(case[name], mean, sd))
    return found


@pytest.mark.parametrize("table", ["titanic3", "uci_credit_a", "chile1988", "election2000"])
def test_a_case_with_gaps_is_the_sum_over_its_completions(data_folder: Path, table: str) -> None:
    """Every way in which its states could be, and the integral over at most one missing value, of
    the cases that lack most among those that can be written out."""
    data = read(data_folder, table).take(np.arange(300))
    found = tc.structural_em(data, seed=1, progress=False)
    network, variables = found.network, found.network.variables
    cases = data.select(list(variables))
    lacking = []
    for case in range(len(cases)):
        gone = [n for n in variables if np.isnan(cases[n][case]) or (
            isinstance(variables[n], tc.Discrete) and cases[n][case] < 0)]  # fmt: skip
        states = [n for n in gone if isinstance(variables[n], tc.Discrete)]
        ways = int(np.prod([len(variables[n].states) for n in states], dtype=np.int64))
        if gone and ways <= 300 and len(gone) - len(states) <= 1:
            lacking.append((ways, case, gone, states))
    assert len(lacking) >= 3
    told = tc.log_likelihood(network, cases).per_case
    for _, case, gone, states in sorted(lacking, reverse=True)[:5]:
        known = {
            n: each.states[int(cases[n][case])] if isinstance(each, tc.Discrete) else cases[n][case]
            for n, each in variables.items()
            if n not in gone
        }
        real = [n for n in gone if n not in states]
        total = 0.0
        for chosen in product(*(variables[n].states for n in states)):
            whole = {**known, **dict(zip(states, chosen, strict=True))}
            if not real:
                total += density(network, whole)
                continue
            name = real[0]
            middle, wide = np.nanmean(data[name]), 12 * np.nanstd(data[name])
            total += quad(
                lambda x, whole=whole, name=name: density(network, {**whole, name: x}),
                middle - wide, middle + wide, epsabs=0, epsrel=1e-9, limit=400, points=[middle],
            )[0]  # fmt: skip
        assert told[case] == pytest.approx(np.log(total), abs=1e-6)
