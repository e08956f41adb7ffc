"""What a report says of a search, against scores computed anew and dags listed one by one."""

from __future__ import annotations

import json
import re
import shlex
from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

import naive
import tacit as tc
from tacit.cli.main import execute
from tacit.cli.searching import search_method_of
from tacit.core.dataset import Dataset
from tacit.core.variables import Continuous, Discrete
from tacit.io.casesout import write_cases
from tacit.learn.fits import Stop
from tacit.learn.structure.confidence import ArcConfidence
from tacit.learn.structure.moves import Move
from tacit.reporting.again_given import qualified
from tacit.reporting.again_search import search_method_words
from tacit.reporting.charts import DRAWN, chart, thinned
from tacit.reporting.climbs import chosen
from tacit.reporting.pictures import LARGE, Sketch, drawing
from tacit.reporting.report import Report
from tacit.reporting.sought import MOST_ARCS, MOST_MOVES

ODD = 'F "x" <i>\n&é'
NAMES = ("A", "B", "C", "D", "E", ODD)
RULES = "require D -> A\nforbid C -> E\nforbid E -> C\nat most 3 parents"


@cache
def cases(many=250):
    random = np.random.default_rng(3)

    def flip(bits, share):
        return np.where(random.random(many) < share, 1 - bits, bits)

    a = random.integers(0, 2, many)
    b = flip(a, 0.15)
    c = flip(b, 0.15)
    d = random.integers(0, 2, many)
    columns = (a, b, c, d, flip(c & d, 0.1), flip(a, 0.4))
    variables = {name: Discrete(name, ("no", "yes")) for name in NAMES}
    return Dataset(variables, dict(zip(NAMES, columns, strict=True)), source="by hand")


@cache
def ruled():
    return tc.search(cases(), knowledge=RULES, seed=1, bootstrap=6)


@cache
def free():
    return tc.search(cases(), method=tc.HillClimb(restarts=2), seed=1)


@cache
def one_way():
    rules = "forbid B -> A\nforbid E -> *"
    return tc.search(cases(), knowledge=rules, method=tc.Exact(), seed=1)


@cache
def mixed():
    random = np.random.default_rng(0)
    group, noise = random.integers(0, 2, 300), random.normal(size=(2, 300))
    height = noise[0] + 2 * group
    columns = {"Group": group, "Height": height, "Mass": 1.5 * height + noise[1]}
    variables = {
        "Group": Discrete("Group", ("a", "b")),
        "Height": Continuous("Height"),
        "Mass": Continuous("Mass"),
    }
    return tc.search(Dataset(variables, columns), seed=1)


def told(fit, kind):
    sections = {section["kind"]: section for section in tc.report(fit).facts["sections"]}
    return sections.get(kind)


def worries(fit):
    return {worry["kind"]: worry["text"] for worry in told(fit, "answer")["worries"]}


def having(fit, **changes):
    return replace(fit, found=replace(fit.found, **changes))


def total(dag):
    return tc.score(dag, cases()).total


def without(dag, arc):
    return tc.Dag.of_arcs([each for each in dag.arcs if each != arc], dag.names)


@pytest.mark.parametrize("fit", [ruled, free])
def test_an_arc_gains_what_the_score_loses_without_it(fit):
    section = told(fit(), "arcs")
    dag = fit().dag
    assert {(one["parent"], one["child"]) for one in section["arcs"]} == set(dag.arcs)
    for one in section["arcs"]:
        loss = total(dag) - total(without(dag, (one["parent"], one["child"])))
        assert one["gain"] == pytest.approx(loss)
    gains = [one["gain"] for one in section["arcs"]]
    assert gains == sorted(gains, reverse=True)
    families = {one["variable"]: one["score"] for one in section["families"]}
    assert families == pytest.approx(dict(tc.score(dag, cases()).families))
    assert section["score"] == pytest.approx(total(dag))


