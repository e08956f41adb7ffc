"""What a report says of missing cells, hidden variables and starts, against slow sums."""

from __future__ import annotations

import json
import shlex
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.cli.main import execute
from tacit.learn.gaps import Gaps, gaps_of
from tacit.reporting.charts import chart
from tacit.reporting.inferred import MOST_RUNS, starts
from tacit.reporting.report import Report
from tacit.reporting.unseen import identified

A, B, C = (tc.Discrete(name, ("no", "yes")) for name in "ABC")
CODES = {
    "A": [0, 0, 1, 1, 0, 1, -1, -1, 0, 1],
    "B": [0, 1, 1, 0, -1, -1, -1, -1, 0, 1],
    "C": [0, 0, 1, 1, 1, 0, 0, 1, -1, 0],
}
CASES = tc.Dataset(
    {"A": A, "B": B, "C": C}, {name: np.array(column) for name, column in CODES.items()}
)


def effects():
    """The columns of four effects that share a cause, with gaps."""
    random = np.random.default_rng(3)
    cause = random.random(400) < 0.4
    columns = {
        name: (random.random(400) < np.where(cause, 0.9, 0.2)).astype(int) for name in "WXYZ"
    }
    for column in columns.values():
        column[random.random(400) < 0.1] = -1
    return columns


def told(fit, kind):
    sections = {section["kind"]: section for section in tc.report(fit).facts["sections"]}
    return sections.get(kind)


@pytest.fixture(scope="module")
def gaps():
    return tc.fit("A -> B -> C", CASES, seed=1)


@pytest.fixture(scope="module")
def latent():
    """Four effects of one hidden cause."""
    variables = {name: tc.Discrete(name, ("no", "yes")) for name in "WXYZ"}
    data = tc.Dataset(variables, effects())
    dag = "H -> W, X, Y, Z"
    return tc.fit(dag, data, hidden={"H": 2}, seed=1, method=tc.EM(restarts=4))


def test_patterns_are_counted_case_by_case():
    patterns = {}
    for case in zip(*CODES.values(), strict=True):
        lacking = tuple(name for name, code in zip(CODES, case, strict=True) if code < 0)
        patterns[lacking] = patterns.get(lacking, 0) + 1
    found = gaps_of(CASES)
    assert found == Gaps(5, 3, ((("B",), 2), (("A", "B"), 2), (("C",), 1)))
    assert dict(found.common) == {key: n for key, n in patterns.items() if key}
    assert found.complete == patterns[()]


@pytest.mark.parametrize("columns", [1, 5, 30, 70])
def test_patterns_of_many_columns_are_those_of_a_dictionary(columns):
    random = np.random.default_rng(columns)
    names = [f"v{at}" for at in range(columns)]
    kinds = random.random((12, columns)) < 0.3
    gone = kinds[random.integers(0, 12, 300)]
    data = tc.Dataset(
        {name: tc.Discrete(name, ("a", "b")) for name in names},
        {name: np.where(gone[:, at], -1, 0) for at, name in enumerate(names)},
    )
    counts = {}
    for case in gone:
        lacking = tuple(name for name, absent in zip(names, case, strict=True) if absent)
        counts[lacking] = counts.get(lacking, 0) + 1
    complete = counts.pop((), 0)
    found = gaps_of(data)
    assert (found.complete, found.patterns) == (complete, len(counts))
    assert len(found.common) == min(10, len(counts))
    assert all(counts[lacking] == number for lacking, number in found.common)
    assert [n for _, n in found.common] == sorted(counts.values(), reverse=True)[:10]


def test_the_gaps_of_a_fit_survive_saving(gaps, tmp_path):
    gaps.save(tmp_path / "fit.json")
    assert tc.load_fit(tmp_path / "fit.json").cases == gaps.cases
    plain = json.loads((tmp_path / "fit.json").read_text())
    plain["cases"]["gaps"] = {"complete": "some"}
    (tmp_path / "fit.json").write_text(json.dumps(plain))
    with pytest.raises(tc.FormatError):
        tc.load_fit(tmp_path / "fit.json")


