"""Rounds of the search for hidden variables: what a proposal is compared with."""

from __future__ import annotations

import pytest

import tacit as tc
from planted import SIGNS, hidden, patients
from tacit.learn.structure.search import search
from tacit.learn.unseen.removal import remove_variable
from tacit.learn.unseen.rounds import _thinned
from tacit.learn.unseen.sought import Bench, Settings, in_own_order


def star(children: int) -> tc.Dag:
    return tc.Dag.parse("; ".join(f"H -> x{at}" for at in range(children)))


def bench(cases: tc.Dataset, rules: str | None = None) -> Bench:
    return Bench(
        in_own_order(cases), Settings(), None if rules is None else tc.Knowledge.parse(rules)
    )


def flips(cases: int, columns: int) -> tc.Dataset:
    """Coins that were thrown so many times."""
    names = [f"x{at}" for at in range(columns)]
    coin = {name: tc.Discrete(name, ("no", "yes")) for name in names}
    free = {name: tc.table(coin[name], [], [0.5, 0.5]) for name in names}
    return tc.sample(tc.Network(tc.Dag(dict.fromkeys(names, ())), coin, free), cases, seed=1)


def test_what_a_hidden_variable_leaves_has_no_more_rows_than_there_are_cases():
    whole = remove_variable(star(12), "H")
    cases = flips(70, 12)
    thin = _thinned(bench(cases), whole)
    assert max(map(len, whole.parents.values())) == 11
    assert max(map(len, thin.parents.values())) == 6  # 64 rows
    assert set(thin.arcs) <= set(whole.arcs)
    small = remove_variable(star(5), "H")
    assert _thinned(bench(flips(70, 5)), small).arcs == small.arcs


def test_what_a_hidden_variable_leaves_obeys_the_rules():
    rules = "at most 2 parents; forbid x0 -> x3; require x2 -> x4"
    thin = _thinned(bench(flips(50, 5), rules), remove_variable(star(5), "H"))
    assert max(map(len, thin.parents.values())) == 2
    assert "x0" not in thin.parents["x3"]
    assert "x2" in thin.parents["x4"]


@pytest.mark.parametrize(
    "rules", ["at most 2 parents", "forbid Cough -> Fever; forbid Cough -> Pain"]
)
def test_proposals_and_what_they_are_compared_with_obey_the_rules(rules):
    told = tc.propose_hidden(
        patients(600), knowledge=rules, most=1, bootstrap=0, seed=1, progress=False
    )
    known = tc.Knowledge.parse(rules)
    for network in (told.without.network, *(each.network for each in told)):
        search(patients(50), start=_shown(network), knowledge=known, progress=False)


def _shown(network: tc.Network) -> tc.Dag:
    """The dag of measured variables; a search refuses to start at one that breaks a rule."""
    names = {*SIGNS, "Stay"}
    return tc.Dag({n: tuple(p for p in network.dag.parents[n] if p in names) for n in names})


def test_a_variable_with_many_children_is_proposed_from_few_cases():
    """The dag that it leaves when it is taken away has tables that no memory holds."""
    cause = tc.Discrete("H", ("0", "1"))
    signs = [tc.Discrete(f"x{at}", ("0", "1")) for at in range(40)]
    rows = [[0.75, 0.25], [0.25, 0.75]]
    truth = tc.Network.of(
        [tc.table(cause, [], [0.5, 0.5]), *(tc.table(each, [cause], rows) for each in signs)]
    )
    found = tc.propose_hidden(
        hidden(truth, "H", 400, 1), most=1, bootstrap=0, tries=2, shown=1, held_out=0.1, seed=1,
        progress=False,
    )  # fmt: skip
    assert len(found[0].children) > 20
    assert found[0].accepted