def test_forbidden_arcs_are_told_with_what_they_would_gain_and_the_rule():
    scored, dag = tc.score(ruled().dag, cases()), ruled().dag
    rules = {("C", "E"): "forbid C -> E", ("E", "C"): "forbid E -> C"}
    wanted = {}
    for (tail, head), rule in rules.items():
        try:
            gain = scored.gain(f"add {tail} -> {head}")
            tc.Dag.of_arcs([*dag.arcs, (tail, head)], dag.names)
        except tc.TacitError:  # a cycle
            continue
        if gain > 0:
            wanted[tail, head] = (pytest.approx(gain), rule)
    assert wanted
    section = told(ruled(), "guidance")
    found = {(one["parent"], one["child"]): (one["gain"], one["rule"]) for one in section["missed"]}
    assert found == wanted
    assert (
        section["guidance"][3] == "line 4: at most 3 parents: bounds the parents of every variable"
    )


def test_a_required_arc_is_told_with_its_rule_and_its_cost():
    (one,) = told(ruled(), "guidance")["required"]
    assert (one["parent"], one["child"], one["rule"]) == ("D", "A", "line 1: require D -> A")
    cost = total(without(ruled().dag, ("D", "A"))) - total(ruled().dag)
    assert cost > 0
    assert one["gain"] == pytest.approx(-cost)
    assert worries(ruled())["forced arcs"] == (
        f"rules require 1 arc without which the score would be higher: D → A (by {cost:.2f} nats)"
    )


def test_no_rules_have_no_section():
    assert told(free(), "guidance") is None
    assert not {"forced arcs", "forbidden arcs"} & set(worries(free()))


def equivalent_dags(dag):
    implied = naive.independences(dag.parents)
    for other in naive.orientations(dag.parents):
        if naive.independences(other) == implied:
            yield {(tail, head) for head, who in other.items() for tail in who}


@pytest.mark.parametrize(
    ("fit", "allowed"),
    [
        (free, lambda arcs: True),
        (ruled, lambda arcs: ("D", "A") in arcs and not {("C", "E"), ("E", "C")} & arcs),
        (one_way, lambda arcs: ("B", "A") not in arcs and not any(tail == "E" for tail, _ in arcs)),
    ],
)
def test_who_says_which_way_an_arc_points_is_who_rules_out_the_dags_that_turn_it(fit, allowed):
    members = list(equivalent_dags(fit().dag))
    kept = [arcs for arcs in members if allowed(arcs)]
    section = told(fit(), "arcs")
    for one in section["arcs"]:
        arc = (one["parent"], one["child"])
        way = "rules" if all(arc in arcs for arcs in kept) else "nobody"
        assert one["direction"] == ("cases" if all(arc in arcs for arcs in members) else way)
    ways = [one["direction"] for one in section["arcs"]]
    assert {way: ways.count(way) for way in section["directions"]} == section["directions"]


def test_both_searches_have_arcs_of_several_kinds():
    assert {one["direction"] for one in told(free(), "arcs")["arcs"]} >= {"cases"}
    assert {one["direction"] for one in told(ruled(), "arcs")["arcs"]} >= {"cases", "nobody"}
    assert {one["direction"] for one in told(one_way(), "arcs")["arcs"]} >= {"rules", "nobody"}
    chain = having(free(), gains={})
    assert worries(chain).keys() == worries(free()).keys() - {"weak arcs"}


def test_arcs_that_may_turn_are_a_worry():
    count = told(free(), "arcs")["directions"]["nobody"]
    many = len(free().dag.arcs)
    text = worries(free()).get("arcs that turn")
    assert (text is None) == (count == 0)
    data = Dataset({n: cases().variables[n] for n in "AB"}, {n: cases()[n] for n in "AB"})
    pair = tc.search(data, method=tc.Exact())
    assert worries(pair)["arcs that turn"] == (
        "1 of 1 arc could as well point the other way, in dags that imply the same independences: "
        "the cases do not tell cause from effect there"
    )
    assert many == len(told(free(), "arcs")["arcs"])


def test_a_discrete_variable_cannot_depend_on_a_continuous_one():
    section = told(mixed(), "arcs")
    ways = {(one["parent"], one["child"]): one["direction"] for one in section["arcs"]}
    assert ways["Group", "Height"] == "kinds"
    for form in (tc.report(mixed()).to_html(), str(tc.report(mixed()))):
        assert "no discrete variable may depend on a continuous one" in " ".join(form.split())


