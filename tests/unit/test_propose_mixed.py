"""`tc.propose_hidden` beside real values: hidden variables with states above both kinds."""

from __future__ import annotations

from dataclasses import replace
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.integrate import quad
from scipy.special import logsumexp
from scipy.stats import norm

import tacit as tc
from tacit.learn.unseen.finishing import finished
from tacit.learn.unseen.insertion import free_parameters
from tacit.learn.unseen.likely import without_zeros
from tacit.learn.unseen.sought import Bench, Settings, in_own_order


def planted(seed, cases=400):
    """One hidden variable of two states above A, B, X, Y and Z; N and M stand apart."""
    random = np.random.default_rng(seed)
    hidden = random.integers(0, 2, cases)

    def shown(share):
        return np.where(random.random(cases) < np.where(hidden, share, 1 - share), "yes", "no")

    return {
        "A": shown(0.85),
        "B": shown(0.8),
        "X": 2 * hidden + random.normal(size=cases),
        "Y": 5 - 3 * hidden + 1.5 * random.normal(size=cases),
        "Z": 1.5 * hidden + random.normal(size=cases),
        "N": random.normal(size=cases),
        "M": np.where(random.random(cases) < 0.5, "u", "v"),
    }


DATA = planted(3)
CHILDREN = {"A", "B", "X", "Y", "Z"}
FOUND = tc.propose_hidden(DATA, seed=1, held_out=0)
STAR = "H -> A, B, X, Y, Z; N; M"


def test_a_planted_variable_is_found_with_its_states():
    assert [each.name for each in FOUND.accepted] == ["H"]
    assert set(FOUND[0].children) == CHILDREN
    assert FOUND[0].states == 2
    assert FOUND[0].curve[2] > FOUND[0].curve[3]
    assert FOUND[0].stability.reached >= 4
    held = tc.propose_hidden(DATA, seed=1)
    assert held[0].accepted
    assert held[0].held_out_gain > 2 * held[0].held_out_error


def enumerated(network):
    """log P(cases): over the states of H, tables and normals by hand."""
    share, terms = network["H"].values, np.log(network["H"].values)[:, None]
    terms = np.repeat(terms, 400, axis=1)
    for name in "AB":
        codes = np.array(network.variables[name].states)
        at = np.argmax(DATA[name][:, None] == codes, axis=1)
        terms += np.log(network[name].values[:, at])
    for name in "XYZ":
        family = network[name]
        for state in range(share.size):
            terms[state] += norm.logpdf(DATA[name], family.intercept[state], family.sd[state])
    rest = norm.logpdf(DATA["N"], network["N"].intercept, network["N"].sd).sum()
    codes = np.array(network.variables["M"].states)
    rest += np.log(network["M"].values[np.argmax(DATA["M"][:, None] == codes, axis=1)]).sum()
    return logsumexp(terms, axis=0).sum() + rest


def test_the_gain_is_that_of_the_likelihood_less_its_price():
    most_likely = tc.fit(STAR, DATA, hidden={"H": 2}, estimate=tc.ML(), seed=1)
    price = log(400) / 2 * (1 + 2 + 2 + 3 * 4 + 2 + 1)
    score = enumerated(most_likely.network) - price + log(2)
    without = tc.search(DATA, method=tc.Tabu(), score=tc.BIC(), seed=1)
    assert FOUND.hunt.score_without == pytest.approx(without.found.score, abs=1e-6)
    assert FOUND[0].gain == pytest.approx(score - without.found.score, abs=1e-3)


def test_what_states_stand_for_is_told_of_both_kinds_of_columns():
    profile, network = FOUND[0].profile, FOUND[0].network
    near = {each.name: each for each in profile.neighbours}
    assert set(near) == CHILDREN
    assert len(near["A"].states) == 2
    assert not near["X"].states
    family, shares = network["X"], network["H"].values
    mean = float(shares @ family.intercept)
    spread = float(shares @ (family.sd**2 + family.intercept**2) - mean**2) ** 0.5
    told = tc.propose_hidden(DATA, seed=1, held_out=0, restarts=0)[0].profile
    assert near["X"].overall == pytest.approx([mean, spread], rel=0.02)
    assert told.information == pytest.approx(profile.information, rel=1e-3)

    def inner(x, state):
        each = norm.pdf(x, family.intercept, family.sd)
        return shares[state] * each[state] * np.log(each[state] / (shares @ each))

    integral = sum(quad(inner, -20, 20, args=(state,))[0] for state in range(2))
    assert near["X"].information == pytest.approx(integral, rel=0.03)
    lines = str(profile)
    assert "what it is overall in brackets" in lines
    assert " ± " in lines


def test_the_order_of_columns_and_the_same_seed_change_nothing():
    again = tc.propose_hidden(DATA, seed=1, held_out=0)
    assert again[0].gain == FOUND[0].gain
    turned = tc.propose_hidden(dict(reversed(DATA.items())), seed=1, held_out=0, restarts=0)
    assert set(turned[0].children) == CHILDREN
    assert turned[0].gain == pytest.approx(FOUND[0].gain, abs=1e-6)