def test_missing_cells_say_shares_patterns_and_that_every_case_was_used(gaps):
    section = told(gaps, "missing")
    assert section["inferred"]
    assert section["complete"] == 5
    assert [(one["variable"], one["cells"], one["share"]) for one in section["cells"]] == [
        ("A", 2, 0.2), ("B", 4, 0.4), ("C", 1, 0.1),
    ]  # fmt: skip
    assert section["patterns"]["number"] == 3
    assert section["patterns"]["common"][0] == {"missing": ["B"], "cases": 2, "share": 0.2}
    assert section["families"] == []
    text = str(tc.report(gaps))
    assert "All 10 cases were used, 5 of them without a gap." in text
    assert "7 cells are missing; every case was used." in " ".join(text.split())


def test_rows_that_rest_mostly_on_inference_are_those_of_which_less_than_half_was_seen(gaps):
    section = told(gaps, "missing")["imputed"]
    seen, rows = {}, {}
    for name, parent in (("A", None), ("B", "A"), ("C", "B")):
        seen[name] = np.zeros(2 if parent else 1)
        for case in range(10):
            here = CODES[name][case], 0 if parent is None else CODES[parent][case]
            if min(here) >= 0:
                seen[name][here[1]] += 1
        rows[name] = gaps.evidence[name].rows().sum(axis=1)
    expected = {name: int((seen[name] < rows[name] / 2).sum()) for name in seen}
    assert section["rows"] == sum(expected.values())
    assert section["of"] == 5
    assert {one["variable"]: one["rows"] for one in section["tables"]} == {
        name: count for name, count in expected.items() if count
    }
    for table in told(gaps, "tables")["tables"]:
        name = table["variable"]
        assert table["inferred"] == (seen[name] < rows[name] / 2).tolist()


def test_mostly_inferred_rows_are_a_worry_and_marked_in_tables():
    columns = {"A": [0, 1] * 20, "B": [0, 1] * 4 + [-1] * 32}
    data = tc.Dataset({"A": A, "B": B}, {name: np.array(c) for name, c in columns.items()})
    report = tc.report(tc.fit("A -> B", data, seed=1))
    (worry,) = (
        worry
        for section in report.facts["sections"]
        if section["kind"] == "answer"
        for worry in section["worries"]
        if worry["kind"] == "imputed"
    )
    assert worry["text"].startswith("2 of 3 rows rest mostly on inferred cases")
    assert worry["where"] == [{"variable": "B", "count": 2}]
    assert report.to_html().count("<em>inferred</em>") == 2
    assert "20~" in str(report)


def test_available_cases_say_what_each_family_rests_on():
    fit = tc.fit("A -> B -> C", CASES, method=tc.AvailableCases())
    section = told(fit, "missing")
    assert not section["inferred"]
    assert section["imputed"] is None
    assert [(one["variable"], one["weight"]) for one in section["families"]] == [
        ("A", 8.0), ("B", 6.0), ("C", 5.0),
    ]  # fmt: skip
    assert "Each family was counted on the cases complete in it" in str(tc.report(fit))


def test_lines_use_every_case_as_tables_do():
    columns = {"A": [None, 1.0, 2.5, 3.0, 4.5, 4.0], "B": [0.5, 1.0, 2.0, 3.5, 4.0, 5.5]}
    fit = tc.fit("A -> B", columns)
    assert told(fit, "missing")["inferred"]
    page = " ".join(str(tc.report(fit)).split())
    assert "All 6 cases were used, 5 of them without a gap" in page
    assert "per case (of what was observed" in page


def test_the_answer_says_how_gaps_were_treated(gaps, latent):
    first = told(gaps, "answer")["sentences"]
    assert first[0].endswith("from 10 cases by EM, smoothed by the prior BDeu(1).")
    assert "(of what was observed, " in first[-1]
    assert "H is hidden: in no column of the cases." in told(latent, "answer")["sentences"]
    ml = tc.fit("A -> B -> C", CASES, method=tc.Gradient(), estimate=tc.ML(), seed=1)
    assert "by gradient by maximum likelihood." in told(ml, "answer")["sentences"][0]


def expected_joint(fit, other):
    """P(H, other) of the cases: each weighed by the posterior of what it lacks, by enumeration."""
    names, joint = ["H", *"WXYZ"], np.zeros((2, 2))
    data = effects()
    for case in range(400):
        weights = {}
        for states in product(range(2), repeat=5):
            if any(
                data[name][case] not in (-1, state)
                for name, state in zip("WXYZ", states[1:], strict=True)
            ):
                continue
            p = fit.network["H"].values[states[0]]
            for name, state in zip("WXYZ", states[1:], strict=True):
                p *= fit.network[name].values[states[0], state]
            weights[states] = p
        total = sum(weights.values())
        for states, p in weights.items():
            joint[states[0], states[names.index(other)]] += p / total
    return joint / 400