def test_arcs_that_are_not_measured_are_as_thick_as_the_score_gains_per_case(monkeypatch):
    assert not any(one["unsaid"] for one in told(mixed(), "network")["arcs"])
    monkeypatch.setattr("tacit.reporting.mixed_information.MOST_ALONG", 1)
    section = told(mixed(), "network")
    (arc,) = (one for one in section["arcs"] if one["unsaid"])
    assert (arc["parent"], arc["information"]) == ("Group", None)
    assert arc["per_case"] == pytest.approx(mixed().gains["Group", "Height"] / 300)
    sketch = Sketch.of(section)
    strongest = max(one["information"] or one["per_case"] for one in section["arcs"])
    assert sketch.share(("Group", "Height")) == pytest.approx(arc["per_case"] / strongest)
    assert "what the score gains per case" in tc.report(mixed()).to_html()
    assert "per_case" not in told(ruled(), "network")["arcs"][0]


def test_a_required_arc_goes_its_way_in_every_bootstrap_sample():
    arc = ("A", "B")
    fit = tc.search(cases(), knowledge="require A -> B", bootstrap=3, seed=1)
    (one,) = (one for one in told(fit, "arcs")["arcs"] if (one["parent"], one["child"]) == arc)
    assert (one["link"], one["this_way"]) == (1.0, 1.0)


def confident():
    """Two of the arcs half sure, one link that the dag lacks."""
    names, dag = ruled().dag.names, ruled().dag
    place = {name: at for at, name in enumerate(names)}
    shares = np.zeros((len(names), len(names)))
    for tail, head in dag.arcs:
        shares[place[tail], place[head]] = 1.0
    shares[place["B"], place["A"]], shares[place["A"], place["B"]] = 0.3, 0.1
    shares[place["B"], place["D"]], shares[place["D"], place["B"]] = 0.2, 0.55
    return having(
        ruled(), confidence=ArcConfidence(tuple(names), shares, np.ones_like(shares, bool), 20)
    )


def test_shares_of_bootstrap_samples_are_those_of_link_and_direction():
    section = told(confident(), "arcs")
    rows = {(one["parent"], one["child"]): one for one in section["arcs"]}
    assert section["replicates"] == 20
    assert ("B", "A") in rows
    assert_allclose([rows["B", "A"][each] for each in ("link", "this_way")], [0.4, 0.75])
    assert_allclose([rows["D", "A"][each] for each in ("link", "this_way")], [1.0, 1.0])
    (absent,) = section["absent"]
    assert (absent["parent"], absent["child"]) == ("D", "B")
    assert_allclose([absent["link"], absent["this_way"]], [0.75, 0.55 / 0.75])
    many = len(ruled().dag.arcs)
    assert worries(confident())["unsure arcs"] == (
        f"1 of {many} arcs joins variables that fewer than half of the 20 bootstrap samples link: "
        "B → A (0.40)"
    )
    assert worries(confident())["absent links"] == (
        "1 link of half of the bootstrap samples or more is not in the dag: D → B (0.75)"
    )
    html = tc.report(confident()).to_html()
    assert '<td class="number bar" style="--p:0.40">0.40</td>' in html
    assert '<td class="number bar" style="--p:0.75">0.75</td>' in html


def test_nothing_is_said_of_shares_where_nobody_asked():
    section = told(free(), "arcs")
    assert section["replicates"] is None
    assert {one["link"] for one in section["arcs"]} == {None}
    assert "bootstrap sample" not in str(tc.report(free()))


def test_arcs_that_rest_on_little_are_named_the_weakest_first():
    gains = dict.fromkeys(ruled().dag.arcs, 50.0) | {("B", "A"): 1.25, ("B", "C"): 0.5}
    gains["D", "A"] = -1.0  # required: another worry
    many = len(gains)
    assert worries(having(ruled(), gains=gains))["weak arcs"] == (
        f"2 of {many} arcs rest on little, less than 3 nats of the score for each of them: "
        "B → C (0.50 nats), B → A (1.25 nats)"
    )
    assert "weak arcs" not in worries(having(ruled(), gains=dict.fromkeys(gains, 3.0)))


