"""Half of a public table lent to its other half, beside continuous columns and with gaps."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import tacit as tc
from commands import run
from tacit.core.dataset import absent

pytestmark = pytest.mark.data

CASES, COLUMNS, STATES = 400, 24, 12
"""So many cases and columns of each table at most, and columns of no more states."""
TABLES = (
    "airquality", "bfi", "chile1988", "clgaussian_test", "election2000", "framingham",
    "holzinger_swineford", "iris", "mammalsleep", "mice_boys", "mice_brandsma", "mice_nhanes2",
    "mice_selfreport", "mice_walking", "nhanes_2009_12", "pima2", "pirls2011_missing",
    "pisa2009_math", "south_german_credit", "tao", "titanic3", "uci_adult", "uci_autos", "uci_cmc",
    "uci_credit_a", "uci_credit_g", "uci_heart_cleveland", "uci_heart_hungary", "uci_hepatitis",
    "uci_horse_colic", "uci_hypothyroid",
)  # fmt: skip
PRIOR = [tc.BDeu(1), tc.NormalGamma()]


@pytest.fixture(params=TABLES)
def halves(request: pytest.FixtureRequest, data_folder: Path, tmp_path: Path) -> tuple[str, str]:
    """The files of both halves, every other case in either."""
    path = data_folder / "tables" / f"{request.param}.csv.gz"
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        head, *rows = list(csv.reader(file))[: CASES + 1]
    for at, name in enumerate(("here.csv", "there.csv")):
        with (tmp_path / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([head, *rows[at::2]])
    return str(tmp_path / "here.csv"), str(tmp_path / "there.csv")


def usable(cases: tc.Dataset) -> list[str]:
    """Columns that are no names of cases and hold some value."""
    found = []
    for name, variable in cases.variables.items():
        states = len(variable.states) if isinstance(variable, tc.Discrete) else 2
        if 1 < states <= STATES and not absent(cases[name]).all():
            found.append(name)
    real = [name for name in found if isinstance(cases.variables[name], tc.Continuous)]
    kept = real[: COLUMNS // 2]
    return kept + [name for name in found if name not in real][: COLUMNS - len(kept)]


def searched(cases: tc.Dataset) -> tc.Dag:
    """What a search finds in these cases; a class above all else where it cannot."""
    try:
        if any(cases.missing().values()):
            return tc.structural_em(cases, max_rounds=1, seed=1).network.dag
        return tc.search(cases).network.dag
    except tc.TacitError:
        states = [n for n, each in cases.variables.items() if isinstance(each, tc.Discrete)]
        return tc.Dag({n: (states[-1],) if n != states[-1] else () for n in cases.names})


def test_one_half_borrows_from_the_other(
    halves: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    here, there = halves
    cases = tc.read_cases(here)
    cases = cases.select(usable(cases))
    net = str(tmp_path / "net.dag")
    Path(net).write_text(str(searched(cases)))
    fit = tc.fit(net, here, sources=tc.Source(there, "other"), prior=PRIOR, seed=1)
    dag = fit.network.dag
    tables = [name for name in dag.names if isinstance(fit.network[name], tc.Table)]
    assert [each.variable for each in fit.borrowed] == tables
    assert "borrowed nothing" in fit.notes[-1]
    tc.report(fit).to_html()
    if not any(absent(cases[name]).any() for name in tables):
        part = tc.Dag({name: dag.parents[name] for name in tables})
        alone = tc.fit(part, here, sources=tc.Source(there, "other"))
        assert [each.loans for each in alone.borrowed] == [each.loans for each in fit.borrowed]
        if not any(cases.missing().values()):
            for name in tables:
                assert_array_equal(alone.network[name].values, fit.network[name].values)

    out = str(tmp_path / "o.json")
    run(
        capsys, "fit", here, "--network", net, "--source", f"other={there}",
        "--normal-prior", "1", "--seed", "1", "--quiet", "-o", out,
    )  # fmt: skip
    assert tc.read(out) == fit.network
    usual = tc.fit(dag, here, sources=tc.Source(there, "other"), seed=1)
    assert np.isfinite(usual.log_likelihood)