def test_the_states_of_a_hidden_variable_stand_for_what_is_expected_with_them(latent):
    (variable,) = told(latent, "hidden")["variables"]
    assert (variable["name"], variable["states"]) == ("H", ["1", "2"])
    assert (variable["parents"], variable["children"]) == ([], list("WXYZ"))
    told_first = [near["information"] for near in variable["neighbours"]]
    assert told_first == sorted(told_first, reverse=True)
    near = variable["neighbours"][0]
    joint = expected_joint(latent, near["name"])
    assert_allclose(variable["shares"], joint.sum(axis=1), atol=1e-6)
    state = ["no", "yes"].index(near["states"][0])
    given = joint[:, state] / joint.sum(axis=1)
    assert_allclose([row[0] for row in near["given"]], given, atol=1e-6)
    assert near["overall"][0] == pytest.approx(joint[:, state].sum(), abs=1e-6)
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    information = sum(p * log(p / q) for p, q in zip(joint.ravel(), apart.ravel(), strict=True))
    assert near["information"] == pytest.approx(information, abs=1e-6)


def test_hidden_variables_are_drawn_and_told_in_every_form(latent):
    report = tc.report(latent)
    html, text = report.to_html(), str(report)
    assert html.count('hidden centre"') == 1
    assert "What the states of H stand for" in html
    assert "What the states of H stand for" in text
    assert "Identified: the observed variables determine all 9 free parameters" in " ".join(
        text.split()
    )
    assert Report(json.loads(report.to_json())).to_html() == html


def test_a_hidden_variable_that_cannot_be_identified_is_a_worry():
    random = np.random.default_rng(0)
    data = {name: random.integers(0, 2, 50).tolist() for name in "XY"}
    fit = tc.fit("H -> X, Y", data, hidden={"H": 2}, seed=1)
    assert identified(fit) == {"dimension": 3, "free": 5}
    worries = {worry["kind"]: worry["text"] for worry in told(fit, "answer")["worries"]}
    assert worries["not identified"] == (
        "the hidden variables are not identified: of 5 free parameters the observed variables "
        "determine 3, 2 stay open however many cases there are"
    )
    assert "Not identified: of 5 free parameters" in tc.report(fit).to_html()


def test_variables_that_share_a_table_are_told_of_once():
    chain = tc.unroll("H[t-1] -> H[t] -> X[t]", 5, hidden={"H": 2})
    random = np.random.default_rng(1)
    data = {f"X[{t}]": random.integers(0, 2, 60).tolist() for t in range(1, 6)}
    fit = tc.fit(chain.dag, data, hidden=chain.hidden, tied=chain.tied, seed=1)
    section = told(fit, "hidden")
    assert [one["name"] for one in section["variables"]] == ["H[1]", "H[2]"]
    assert section["variables"][1]["alike"] == ["H[3]", "H[4]", "H[5]"]
    assert section["identified"] is None
    assert told(fit, "again")["command"] is None
    assert "tied=[['X[1]'" in told(fit, "again")["python"]


def test_neighbours_with_many_states_show_those_that_tell_most():
    random = np.random.default_rng(2)
    cause = random.integers(0, 2, 500)
    wide = np.where(random.random(500) < 0.9, cause * 3 + 2, random.integers(0, 9, 500))
    data = {"W": [str(v) for v in wide], "X": cause.tolist(), "Y": cause.tolist()}
    fit = tc.fit("H -> W, X, Y", data, hidden={"H": 2}, seed=1)
    near = {near["name"]: near for near in told(fit, "hidden")["variables"][0]["neighbours"]}
    assert {"2", "5"} <= set(near["W"]["states"])
    assert (len(near["W"]["states"]), near["W"]["left_out"]) == (4, 5)