def test_what_is_not_proven_is_said_and_what_is_proven_too():
    assert "the last 50 restarts found no better one" in worries(ruled())["local maximum"]
    assert "method=tc.Exact() can prove it" in worries(ruled())["local maximum"]
    once = tc.search(cases(), method=tc.HillClimb(restarts=0))
    assert "the search never began anew" in worries(once)["local maximum"]
    exact = tc.search(cases(), method=tc.Exact())
    assert not {"local maximum", "cut short"} & set(worries(exact))
    assert "proven to be the best dag of its kind" in told(exact, "answer")["sentences"][1]
    assert told(exact, "course")["search"]["moves"] == []


def test_a_search_that_was_cut_short_says_so_first():
    short = tc.search(cases(), method=tc.HillClimb(max_steps=2))
    assert told(short, "answer")["worries"][0]["kind"] == "cut short"
    broken = replace(free(), stop=Stop.INTERRUPTED)
    assert worries(broken)["cut short"].endswith("interrupted; this is the best so far")


def test_the_answer_is_about_a_dag_that_was_learned():
    fit, section = ruled(), told(ruled(), "answer")
    many = len(fit.dag.arcs)
    assert section["sentences"][0] == (
        f"A dag of {many} arcs among 6 variables was learned from 250 cases by HillClimb() with "
        "score BIC(), under 4 rules."
    )
    assert section["sentences"][1] == f"Its score is {total(fit.dag):,.1f} nats."
    assert (
        "Its parameters were learned by counting, smoothed by the prior BDeu(1)."
        in (section["sentences"])
    )
    codes = np.array([cases()[name] for name in NAMES])
    likelihood = 0.0
    for case in codes.T:
        at = dict(zip(NAMES, case, strict=True))
        for name in NAMES:
            family = fit.network[name]
            likelihood += np.log(family.values[(*(at[who] for who in family.parents), at[name])])
    assert section["figures"]["log_likelihood"] == pytest.approx(likelihood)
    average = section["figures"]["average_log_likelihood"]
    assert average == pytest.approx(likelihood / 250)
    assert f"the average log-likelihood is {average:.3f} nats per case" in str(section["sentences"])
    title = f"{many} arcs among 6 variables learned from 250 cases"
    assert tc.report(fit).facts["title"] == title


def test_a_prior_over_dags_is_part_of_the_answer():
    fit = tc.search(cases(), dag_prior=tc.ArcPenalty(2), method=tc.HillClimb(restarts=0))
    assert "BIC() and the prior over dags ArcPenalty(2)." in told(fit, "answer")["sentences"][0]


def test_the_moves_of_the_first_climb_lead_from_the_start_to_the_scores_told():
    arcs = {("D", "A")}
    for move in told(ruled(), "course")["search"]["moves"]:
        if move["climb"]:
            break
        arc = (move["tail"], move["head"])
        before = total(tc.Dag.of_arcs(sorted(arcs), NAMES))
        if move["verb"] == "add":
            arcs.add(arc)
        else:
            arcs.remove(arc)
            arcs |= {arc[::-1]} if move["verb"] == "reverse" else set()
        after = total(tc.Dag.of_arcs(sorted(arcs), NAMES))
        assert move["gain"] == pytest.approx(after - before)
        assert move["best"] == pytest.approx(after)


def test_climbs_that_found_a_better_dag_are_told():
    moves = (
        Move("add", "A", "B", 5.0),
        Move("add", "B", "C", 3.0),
        Move("delete", "B", "C", 1.0, restart=1),
        Move("reverse", "A", "B", 1.0, restart=3),
    )
    trace = (-10.0, -5.0, -2.0, -2.0, -1.5)
    fit = replace(having(free(), moves=moves, restarts=7), trace=trace)
    found = told(fit, "course")["search"]
    assert found["climbs"] == [
        {"number": 0, "changes": 2, "best": -2.0, "gained": 8.0},
        {"number": 3, "changes": 1, "best": -1.5, "gained": 0.5},
    ]
    assert (found["vain"], found["changes"], found["restarts"]) == (4, 4, 7)
    assert found["verbs"] == {"add": 2, "delete": 1, "reverse": 1}
    text = str(tc.report(fit))
    said = "made 4 changes (2 × add, 1 × delete, 1 × reverse) and began anew 7 times."
    assert said in " ".join(text.split())
    assert re.search(r"4 +3 +reverse A → B +\+1\.000 +-1\.500", text)


