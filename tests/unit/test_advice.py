"""Which method suits which cases: a table, and that every call it gives works."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc


def table(variables: int, cases: int) -> dict[str, list[str]]:
    rng = np.random.default_rng(variables)
    return {f"v{at}": rng.choice(["a", "b"], cases).tolist() for at in range(variables)}


def holed(variables: int, cases: int) -> dict[str, list[str | None]]:
    columns: dict[str, list[str | None]] = {**table(variables, cases)}
    columns["v0"] = [None, *columns["v0"][1:]]
    return columns


def reals(variables: int, cases: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(1)
    return {f"x{at}": rng.normal(size=cases).tolist() for at in range(variables)}


TABLE = [
    (table(5, 40), None, "search", "method=tc.Exact()"),
    (table(20, 40), None, "search", "method=tc.Exact()"),
    (table(21, 40), None, "search", "tc.search(data)"),
    (table(501, 10), None, "search", "candidates=10"),
    (reals(30, 40), None, "search", "tc.search(data)"),
    (holed(5, 40), None, "structural_em", "tc.structural_em(data)"),
    (table(5, 1000), {"H": 2}, "structural_em", "restarts=10"),
    (table(5, 40), {"H": 2}, "structural_em", "tc.WeightAnnealing"),
    ({**reals(2, 40), **holed(2, 40)}, None, "structural_em", "tc.structural_em(data)"),
    (reals(3, 40), {"H": 2}, "structural_em", "restarts=10"),
    (
        {**reals(3, 40), "x0": [None, *reals(3, 40)["x0"][1:]]},
        None,
        "structural_em",
        "structural_em(data)",
    ),
]


@pytest.mark.parametrize(("data", "hidden", "function", "call"), TABLE)
def test_the_method_suits_the_cases(data, hidden, function, call):
    advice = tc.advise(data, hidden)
    assert advice.function == function
    assert call in advice.call
    assert advice.reasons
    assert str(advice).startswith(advice.call)


@pytest.mark.parametrize(
    ("data", "hidden"),
    [
        (table(4, 40), None),
        (holed(4, 40), None),
        (table(4, 40), {"H": 2}),
        (reals(3, 40), None),
        (reals(2, 60), {"H": 2}),
        ({**reals(2, 40), **holed(2, 40)}, None),
    ],
)
def test_what_is_advised_can_be_called(data, hidden):
    found = eval(tc.advise(data, hidden).call, {"tc": tc, "data": data})
    assert isinstance(found, tc.Search)


FLAT, DEEP = (
    "H -> v0; H -> v1; H -> v2; H -> v3",
    "R -> S; R -> T; S -> v0; S -> v1; T -> v2; T -> v3",
)
KNOWN = [
    (table(4, 40), None, "v0 -> v1; v2; v3", "tc.fit(network, data)", "one optimum"),
    (table(4, 40), {"H": 2}, FLAT, "method=tc.EM(restarts=20)", "penalty='entropy'"),
    (holed(4, 40), {"H": 2}, FLAT, "method=tc.EM(restarts=20)", "penalty='entropy'"),
    (table(4, 40), {"R": 2, "S": 2, "T": 2}, DEEP, "tc.EM(restarts=20)", "inference='exact'"),
    (holed(4, 40), {"R": 2, "S": 2, "T": 2}, DEEP, "tc.EM(restarts=20)", "penalty='entropy'"),
    ({**reals(1, 40), **table(2, 40)}, {"H": 2}, "H -> x0; H -> v0; H -> v1",
     "tc.EM(restarts=20)", "EM knows both kinds"),
]  # fmt: skip


@pytest.mark.parametrize(("data", "hidden", "network", "call", "reason"), KNOWN)
def test_a_known_dag_leaves_parameters_to_learn(data, hidden, network, call, reason):
    advice = tc.advise(data, hidden, network)
    assert advice.function == "fit"
    assert call in advice.call
    assert reason in str(advice)
    found = eval(advice.call.replace("restarts=20", "restarts=1"),
                 {"tc": tc, "data": data, "network": network})  # fmt: skip
    assert isinstance(found, tc.Fit)


@pytest.mark.parametrize(
    ("data", "call", "reason"),
    [
        (table(5, 200), "tc.propose_hidden(data)", "many cases for the columns"),
        (table(5, 40), "tc.learn_hierarchy(data)", "few cases for the columns"),
        (reals(3, 40), "tc.search(data, method=tc.IdealParent(hidden=True))", "a profile"),
    ],
)
def test_places_that_are_not_known_are_sought(data, call, reason):
    advice = tc.advise(data, "seek")
    assert advice.call == call
    assert reason in str(advice)


def test_places_are_not_sought_in_a_known_dag():
    with pytest.raises(tc.OptionError, match="asks for places in a dag that is not known yet"):
        tc.advise(table(4, 40), "seek", FLAT)
    with pytest.raises(tc.OptionError, match='or be "seek"'):
        tc.advise(table(4, 40), "sought")


def test_bad_questions_are_told_what_is_wrong():
    with pytest.raises(tc.CasesError, match="there are columns but no cases"):
        tc.advise({"a": []})
    with pytest.raises(tc.OptionError, match="must say how many states each variable has"):
        tc.advise(table(2, 5), {"H": "two"})