def test_how_it_went_holds_every_start(latent):
    course = told(latent, "course")
    assert [run["objective"] for run in course["runs"]] == [run.objective for run in latent.runs]
    assert [run["best"] for run in course["runs"]].count(True) == 1
    best = next(run for run in course["runs"] if run["best"])
    assert best["objective"] == pytest.approx(latent.objective)
    assert best["path"][0] == [0, latent.trace[0]]
    assert best["path"][-1] == [len(latent.trace) - 1, latent.trace[-1]]
    html = tc.report(latent).to_html()
    assert html.count('<polyline class="line') == 4
    assert html.count('<polyline class="line other"') == 3
    assert "<em>best</em>" in html
    assert " (best)" in str(tc.report(latent))


def test_a_fit_that_was_cut_short_says_so_first():
    fit = tc.fit("A -> B -> C", CASES, method=tc.EM(max_steps=1), seed=1)
    worry = told(fit, "answer")["worries"][0]
    assert worry["kind"] == "cut short"
    assert "the step limit came before convergence" in worry["text"]


def test_starts_that_disagree_are_a_worry():
    fit = tc.fit("A -> B -> C", CASES, method=tc.EM(max_steps=1, restarts=4), seed=1)
    kinds = [worry["kind"] for worry in told(fit, "answer")["worries"]]
    assert ("starts apart" in kinds) == (
        sum(fit.objective - run.objective <= 1e-4 * abs(fit.objective) for run in fit.runs) == 1
    )


def test_the_chart_begins_where_the_lowest_start_has_settled():
    leap = [[0, -900.0], [1, -50.0], [2, -12.0], [3, -10.0]]
    slow = [[0, -40.0], [1, -30.0], [2, -20.0], [3, -15.0], [4, -14.0]]
    found = chart([(leap, True), (slow, False)])
    assert (found.low, found.high, found.steps, found.cut) == (-20.0, -10.0, 4, True)
    assert [line.best for line in found.lines] == [False, True]
    assert found.lines[1].points.endswith("180,22 270,0")
    assert chart([([[0, -1.0]], True)]) is None
    flat = chart([([[0, -9.0], [1, -3.0], [2, -3.0]], True)])
    assert (flat.low, flat.cut) == (-9.0, False)


def test_of_very_many_starts_the_best_are_listed():
    run = {"steps": 1, "stop": "done", "best": False, "path": [[0, -2.0], [1, -1.0]]}
    runs = [{**run, "objective": -float(at)} for at in range(MOST_RUNS + 50)]
    runs[0]["best"] = True
    listed = starts({"runs": runs})
    assert [one["number"] for one in listed] == list(range(1, MOST_RUNS + 1))
    assert listed[1]["below"] == "1.000"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": tc.EM(restarts=3)}, "--method em --restarts 3"),
        ({"method": tc.EM(max_steps=9, tolerance=0.001)}, "--tolerance 0.001 --max-steps 9"),
        ({"method": tc.Gradient()}, "--method gradient"),
        ({"method": tc.FillIn()}, "--method fill-in"),
        ({"method": tc.EM(accelerate=False)}, "--method em --set accelerate=False"),
        ({"method": tc.FillIn("nothing")}, "--method fill-in --set given=nothing"),
        ({"hidden": {"H": 2}}, "--method em --hidden H=2"),
        ({"hidden": {"H": ["low", "very high"]}}, "--hidden 'H={low, \"very high\"}'"),
    ],
)
def test_the_command_of_a_fit_with_gaps_does_it_again(
    options, words, tmp_path: Path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(CASES, "cases.csv")
    dag = "A -> B -> C; H -> A" if "hidden" in options else "A -> B -> C"
    fit = tc.fit(dag, "cases.csv", seed=4, **options)
    command = told(fit, "again")["command"]
    assert words in command
    assert execute(shlex.split(command)[1:]) == 0
    assert tc.read("learned.json") == fit.network
    names = {"tc": tc}
    exec(told(fit, "again")["python"], names)
    assert names["fit"].network == fit.network


@pytest.mark.parametrize("options", [{"start": "given"}, {"tied": [["B", "C"]]}])
def test_what_the_command_line_has_no_words_for_has_no_command(options):
    network = tc.fit("A -> B -> C", CASES, method=tc.AvailableCases()).network
    fit = tc.fit(network, CASES, seed=1, **options)
    again = told(fit, "again")
    assert again["command"] is None
    assert ("start='given'" in again["python"]) == ("start" in options)