def test_cells_may_be_missing():
    random = np.random.default_rng(5)
    gaps = {
        name: [None if random.random() < 0.1 else each for each in column.tolist()]
        for name, column in DATA.items()
    }
    found = tc.propose_hidden(gaps, seed=1, restarts=0, shown=1)
    assert set(found.accepted[0].children) == CHILDREN
    assert found.accepted[0].states == 2
    assert any(
        note.startswith("cells are missing: links come from the dag") for note in found.notes
    )


def test_hidden_states_above_real_columns_alone_are_found_when_states_are_named():
    real = {name: DATA[name] for name in "XYZN"}
    found = tc.propose_hidden(real, states=2, least=3, seed=1, held_out=0)
    assert found.accepted[0].states == 2
    assert set(found.accepted[0].children) == {"X", "Y", "Z"}
    assert tc.propose_hidden(real, seed=1, held_out=0)[0].states == 0


def test_columns_without_anything_in_common_have_no_hidden_variable():
    random = np.random.default_rng(0)
    noise = {f"X{at}": random.normal(size=200) for at in range(4)}
    noise |= {f"D{at}": random.choice(["u", "v"], 200) for at in range(3)}
    assert not tc.propose_hidden(noise, seed=1)


def test_rules_and_named_children_are_in_force():
    free = tc.propose_hidden(DATA, knowledge="forbid H -> A", seed=1, held_out=0, restarts=0)
    assert "A" not in free[0].children
    fixed = tc.propose_hidden(
        DATA,
        children={"Sick": ["A", "X"]},
        states={"Sick": ("low", "high")},
        seed=1,
        held_out=0,
        restarts=0,
        most=0,
    )
    assert {"A", "X"} <= set(fixed.network.dag.children["Sick"])
    assert fixed.network.variables["Sick"].states == ("low", "high")
    ruled = tc.propose_hidden(
        DATA, knowledge="P(A=yes | H=1) >= 0.9", seed=1, held_out=0, restarts=0, shown=1
    )
    table = ruled.network["A"]
    assert table.values[0, ruled.network.variables["A"].states.index("yes")] >= 0.9 - 1e-6
    refused = tc.propose_hidden(DATA, refuse=[tuple(CHILDREN)], seed=1, restarts=0)
    assert not refused.accepted


def test_proposals_are_saved_resumed_and_reported(tmp_path: Path):
    FOUND.save(tmp_path / "found.json")
    again = tc.load_fit(tmp_path / "found.json")
    assert str(again) == str(FOUND)
    assert str(again[0]) == str(FOUND[0])
    told = " ".join(str(tc.report(again)).split())
    assert "H, with 2 states, parent of A, B, X, Y and Z" in told
    kept = tmp_path / "checkpoint.json"
    first = tc.propose_hidden(DATA, seed=1, held_out=0, checkpoint=kept)
    resumed = tc.propose_hidden(DATA, seed=1, held_out=0, checkpoint=kept, resume=True)
    assert str(first) == str(resumed) == str(FOUND)


def test_parameters_of_tables_and_lines_are_counted():
    dag = tc.Dag({"H": (), "A": ("H",), "X": (), "Y": ("H", "X")})
    assert free_parameters(dag, {"H": 2, "A": 3}) == 1 + 2 * 2 + 2 + 2 * 3


