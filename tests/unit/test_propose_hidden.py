"""Variables that nobody measured: found where one was taken away, with what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tacit as tc
from planted import SIGNS, patients, severity
from tacit.learn.columns import columns_of
from tacit.learn.structure.sem_found import states_turned
from tacit.learn.unseen import hunting, learning
from tacit.learn.unseen.asking import Said, ask
from tacit.learn.unseen.learning import Memory
from tacit.learn.unseen.parting import parted
from tacit.learn.unseen.places import Places
from tacit.learn.unseen.rounds import Round, round_of
from tacit.learn.unseen.seeking import SEEKERS, trial_of
from tacit.learn.unseen.stability import agreement, shaken


@pytest.fixture(scope="module")
def found() -> tc.HiddenProposals:
    return tc.propose_hidden(patients(), seed=1, progress=False)


def test_the_variable_that_was_taken_away_is_found(found):
    assert len(found.accepted) == 1
    proposal = found[0]
    assert set(proposal.children) == set(SIGNS)
    assert (proposal.states, proposal.parents, proposal.accepted) == (3, (), True)
    assert proposal.gain > 3
    assert proposal.held_out_gain > 0
    assert proposal.name == "H"


def test_the_gain_is_a_difference_of_scores_counted_anew(found):
    """The score of both networks, each from its structure alone, on the cases learned from."""
    order = np.random.default_rng([1, 1]).permutation(2000)
    learned, held = patients().take(np.sort(order[400:])), patients().take(np.sort(order[:400]))
    assert (found.hunt.learned_from, found.hunt.held_out) == (len(learned), len(held))
    score = tc.BDeu(5)
    start = tc.fit(
        found.network, learned, hidden={"H": 3}, prior=score, start="given", progress=False,
        method=tc.EM(restarts=1, tolerance=1e-10, max_steps=5000),
    )  # fmt: skip
    here = tc.cheeseman_stutz(start.network, learned, score) + np.log(6)
    without = tc.search(learned, score=score, method=tc.Tabu(), progress=False)
    assert without.score == pytest.approx(found.hunt.score_without, abs=1e-6)
    assert here - without.score == pytest.approx(found[0].gain, abs=0.05)


def test_states_stand_for_what_they_were_planted_as(found):
    truth, profile = severity(), found[0].profile
    shares = np.array([0.5, 0.3, 0.2])
    given = {each.name: each.given[:, each.states.index("yes")] for each in profile.neighbours}
    order = np.argsort(given["Breath"])
    assert np.abs(profile.shares[order] - shares).max() < 0.1
    for sign in SIGNS:
        planted = truth[sign].values[:, 1]
        assert np.abs(given[sign][order] - planted).max() < 0.15
    assert sum(profile.shares) == pytest.approx(1)


@dataclass(frozen=True)
class Told:
    """A method that knows the answer."""

    network: tc.Network

    def describe(self) -> str:
        return "Told()"


def test_another_method_plugs_in(monkeypatch, found):
    def seek(bench, base, course, named=None):
        first = trial_of(bench, bench.settings.method.network, "H", "told")
        return Round(base, Places((), ()), (first,), (first,))

    monkeypatch.setitem(SEEKERS, Told, seek)
    data = patients()
    told = tc.propose_hidden(data, method=Told(found.network), seed=1, most=1, progress=False)
    assert told[0].children == found[0].children
    assert told[0].gain == pytest.approx(found[0].gain, abs=1)
    assert told[0].source == "told"
    assert told.settings["hidden_search"]["method"] == "Told()"
    assert SEEKERS[type(None)] is round_of


# --- what experts say ----------------------------------------------------------------------------

QUICK = {
    "bootstrap": 0, "tries": 2, "most": 0, "restarts": 0, "seed": 1, "progress": False,
}  # fmt: skip
FIXED = {"Severity": list(SIGNS)}


def test_a_proposal_of_an_earlier_call_is_named_and_kept(found):
    named = tc.propose_hidden(patients(), children={"Severity": found[0]}, **QUICK)
    assert named[0].name == "Severity"
    assert set(named[0].children) >= set(SIGNS)
    assert named[0].states == found[0].states
    assert named[0].why == "fixed by the expert; the cases support it"


def test_more_states_than_can_be_merged_are_begun_at_random():
    small = patients(200)
    told = tc.propose_hidden(
        small,
        "Cough, Fever",
        children={"S": ["Cough", "Fever"]},
        states={"S": 6},
        variant="params",
        **QUICK,
    )
    assert told[0].states == 6 > told[0].merging.first == 4
    assert told[0].children == ("Cough", "Fever")


def test_cases_none_of_which_has_the_whole_blanket_are_used():
    data = patients(400)
    columns = {name: data[name].copy() for name in data.names}
    for case in range(len(data)):
        columns[list(SIGNS)[case % 5]][case] = -1
    gappy = tc.Dataset(data.variables, columns)
    told = tc.propose_hidden(gappy, children=FIXED, states={"Severity": 3}, **QUICK)
    assert told[0].states == 3
    assert set(told[0].children) >= set(SIGNS)
    assert told[0].merging is None
    assert told.cases_used == 400


def test_rules_choose_the_numbers_of_states_that_they_can_speak_of():
    told = tc.propose_hidden(
        patients(600), children=FIXED, knowledge="P(Severity=4) >= 0.1", **QUICK
    )
    assert told[0].states >= 4
    assert all(states >= 4 for states in told[0].curve)
    assert told.network["Severity"].values[3] >= 0.1 - 1e-9


def test_rules_about_variables_that_never_come_are_told_of():
    told = tc.propose_hidden(
        patients(200), knowledge="forbid H2 -> Cough; forbid Stay -> *", **{**QUICK, "most": 2}
    )
    assert "1 rule named variables that were not accepted: forbid H2 -> Cough" in told.notes
    assert told.network.dag.children["Stay"] == ()


def test_places_are_tried_with_what_rules_require_and_without_what_they_forbid():
    told = tc.propose_hidden(
        patients(), knowledge="require H -> Stay; forbid H -> Pain", **{**QUICK, "most": 1}
    )
    tried = [set(each.children) for each in told.candidates if each.states is not None]
    assert tried
    for children in tried:
        assert "Stay" in children
        assert "Pain" not in children


# --- cases held out ------------------------------------------------------------------------------


def test_cases_that_count_several_times_are_parted_as_if_they_were_written_out():
    data = patients(100)
    three = tc.Dataset(data.variables, data.columns, np.full(100, 3.0))
    learned, judged = parted(three, 0.2, 1)
    assert judged is not None
    assert (learned.total_weight, judged.total_weight) == (240.0, 60.0)
    for at, name in ((case, name) for case in (0, 1) for name in data.names):
        whole = sum(
            float(part.weights[np.asarray(part[name]) == at].sum()) for part in (learned, judged)
        )
        assert whole == 3 * np.count_nonzero(data[name] == at)


def test_cases_with_weights_that_are_shares_are_parted_by_case():
    data = patients(100)
    shares = tc.Dataset(data.variables, data.columns, np.full(100, 0.5))
    learned, judged = parted(shares, 0.2, 1)
    assert judged is not None
    assert (len(learned), len(judged)) == (80, 20)


# --- other starts --------------------------------------------------------------------------------


def test_agreement_matches_states_whatever_they_are_called(found):
    network = found.network
    turned = states_turned(network, "H", np.array([2, 0, 1]))
    assert agreement(patients(300), network, [turned, network], "H") == (1.0, 1.0)


def test_a_start_at_random_that_comes_higher_counts(found, monkeypatch):
    """The proposal is made worse first: two of its states are made alike."""
    data = patients()
    asked = ask_again(data)
    network = found.network
    values = {name: np.array(network[name].values) for name in SIGNS}
    for each in values.values():
        each[2] = each[1]
    families = {n: tc.table(network.variables[n], [network.variables["H"]], v)
                for n, v in values.items()}  # fmt: skip
    worse = tc.Network(network.dag, network.variables, {**network.families, **families})
    trial = trial_of(asked.bench, worse, "H", "test")
    better, told = shaken(asked.bench, trial, Memory(), lambda: False)
    assert told is not None
    assert better.score > trial.score + 10
    assert told.merged == pytest.approx(better.score - trial.score)
    assert min(told.below) == 0.0
    assert len(told.below) == len(told.agree) == 3


def ask_again(data):
    said = Said(
        None, None, None, None, (), "H", None, "staged", 1, 10, 3.0, 0.2, 2, 1, 0, 0.4, 4, 3,
        columns_of(tc.read_cases(data)), 1, 1,
    )  # fmt: skip
    return ask(said)


def test_what_was_broken_off_is_not_remembered():
    ended = [False]
    memory = Memory(ended=lambda: ended[0])

    def answer():
        ended[0] = True

    memory.recall("question", answer)
    assert memory.learned == {}
    ended[0] = False
    memory.recall("other", lambda: None)
    assert memory.learned == {"other": None}


def test_a_search_that_is_done_is_told_from_its_checkpoint_alone(tmp_path, monkeypatch):
    data, path = patients(400), tmp_path / "run.ckpt"
    options = {**QUICK, "bootstrap": 3, "most": 1, "restarts": 1}
    first = tc.propose_hidden(data, checkpoint=path, **options)

    def nobody(*_, **__):
        raise AssertionError("this was learned before")

    for name in ("_best_without", "_links"):
        monkeypatch.setattr(hunting, name, nobody)
    monkeypatch.setattr(learning, "_learned", nobody)
    again = tc.propose_hidden(data, checkpoint=path, resume=True, **{**options, "seed": None})
    assert str(again) == str(first)
    assert again.candidates == first.candidates
    assert [str(each) for each in again] == [str(each) for each in first]
