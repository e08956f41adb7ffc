"""Variables that nobody measured: found where one was taken away, with what is said of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tacit as tc
from planted import SIGNS, patients, severity
from tacit.learn.unseen.places import Places
from tacit.learn.unseen.rounds import Round, round_of
from tacit.learn.unseen.seeking import SEEKERS, trial_of


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