@pytest.mark.parametrize(
    ("attempt", "message"),
    [
        (lambda: tc.propose_hidden(DATA, score=tc.BDeu(5)),
         "score=BDeu(5) must be tc.BIC() or another price where columns are continuous"),
        (lambda: tc.propose_hidden(DATA, score=tc.BGe()),
         "BGe(1) scores continuous variables only, and these cases have both kinds\n\nuse tc.BIC() "
         "or tc.AIC()"),
        (lambda: tc.propose_hidden(DATA, method=tc.IBEM()),
         "method= speaks of columns with states, and some are continuous\n\nleave it out, "
         "or make them discrete with tc.discretise"),
        (lambda: tc.propose_hidden({**DATA, "X": DATA["X"] * 1e150}),
         "X has values as large as"),
        (lambda: tc.propose_hidden({**DATA, "X": [1.5] * 400}, as_given=True),
         "X has the same value in all cases, so no Gaussian fits it\n\nleave the column out"),
        (lambda: tc.propose_hidden({**DATA, "X": [1.5, 2.5] + [None] * 398}, held_out=0.9, seed=1),
         "X has fewer than two values among the cases to learn from\n\nleave the column out, or "
         "hold no cases out: held_out=0"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_said_in_words(attempt, message):
    with pytest.raises(tc.TacitError) as caught:
        attempt()
    assert str(caught.value).startswith(message)


def test_the_call_and_the_command_that_a_report_shows_seek_again(tmp_path: Path):
    found = tc.propose_hidden(DATA, seed=1, score=tc.AIC(), restarts=0, shown=1, tries=1)
    told = str(tc.report(found))
    assert "found = tc.propose_hidden(cases, score=tc.AIC(), tries=1, shown=1, restarts=0" in told
    assert "--score aic" in told
    usual = str(tc.report(FOUND))
    assert "found = tc.propose_hidden(cases, held_out=0.0, seed=1)" in usual


def test_a_new_hidden_variable_may_not_take_all_children_of_one_that_is_known():
    shared = np.random.default_rng(0)
    hidden = shared.normal(size=80)
    cases = {f"X{at}": hidden + 0.5 * shared.normal(size=80) for at in range(5)}
    for at, column in enumerate(cases.values()):
        column[np.random.default_rng(at).random(80) < 0.05] = np.nan
    known = tc.fit("K -> X0, X1, X2; X3; X4", cases, hidden={"K": 2}, seed=1).network
    found = tc.propose_hidden(cases, known, most=1, tries=6, shown=1, restarts=0, seed=1)
    assert all(each.network.dag.children["K"] for each in found if "K" in each.network)
    assert found.log_likelihood == pytest.approx(float(tc.log_likelihood(found.network, cases)))


def with_rare_states():
    """The planted cases, but A has three further states, each of them in one case alone."""
    column = DATA["A"].astype(object)
    for number, case in enumerate(np.random.default_rng(1).choice(400, 3, replace=False)):
        column[case] = f"once {number}"
    return {**DATA, "A": column}


@pytest.mark.parametrize("variant", ["staged", "local"])
def test_states_that_only_cases_held_out_have_do_not_end_the_search(variant):
    """Most likely tables hold such a case impossible; the last network has to hold it possible."""
    cases = with_rare_states()
    found = tc.propose_hidden(cases, seed=1, variant=variant, most=1, tries=3, shown=1, restarts=0)
    assert set(found.accepted[0].children) == CHILDREN
    assert np.isfinite(tc.log_likelihood(found.network, tc.read_cases(cases)).per_case).all()


def test_rows_as_if_one_case_more_was_seen_are_the_smoothed_ones():
    """Of a table without parents: the counts, and one case spread evenly, divided by their sum."""
    counts, columns = [3, 5, 0], {"A": ["a"] * 3 + ["b"] * 5, "X": np.arange(8) / 3}
    data = tc.read_cases(tc.read_cases(columns), order={"A": ["a", "b", "c"]})
    likely = tc.fit("A; X", data, estimate=tc.ML()).network
    found = without_zeros(likely, 8)
    assert_allclose(found["A"].values, [(count + 1 / 3) / 9 for count in counts])
    assert found["X"] is likely["X"]


def test_a_search_of_all_cases_goes_on_where_they_leave_a_column_without_noise():
    """Half of all cases have the very same X, which one state of H comes to stand for alone."""
    tied = {name: np.concatenate([column, column]) for name, column in DATA.items()}
    tied["X"] = np.where(np.arange(800) < 400, tied["X"], 4.0)
    whole = in_own_order(tc.read_cases(tied))
    dag = tc.Dag({**{name: ("H",) * (name in CHILDREN) for name in whole.names}, "H": ()})
    network = tc.fit(dag, DATA, hidden={"H": 2}, estimate=tc.ML(), seed=1).network
    narrow = replace(network["X"], intercept=np.array([1.0, 4.0]), sd=np.array([1.5, 1e-3]))
    network = tc.Network(network.dag, network.variables, {**network.families, "X": narrow})
    bench = Bench(whole.take(np.arange(400)), Settings(score=tc.BIC()), None)
    found = tc.structural_em(whole, start=network, hidden="rest", restarts=1)
    assert any("the noise of X would shrink to nothing" in note for note in found.notes)
    after = finished(bench, whole, network)
    assert set(after) == set(network)
    assert np.isfinite(float(tc.log_likelihood(after, whole)))


def test_a_network_to_begin_at_that_holds_a_case_impossible_is_told_with_the_case():
    data = tc.read_cases({**DATA, "G": ["a", None] * 200})
    apart = tc.fit(tc.Dag(dict.fromkeys(data.names, ())), data, seed=1).network
    table = tc.Table((data.variables["A"],), np.array([1.0, 0.0]))
    given = tc.Network(apart.dag, apart.variables, {**apart.families, "A": table})
    lost = np.flatnonzero(DATA["A"] == "yes") + 1
    message = (
        f"the network to start from holds case {lost[0]}, and {lost.size - 1} others, impossible, "
        "so its numbers cannot be the start\n\nstart from its dag, or from a network without zeros"
    )
    for attempt in (tc.propose_hidden, lambda cases, start: tc.structural_em(cases, start=start)):
        with pytest.raises(tc.OptionError) as caught:
            attempt(data, given)
        assert str(caught.value) == message
    again = tc.structural_em(data, start=given.dag, seed=1, max_rounds=1)
    assert np.isfinite(again.log_likelihood)