def test_of_too_many_moves_whole_climbs_are_kept_those_that_paid_first():
    moves = [{"step": at + 1, "climb": at // 10} for at in range(100)]
    kept = chosen(moves, [{"number": 0}, {"number": 4}], 35)
    assert [move["step"] for move in kept] == [*range(1, 11), *range(41, 51), *range(91, 101)]
    assert chosen(moves, [{"number": 4}], 100) == moves
    assert [move["step"] for move in chosen(moves, [{"number": 4}], 6)] == [*range(45, 51)]
    long = tuple(Move("add", "A", "B", 0.0, restart=at // 10) for at in range(5_000))
    fit = replace(having(free(), moves=long), trace=(0.0,) * 5_001)
    found = told(fit, "course")["search"]
    assert (found["changes"], len(found["moves"])) == (5_000, 2_000)
    assert f"{5_000 - MOST_MOVES:,} more changes are left out here" in str(tc.report(fit))


def test_many_steps_are_drawn_with_fewer_points():
    trace = [float(at) for at in range(50_001)]
    line = thinned(trace)
    assert line[0] == (0, 0.0)
    assert line[-1] == (50_000, 50_000.0)
    assert len(line) <= 2 * DRAWN
    assert thinned([1.0, 2.0, 4.0]) == [(0, 1.0), (1, 2.0), (2, 4.0)]
    assert thinned([1.0]) == [(0, 1.0)]
    drawn = chart([(thinned(trace), True)], "best score")
    assert drawn.label.startswith("The best score rose from 0.000 to 50,000.000")


def test_drawings_mark_what_rules_did_and_what_may_turn():
    fit = ruled()
    html = tc.report(fit).to_html()
    section = told(fit, "network")
    picture = drawing(Sketch.of(section))
    arcs = {(one["parent"], one["child"]): one for one in section["arcs"]}
    names = [one["name"] for one in section["variables"]]
    for stroke in picture.strokes:
        tail, head = (names[at] for at in stroke.ends)
        if (tail, head) in arcs:
            one = arcs[tail, head]
            marks = ["required"] * one["required"] + ["turns"] * (one["direction"] == "nobody")
            assert stroke.look == " ".join(marks)
            assert (stroke.pin is not None) == one["required"]
        else:
            assert stroke.look == "barred"
            gain = fit.found.missed[tail, head]
            assert stroke.tip.endswith(f"forbidden; the score would gain {gain:.3f} nats")
    barred = [stroke for stroke in picture.strokes if stroke.look == "barred"]
    assert 1 <= len(barred) <= len(fit.found.missed)
    assert len(picture.strokes) == len(arcs) + len(barred)
    assert "1 required by a rule" in picture.label
    assert html.count('class="pin"') == 2  # the arc and the legend
    assert "forbidden, though the score would gain by it" in html


def test_arcs_that_may_turn_have_an_open_head_and_a_word():
    data = Dataset({n: cases().variables[n] for n in "AB"}, {n: cases()[n] for n in "AB"})
    pair = tc.search(data, method=tc.Exact())
    (stroke,) = drawing(Sketch.of(told(pair, "network"))).strokes
    assert stroke.look == "turns"
    assert stroke.tip.endswith("; may turn")
    html = tc.report(pair).to_html()
    assert "may turn: equivalent dags have it the other way" in html
    assert "required by a rule" not in html


def test_forbidden_arcs_are_drawn_as_far_as_they_close_no_cycle():
    names = [f"V{at}" for at in range(5)]
    variables = [
        {"name": name, "states": 2, "rows": 1, "support": 9.0, "hidden": False} for name in names
    ]
    missed = [("V0", "V1"), ("V1", "V2"), ("V2", "V0"), ("V3", "V2")]
    section = {
        "variables": variables,
        "arcs": [],
        "missed": [{"parent": a, "child": b, "gain": 1.0} for a, b in missed],
    }
    drawn = {stroke.ends for stroke in drawing(Sketch.of(section)).strokes}
    assert drawn == {(0, 1), (1, 2), (3, 2)}


def test_large_networks_are_marked_in_the_overview_too():
    names = [f"V{at}" for at in range(LARGE + 20)]
    arc = {"information": 0.1, "given_others": 0.1, "closed": True}
    section = {
        "variables": [
            {"name": name, "states": 2, "rows": 1, "support": 9.0, "hidden": False}
            for name in names
        ],
        "arcs": [
            {"parent": a, "child": b, "required": at == 3, "direction": "nobody", **arc}
            for at, (a, b) in enumerate(pairwise(names))
        ],
        "missed": [{"parent": "V0", "child": "V9", "gain": 2.0}],
    }
    picture = drawing(Sketch.of(section))
    looks = [stroke.look for stroke in picture.strokes]
    assert picture.dots
    assert (looks.count("required turns"), looks.count("barred")) == (1, 1)
    assert looks.count("turns") == len(names) - 2
    assert all(stroke.pin is None for stroke in picture.strokes)


def test_odd_names_are_escaped_and_stay_on_their_line():
    report = tc.report(ruled())
    html = report.to_html()
    assert "<i>" not in html
    assert "&lt;i&gt;" in html
    for text in (str(report), report.to_markdown()):
        assert "\né" not in text


def test_long_lists_of_arcs_are_folded_and_cut():
    network = json.loads(tc.report(ruled()).to_json())
    section = next(each for each in network["sections"] if each["kind"] == "arcs")
    assert "<summary>6 arcs" not in Report(network).to_html()
    section["arcs"] *= MOST_ARCS
    html, text = Report(network).to_html(), str(Report(network))
    assert re.search(r"<summary>[\d,]+ arcs, [\d,]+ of them worth less than 3 nats</summary>", html)
    left = len(section["arcs"]) - MOST_ARCS
    assert f"{left:,} more arcs are left out here" in text


@pytest.mark.parametrize(
    "method",
    [
        tc.HillClimb(),
        tc.HillClimb(restarts=3, most_parents=2),
        tc.Tabu(),
        tc.Tabu(restarts=1),
        tc.Exact(),
        tc.Exact(3),
        tc.ChowLiu(),
        tc.ChowLiu(root="it's"),
        tc.TAN("D <x>"),
        tc.WeightAnnealing(tc.Tabu(25, restarts=0)),
        tc.WeightAnnealing(tc.Tabu(25, restarts=0, most_parents=4)),
        tc.SimulatedAnnealing(),
    ],
)
def test_the_words_of_a_method_mean_the_method(method):
    described = method.describe() if hasattr(method, "describe") else repr(method)
    words = search_method_words(described)
    said = dict(zip(words[::2], words[1::2], strict=True))
    numbers = {name: int(said[word]) for word, name in LIMITS.items() if word in said}
    assert search_method_of(said["--method"], **numbers) == method
    assert eval(qualified(described), {"tc": tc}) == method


LIMITS = {"--restarts": "restarts", "--most-parents": "most_parents"}


@pytest.mark.parametrize(
    "method",
    [
        tc.HillClimb(ascent="first"),
        tc.Tabu(length=9),
        tc.ChowLiu(spanning=True),
        tc.TAN("D", root="A"),
        tc.WeightAnnealing(tc.HillClimb()),
        tc.WeightAnnealing(tc.Tabu(25, restarts=0), end=0.1),
        tc.SimulatedAnnealing(steps=10),
    ],
)
def test_a_method_that_the_command_line_has_no_words_for_is_python_only(method):
    described = method.describe() if hasattr(method, "describe") else repr(method)
    assert search_method_words(described) is None
    assert eval(qualified(described), {"tc": tc}) == method


def test_the_command_and_the_call_search_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    whole = Dataset(
        {**cases().variables, "number": Discrete("number", ("1", "2"))},
        {**{name: cases()[name] for name in NAMES}, "number": np.arange(250) % 2},
    )
    write_cases(whole, "cases.csv")
    (tmp_path / "expert.know").write_text(RULES)
    first = tc.search(
        "cases.csv",
        knowledge=tmp_path / "expert.know",
        score=tc.BDeu(4),
        dag_prior=tc.ArcPenalty(0.5),
        method=tc.Tabu(restarts=1),
        start="D -> A -> B; D -> E",
        leave_out=["number"],
        bootstrap=2,
        seed=5,
    )
    again = told(first, "again")
    assert again["command"].startswith("tacit search cases.csv --knowledge")
    for word in (
        "--score bdeu:4",
        "--dag-prior arcs:0.5",
        "--method tabu --restarts 1",
        "--seed 5",
    ):
        assert word in again["command"]
    assert execute([*shlex.split(again["command"])[1:], "--save-fit", "again.json", "--quiet"]) == 0
    names: dict[str, object] = {}
    exec(again["python"], names)
    for fit in (tc.load_fit("again.json"), names["found"]):
        assert fit.dag.arcs == first.dag.arcs
        assert fit.score == pytest.approx(first.score)
        assert fit.evaluations == first.evaluations
        assert_allclose(fit.confidence.shares, first.confidence.shares)
        assert told(fit, "again")["command"] == again["command"]
        assert told(fit, "again")["python"] == again["python"]


@pytest.mark.parametrize("fit", [ruled, mixed])
def test_a_saved_search_reports_the_same(fit, tmp_path):
    fit().save(tmp_path / "search.json")
    loaded = tc.load_fit(tmp_path / "search.json")
    assert tc.report(loaded).facts == tc.report(fit()).facts
    target = tmp_path / "r.json"
    assert execute(["report", str(tmp_path / "search.json"), "-o", str(target), "--quiet"]) == 0
    assert json.loads(target.read_text()) == tc.report(fit()).facts


def test_structural_em_reports_its_rounds_without_counting_steps():
    gaps = {
        name: np.where(np.arange(250) % 9 == at, -1, cases()[name]) for at, name in enumerate("ABC")
    }
    data = Dataset({name: cases().variables[name] for name in "ABC"}, gaps)
    found = tc.structural_em(data, score=tc.BIC(), seed=1)
    section = told(found, "answer")
    assert "by structural EM with HillClimb(restarts=0) and score BIC()" in section["sentences"][0]
    assert "Cheeseman" not in " ".join(section["sentences"])
    assert "Its parameters were learned by EM" in " ".join(section["sentences"])
    assert told(found, "course")["search"]["climbs"] == []
    assert "found = tc.structural_em(cases, " in told(found, "again")["python"]
    assert "method=tc.HillClimb(restarts=0)" in told(found, "again")["python"]
    assert " --method hill " in told(found, "again")["command"]


def test_structural_em_is_asked_again_with_all_that_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    gaps = {
        name: np.where(np.arange(250) % 9 == at, -1, cases()[name]) for at, name in enumerate("ABC")
    }
    gaps["D"] = cases()["D"]
    write_cases(Dataset({name: cases().variables[name] for name in "ABCD"}, gaps), "cases.csv")
    shared = {"hidden": {"H": ["low", "high"], "Lone": 2}, "leave_out": ["D"], "restarts": 2}
    start = "H -> A; H -> B; A -> C; Lone -> C"
    first = tc.structural_em("cases.csv", start=start, seed=4, **shared)
    assert told(first, "answer")["sentences"][1] == (
        f"Its score is {first.score:,.1f} nats, the Cheeseman-Stutz estimate of the log marginal "
        "likelihood."
    )
    again = told(first, "again")
    words = [*shlex.split(again["command"])[1:], "--save-fit", "again.json", "--quiet"]
    assert execute(words) == 0
    names: dict[str, object] = {}
    exec(again["python"], names)
    for fit in (tc.load_fit("again.json"), names["found"]):
        assert (fit.dag, fit.score, fit.evaluations) == (first.dag, first.score, first.evaluations)
        assert told(fit, "again")["python"] == again["python"]
        assert told(fit, "again")["command"] == again["command"]
    masked = tc.structural_em(
        "cases.csv", start=start, seed=4, around="H", steps=3, max_rounds=2, **shared
    )
    again = told(masked, "again")
    assert again["command"] is None
    exec(again["python"], names)
    assert (names["found"].dag, names["found"].score) == (masked.dag, masked.score)
    assert names["found"].evaluations == masked.evaluations
    given = tc.structural_em("cases.csv", start=masked.network, hidden={"H": 2}, leave_out=["D"])
    assert "start = ...  # the network with its numbers" in told(given, "again")["python"]
    assert any(
        "numbers that it started from are not kept" in each
        for each in told(given, "again")["remarks"]
    )
    assert told(given, "again")["command"] is None
