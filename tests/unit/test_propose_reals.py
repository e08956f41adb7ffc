"""`tc.propose_hidden` and `tc.search(method=tc.IdealParent(hidden=True))` on continuous columns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import tacit as tc


def planted(seed, cases=300):
    """Two hidden variables, six children each."""
    random = np.random.default_rng(seed)
    hidden = random.normal(size=(2, cases))
    return {
        f"X{at}": 7
        + 3 * (random.uniform(0.8, 1.4) * hidden[at // 6] + 0.8 * random.normal(size=cases))
        for at in range(12)
    }


DATA = planted(2)
GROUPS = [{f"X{at}" for at in range(6)}, {f"X{at}" for at in range(6, 12)}]
FOUND = tc.propose_hidden(DATA, seed=1)
SEARCH = tc.search(DATA, method=tc.IdealParent(hidden=True), seed=1)
RANDOM = np.random.default_rng(0)


def test_planted_parents_are_proposed_accepted_and_in_the_network():
    assert len(FOUND.accepted) == 2
    for group in GROUPS:
        assert any(group <= set(each.children) for each in FOUND)
    for each in FOUND:
        assert each.states == 0
        assert each.gain > 3
        assert each.held_out_gain > 0
        assert each.name in each.network
        assert set(each.profile.information) == set(each.children)
        assert str(each.profile) == str(each.profile.information_grid())
    assert FOUND.hidden == ("H", "H2")
    assert FOUND.log_likelihood == pytest.approx(float(tc.log_likelihood(FOUND.network, DATA)))
    assert "H ->" in str(FOUND)
    assert "continuous" in str(FOUND)


def test_what_is_known_of_the_hidden_variables_goes_with_their_planted_values():
    random = np.random.default_rng(2)
    hidden = random.normal(size=(2, 300))
    means = np.array([tc.predict(FOUND.network, DATA)[name] for name in ("H", "H2")])
    correlation = np.abs(np.corrcoef(np.concatenate([hidden, means]))[:2, 2:])
    assert correlation.max(axis=1).min() > 0.85


def test_proposals_are_saved_and_reported(tmp_path: Path):
    FOUND.save(tmp_path / "found.json")
    again = tc.load_fit(tmp_path / "found.json")
    assert len(again) == len(FOUND)
    assert again[0].children == FOUND[0].children
    told = str(tc.report(again))
    assert "H, continuous, parent of" in told
    assert "tc.propose_hidden(cases, seed=1)" in told
    assert "propose_hidden" in tc.report(FOUND).to_html()


def test_above_a_dag_its_arcs_stay():
    dag = "X0 -> X1; X6 -> X7; " + "; ".join(DATA)
    found = tc.propose_hidden(DATA, dag, seed=1, name="Stress")
    assert found[0].name.startswith("Stress")
    assert found[0].accepted
    assert {("X0", "X1"), ("X6", "X7")} <= set(found.network.dag.arcs)
    assert max(len(set(found[0].children) & group) for group in GROUPS) >= 4
    assert found[0].gain >= max(each.gain for each in found[1:]) if len(found) > 1 else True


def test_above_a_dag_hidden_variables_come_one_after_the_other():
    dag = "X0 -> X1; X6 -> X7"
    found = tc.propose_hidden(DATA, dag, seed=1)
    assert [each.turn for each in found.accepted][:2] == [1, 2]
    for group in GROUPS:
        assert any(len(set(each.children) & group) >= 4 for each in found.accepted)
    assert {"H", "H2"} <= set(found.hidden)
    assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, DATA)))
    one = tc.propose_hidden(DATA, dag, seed=1, most=1)
    assert any("as many were accepted as most=1 allows" in note for note in one.notes)
    two = tc.propose_hidden(DATA, one.network, seed=1, most=1)
    assert set(two.hidden) == {"H", "H2"}
    assert two[0].children == found.accepted[1].children


GAPPY = {
    name: np.where(np.random.default_rng(at).random(300) < 0.15, np.nan, column)
    for at, (name, column) in enumerate(DATA.items())
}


def test_planted_parents_are_proposed_where_cells_are_missing():
    found = tc.propose_hidden(GAPPY, seed=1)
    assert len(found.accepted) == 2
    for group in GROUPS:
        assert any(group <= set(each.children) for each in found.accepted)
    assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, GAPPY)))
    assert any("missing (" in note and "all cases were used" in note for note in found.notes)
    assert found.cases.missing.keys() == DATA.keys()


def test_a_search_for_hidden_parents_takes_cases_with_gaps():
    found = tc.search(GAPPY, method=tc.IdealParent(hidden=True), seed=1)
    for group in GROUPS:
        assert any(group <= set(found.dag.children[name]) for name in found.found.hidden)
    assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, GAPPY)))
    hidden = dict.fromkeys(found.found.hidden, "continuous")
    fitted = tc.fit(found.network, GAPPY, hidden=hidden, estimate=tc.ML())
    assert fitted.log_likelihood == pytest.approx(found.log_likelihood, abs=0.1)
    for each in (name for name in DATA if len(found.dag.parents[name]) == 1):
        (parent,) = found.dag.parents[each]
        gain = found.found.gains[parent, each]
        assert gain > 0
        assert found.found.families[each] - gain < found.found.families[each]


def test_above_a_dag_residuals_of_missing_cells_are_expected():
    found = tc.propose_hidden(GAPPY, "X0 -> X1; X6 -> X7", seed=1)
    assert found[0].accepted
    assert max(len(set(found[0].children) & group) for group in GROUPS) >= 4


def test_a_chain_of_lines_needs_no_hidden_parent():
    """Two layers beat columns alone by far, and the dag of the chain beats them."""
    random = np.random.default_rng(3)
    chain = {"A": random.normal(size=400)}
    for before, name in zip("ABCD", "BCDE", strict=True):
        chain[name] = 0.8 * chain[before] + 0.6 * random.normal(size=400)
    found = tc.propose_hidden(chain, seed=1)
    assert not found.accepted
    assert len(found.network.dag.arcs) == 4
    assert found.hunt.score_without == pytest.approx(
        tc.score(found.without.network.dag, _learned_from(chain), tc.BIC()).total
    )
    assert not tc.propose_hidden(chain, "A -> B -> C -> D -> E", seed=1).accepted


def _learned_from(data):
    from tacit.io.cases import as_dataset
    from tacit.learn.unseen.parting import parted

    return parted(as_dataset(data), 0.2, 1)[0]


def test_gains_are_above_the_best_network_before_the_variable():
    train = _learned_from(DATA)
    without = tc.search(train, score=tc.BIC(), method=tc.Tabu(), seed=1).found.score
    assert FOUND.hunt.score_without == pytest.approx(without)
    hidden = dict.fromkeys(FOUND.hidden, "continuous")
    last = tc.fit(FOUND.network, train, hidden=hidden, start="given", estimate=tc.ML())
    price = np.log(len(train)) / 2 * (len(last.network.dag.arcs) + 2 * len(DATA))
    total = sum(each.gain for each in FOUND.accepted)
    assert total == pytest.approx(last.log_likelihood - price - without, abs=0.05)
    for each in FOUND.accepted:
        assert each.children == tuple(FOUND.network.dag.children[each.name])


def test_arcs_among_columns_stand_beside_hidden_parents():
    """A hidden parent of five, and Z after the first of them."""
    random = np.random.default_rng(7)
    hidden = random.normal(size=400)
    data = {f"X{at}": hidden + 0.6 * random.normal(size=400) for at in range(5)}
    data["Z"] = 2 * data["X0"] + random.normal(size=400)
    found = tc.propose_hidden(data, seed=1, held_out=0)
    assert [each.name for each in found.accepted] == ["H"]
    assert set(found[0].children) == {f"X{at}" for at in range(5)}
    assert {("X0", "Z"), ("Z", "X0")} & set(found.network.dag.arcs)
    assert len(found.network.dag.arcs) == 6


def test_arcs_that_do_not_pay_are_no_children():
    """Z follows X0 by an arc of the dag, and the hidden parent by nothing else."""
    random = np.random.default_rng(7)
    data = {**DATA, "Z": DATA["X0"] + random.normal(size=300)}
    found = tc.propose_hidden(data, "X0 -> Z", seed=1, most=1)
    assert found.accepted
    assert "Z" not in found[0].children
    for each in found[0].children:
        assert tc.mutual_information(found.network, "H", each) == pytest.approx(
            found[0].profile.information[each], rel=0.1
        )


def test_columns_that_say_the_same_are_named():
    found = tc.propose_hidden({**DATA, "Copy": 2 * DATA["X0"] + 1}, seed=1)
    assert any("X0 and Copy are all but functions of each other" in note for note in found.notes)


def test_columns_that_share_nothing_have_no_hidden_parent():
    noise = {f"X{at}": RANDOM.normal(size=120) for at in range(6)}
    found = tc.propose_hidden(noise, seed=1)
    assert not found.accepted
    assert not found.hidden
    empty = tc.search(noise, method=tc.IdealParent(hidden=True), seed=1)
    assert not empty.found.hidden
    assert "no hidden variable is worth its parameters" in empty.notes


def test_a_search_for_hidden_parents_is_a_search(tmp_path: Path):
    assert 2 <= len(SEARCH.found.hidden) <= 3
    assert set(SEARCH.found.hidden.values()) == {0}
    assert SEARCH.log_likelihood == pytest.approx(float(tc.log_likelihood(SEARCH.network, DATA)))
    many = sum(len(SEARCH.dag.parents[name]) + 2 for name in DATA)
    price = np.log(300) / 2 * many
    assert SEARCH.score == pytest.approx(SEARCH.log_likelihood - price)
    assert list(SEARCH.trace) == sorted(SEARCH.trace)
    assert all(SEARCH.network[name].sd == 1 for name in SEARCH.found.hidden)
    SEARCH.save(tmp_path / "search.json")
    again = tc.load_fit(tmp_path / "search.json")
    assert again.network == SEARCH.network
    saved = json.loads((tmp_path / "search.json").read_text())["search"]
    assert saved["hidden"] == dict(SEARCH.found.hidden)
    assert "are hidden: in no column" in " ".join(str(tc.report(again)).split())


def test_the_same_seed_gives_the_same_bits_and_units_do_not_matter():
    again = tc.search(DATA, method=tc.IdealParent(hidden=True), seed=1)
    assert again.score == SEARCH.score
    scaled = {name: 10 * column - 3 for name, column in DATA.items()}
    other = tc.search(scaled, method=tc.IdealParent(hidden=True), seed=1)
    assert other.dag == SEARCH.dag
    assert other.score == pytest.approx(SEARCH.score - 3600 * np.log(10))


MIXED = {**DATA, "G": ["u", "v"] * 150}
GAPS = {**DATA, "X0": np.where(np.arange(300) < 3, np.nan, DATA["X0"])}
HIDDEN = tc.IdealParent(hidden=True)


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: tc.propose_hidden(DATA, refuse=[("X0", "X1")]),
         "refuse= speaks of hidden variables with states, and all columns are continuous\n\n"
         "leave it out, or say how many states they have: states=2"),
        (lambda: tc.propose_hidden({**DATA, "X3": [np.nan] * 300}, as_given=True),
         "X3 has no value in any case\n\nleave the column out"),
        (lambda: tc.propose_hidden({**DATA, "X3": [1.5, 2.5] + [np.nan] * 298}, seed=1,
                                   held_out=0.9),
         "X3 has fewer than two values among the cases to learn from\n\n"
         "leave the column out, or hold no cases out: held_out=0"),
        (lambda: tc.propose_hidden(DATA, "X0 -> XX1", seed=1),
         "the dag names 'XX1', which is no column of the cases; did you mean 'X1'?\n\ncolumns: "
         "X0, X1, X2, X3, X4, X5, X6, X7, X8, X9, X10, X11"),
        (lambda: tc.search({**DATA, "X3": [1.5] + [np.nan] * 299}, method=HIDDEN,
                           as_given=["X3"]),
         "X3 has the same value in all cases, so no Gaussian fits it\n\nleave the column out"),
        (lambda: tc.propose_hidden(DATA, "X0", most="3"),
         "most='3' must be a whole number, 0 or more"),
        (lambda: tc.propose_hidden(DATA, evidence=float("nan")),
         "evidence=nan must be a number of nats"),
        (lambda: tc.propose_hidden(DATA, name="X1"),
         "name='X1' is a column of the cases; choose another"),
        (lambda: tc.propose_hidden(DATA, variant="none"),
         "variant='none' must be one of staged, local, full, params"),
        (lambda: tc.propose_hidden(DATA, held_out=1.5),
         "held_out=1.5 must be a share of the cases below 1, 0 for none, or cases"),
        (lambda: tc.search(DATA, method=HIDDEN, knowledge="forbid X0 -> X1"),
         "knowledge= means nothing to a search for hidden parents of columns\n\nleave it out, or "
         "search for arcs: tc.IdealParent(hidden=False)"),
        (lambda: tc.search(MIXED, method=HIDDEN),
         "G has states, and hidden parents without states are sought for continuous columns only"
         "\n\nleave it out: leave_out=['G'], or use tc.propose_hidden for columns with states"),
        (lambda: tc.search(DATA, method=HIDDEN, score=tc.BGe()),
         "BGe(1) scores complete cases only\n\nfor hidden parents use tc.BIC()"),
        (lambda: tc.structural_em(GAPS, hidden={"H": "continuous"}, start="H -> X0"),
         "'H' is hidden and continuous: the hidden variables of structural EM have states\n\n"
         "say how many states it has: hidden={'H': 2}; hidden parents of continuous columns "
         "without states are found by tc.search(data, method=tc.IdealParent(hidden=True))"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_in_words(attempt, message):
    with pytest.raises(tc.TacitError) as caught:
        attempt()
    assert str(caught.value) == message


def test_there_may_be_any_number_of_hidden_variables_and_the_usual_score_may_be_named():
    few = {f"X{at}": DATA[f"X{at}"] for at in range(7)}
    found = tc.propose_hidden(few, most=10**12, score=tc.BIC(), leave_out="X6", seed=1)
    assert [each.name for each in found] == ["H", "H2"][: len(found)]
    assert found.settings["hidden_search"]["left_out"] == ["X6"]


@pytest.mark.parametrize("options", [{}, {"children": {"H": ["X0", "X1", "X2"]}, "most": 0}])
def test_hidden_variables_with_states_are_sought_above_continuous_columns_with_gaps(options):
    few = {f"X{at}": GAPS[f"X{at}"] for at in range(5)}
    states = {"H": 2} if options else 2
    found = tc.propose_hidden(few, states=states, **{"most": 1, "seed": 1} | options)
    assert found
    assert {each.states for each in found} == {2}
    assert found.without.log_likelihood == pytest.approx(
        float(tc.log_likelihood(found.without.network, few))
    )


@pytest.mark.parametrize("network", [None, "X0; X1"])
def test_the_same_seed_saves_the_same_proposals(tmp_path: Path, network):
    few = {f"X{at}": GAPS[f"X{at}"] for at in range(6)}
    files = tmp_path / "one.json", tmp_path / "other.json"
    for file in files:
        tc.propose_hidden(few, network, most=1, seed=1).save(file)
    assert files[0].read_bytes() == files[1].read_bytes()


def test_the_call_that_a_report_shows_searches_again():
    told = str(tc.report(SEARCH))
    call = next(line.strip() for line in told.splitlines() if "found = tc.search(" in line)
    space = {"tc": tc, "cases": DATA}
    exec(call, space)
    assert space["found"].score == SEARCH.score


def test_what_is_known_of_hidden_variables_goes_with_the_cases():
    told = FOUND.completed(DATA)
    assert told.names == (*DATA, "H", "sd(H)", "H2", "sd(H2)")
    assert told["H"].tolist() == tc.predict(FOUND.network, DATA)["H"].tolist()
    assert (told["sd(H)"] > 0).all()


def test_it_is_told_what_suggested_a_place_and_what_was_gained_so_far():
    heard = list[tuple[int, int, float]]()
    found = tc.propose_hidden(DATA, seed=1, progress=lambda *told: heard.append(told))
    assert {each.source for each in found} <= {"columns that miss the same", "links of the dag"}
    assert heard[0] == (0, 3, 0.0)
    gains = [each.gain for each in found.accepted]
    assert heard[1][2] == pytest.approx(gains[0])
    assert heard[2][2] == pytest.approx(sum(gains[:2]))
