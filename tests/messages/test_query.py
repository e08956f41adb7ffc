"""What is said about questions that cannot be asked, in full."""

from __future__ import annotations

from math import prod

import pytest

import tacit as tc
from mixed import mixed_network
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families.gaussian import LinearGaussian
from tacit.families.table import table
from tacit.infer.engine import engine_of
from tacit.infer.sizes import check_cases, check_piece, check_size

AGE = Discrete("Age group", ("young", "old"))
FLU = Discrete("Flu", ("no", "yes"))
COUGH = Discrete("Cough", ("none", "dry", "wet"))
NETWORK = Network.of(
    [
        table(AGE, [], [0.5, 0.5]),
        table(FLU, [AGE], [[0.8, 0.2], [0.9, 0.1]]),
        table(COUGH, [FLU], [[0.9, 0.1, 0], [0.1, 0.2, 0.7]]),
    ]
)
LIKE = "\n\na query is written like  P(Cancer | Xray=abnormal, Smoker=yes)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "P(Flue | Cough=wet)",
            "the network has no variable 'Flue'; did you mean 'Flu'?\n\n"
            "    P(Flue | Cough=wet)\n"
            "      ^^^^\n\n"
            "variables: Age group, Flu, Cough",
        ),
        (
            "Flue",
            "the network has no variable 'Flue'; did you mean 'Flu'?\n\n"
            "    Flue\n"
            "    ^^^^\n\n"
            "variables: Age group, Flu, Cough",
        ),
        (
            "P(Flu | Cough={wet, dri})",
            "'Cough' has no state 'dri'; did you mean 'dry'?\n\n"
            "    P(Flu | Cough={wet, dri})\n"
            "                        ^^^\n\n"
            "states of 'Cough': none, dry, wet",
        ),
        (
            'P(Flu | "Age group"=middle)',
            "'Age group' has no state 'middle'\n\n"
            '    P(Flu | "Age group"=middle)\n'
            "                        ^^^^^^\n\n"
            "states of 'Age group': young, old",
        ),
        (
            "P(Flu=ja)",
            "'Flu' has no state 'ja'\n\n    P(Flu=ja)\n          ^^\n\nstates of 'Flu': no, yes",
        ),
        (
            "P(Flu |\n  Cough=wett)",
            "line 2: 'Cough' has no state 'wett'; did you mean 'wet'?\n\n"
            "      Cough=wett)\n"
            "            ^^^^\n\n"
            "states of 'Cough': none, dry, wet",
        ),
        (
            "P(Flu | Cough)",
            "a finding needs a state of 'Cough'\n\n"
            "    P(Flu | Cough)\n"
            "            ^^^^^\n\n"
            "states of 'Cough': none, dry, wet",
        ),
        (
            "P(Flu, Flu)",
            "'Flu' is asked for twice\n\n    P(Flu, Flu)\n           ^^^",
        ),
        (
            "P(Flu | Flu=yes)",
            "'Flu' is asked for and given\n\n    P(Flu | Flu=yes)\n      ^^^",
        ),
        (
            "P(Flu | Cough=not {none, dry, wet})",
            "this leaves no state of 'Cough'\n\n"
            "    P(Flu | Cough=not {none, dry, wet})\n"
            "            ^^^^^",
        ),
        (
            "P(Flu | Cough={none: 0, wet: 0})",
            "the likelihoods of 'Cough' must be 0 or more, and not all 0\n\n"
            "    P(Flu | Cough={none: 0, wet: 0})\n"
            "            ^^^^^",
        ),
        (
            "P(Flu | Cough=wet",
            "the query ends too early\n\n    P(Flu | Cough=wet\n                    ^" + LIKE,
        ),
        (
            "P(Flu Cough)",
            "this does not fit here: 'Cough'\n\n    P(Flu Cough)\n          ^^^^^" + LIKE,
        ),
        (
            "P(Flu | Cough=)",
            "this does not fit here: ')'\n\n    P(Flu | Cough=)\n                  ^" + LIKE,
        ),
        (
            "P(Cough | Flu=no, Flu=yes)",
            "the findings on 'Flu' contradict each other: Flu=no, Flu=yes",
        ),
        (
            'P("Age group" | Flu=no, Cough=wet)',
            "the network holds these findings impossible together: Flu=no, Cough=wet"
            "\n\nwithout any one of them the others are possible",
        ),
    ],
)
def test_what_is_wrong_with_a_query(text: str, message: str):
    with pytest.raises(tc.TacitError) as caught:
        tc.query(NETWORK, text)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"Cough": "wett"},
            "'Cough' has no state 'wett'; did you mean 'wet'?\n\nstates of 'Cough': none, dry, wet",
        ),
        (
            {"Coff": "wet"},
            "the network has no variable 'Coff'\n\nvariables: Age group, Flu, Cough",
        ),
        (
            {"Cough": {"wet": -1}},
            "the likelihoods of 'Cough' must be 0 or more, and not all 0",
        ),
        (
            {"Cough": {"wet": "much"}},
            "the likelihoods of 'Cough' must be numbers, not {'wet': 'much'}",
        ),
        ({"Cough": set()}, "this leaves no state of 'Cough'"),
        ("Cough=wet", 'findings are given like {"B": "b"}, not as \'Cough=wet\''),
        (
            {"Flu": "no", "Cough": {"wet"}},
            "'Flu' is asked for and given\n\n    Flu\n    ^^^",
        ),
    ],
)
def test_what_is_wrong_with_findings(given, message: str):
    with pytest.raises(tc.TacitError) as caught:
        tc.query(NETWORK, "Flu", given=given)
    assert str(caught.value) == message


def test_one_finding_that_is_impossible_alone():
    never = Network.of([table(FLU, [], [1, 0]), table(COUGH, [FLU], [0.5, 0.5, 0] * 2)])
    with pytest.raises(tc.ImpossibleError) as caught:
        tc.query(never, "Cough", given={"Flu": "yes"})
    assert str(caught.value) == "the network holds this finding impossible: Flu=yes"
    assert caught.value.findings == ("Flu=yes",)


def test_answers_asked_the_wrong_way():
    joint = tc.query(NETWORK, ["Flu", "Cough"])
    with pytest.raises(tc.QueryError) as caught:
        joint["no"]
    assert str(caught.value) == "P(Flu, Cough) is indexed by 2 states, not 1"
    with pytest.raises(tc.QueryError) as caught:
        float(joint)
    assert str(caught.value) == "P(Flu, Cough) has 6 values; index it by a state"
    with pytest.raises(tc.QueryError) as caught:
        tc.sensitivity(NETWORK, "P(Flu | Cough=dry)")
    assert str(caught.value) == (
        "P(Flu | Cough=dry) is a whole distribution; a slope needs one probability, "
        "for example P(Flu=... | ...)"
    )


REALS = Network.of(
    [
        table(FLU, [], [0.5, 0.5]),
        LinearGaussian((Continuous("X"),), [], 0, 1),
        LinearGaussian((Continuous("X"), Continuous("Y")), [1], 0, 1),
    ]
)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "P(X=1 | Y=2)",
            "'X' is continuous and has no states\n\n    P(X=1 | Y=2)\n      ^"
            "\n\nask for P(X > 1 | ...), or for the whole distribution, P(X)",
        ),
        (
            "P(Flu | X=high)",
            "'X' is continuous; a finding on it is a number, not 'high'"
            "\n\n    P(Flu | X=high)\n              ^^^^",
        ),
        (
            "P(Y | X={1, 2})",
            "'X' is continuous; a finding on it is a number\n\n    P(Y | X={1, 2})\n          ^",
        ),
        (
            "P(Flu=no, X | Y=1)",
            "'Flu' is held to a state beside a continuous target"
            "\n\n    P(Flu=no, X | Y=1)\n      ^^^"
            "\n\nask for it freely, or put it among the findings",
        ),
        ("P(X | X=1)", "'X' is asked for and given\n\n    P(X | X=1)\n      ^"),
    ],
)
def test_what_is_wrong_with_questions_about_reals(text: str, message: str):
    with pytest.raises(tc.QueryError) as caught:
        tc.query(REALS, text)
    assert str(caught.value) == message


def test_values_that_contradict_each_other():
    with pytest.raises(tc.ImpossibleError) as caught:
        tc.query(REALS, "P(X | Y=1)", given={"Y": 2})
    assert str(caught.value) == "the findings on 'Y' contradict each other: Y=1, Y=2"
    assert caught.value.findings == ("Y=1", "Y=2")


def test_what_normal_answers_do_not_know():
    joint = tc.query(REALS, ["X", "Y"])
    for wrong, message in (
        (lambda: float(joint), "P(X, Y) has 2 means; take mean[...] of one"),
        (
            lambda: joint.of("Z"),
            "P(X, Y) does not ask for 'Z'\n\nasked for: X, Y",
        ),
        (lambda: joint.where(Flu="no"), "P(X, Y) does not ask for the states of 'Flu'"),
        (
            lambda: tc.query(REALS, "P(X | Y=1)", method=tc.LikelihoodWeighting(10)),
            "tc.LikelihoodWeighting is for networks of discrete variables, and for curves"
            "\n\nleave out method=: with continuous variables the answer is exact",
        ),
    ):
        with pytest.raises(tc.QueryError) as caught:
            wrong()
        assert str(caught.value) == message


def test_what_mixtures_of_normals_cannot_say():
    network = mixed_network(1)
    for wrong, message in (
        (
            lambda: tc.most_probable(network, of=["X0"]),
            "the distribution of X0 is a mixture of normals, whose peak has no closed form\n\n"
            "ask tc.query for the mixture, or leave out of= for the most probable values of "
            "everything together",
        ),
        (
            lambda: tc.mutual_information(network, ["X0", "X1"], ["X2", "X3"]),
            "the distribution of these variables is a mixture of normals, whose information is an "
            "integral over 4 dimensions; it is computed for 3 at most\n\n"
            "ask about fewer continuous variables at once, or give more findings",
        ),
        (
            lambda: tc.sensitivity(network, "P(A0=a | X1=2)"),
            "tc.sensitivity is for probabilities that rest on tables alone; this one rests on the "
            "continuous 'X1'",
        ),
        (
            lambda: tc.divergence(network, network),
            "networks with continuous and discrete variables, here 'A0', are mixtures of normals, "
            "whose divergence has no closed form\n\n"
            "compare tc.log_likelihood of both on many cases of tc.sample",
        ),
        (
            lambda: tc.joint_normal(NETWORK),
            "the network has no continuous variable, so no joint normal",
        ),
    ):
        with pytest.raises(tc.TacitError) as caught:
            wrong()
        assert str(caught.value) == message


def test_unknown_rows_say_nothing_beside_reals_either():
    cases = {"Flu": ["no", "no", "no"], "Cough": ["dry", "wet", "none"], "X": [1.0, 2.5, 3.0]}
    dag = tc.Network.of([*(NETWORK[name] for name in NETWORK), REALS["X"]])
    cases["Age group"] = ["young"] * 3
    network = tc.fit(dag, cases, estimate=tc.ML(empty="nan")).network
    with pytest.raises(tc.NetworkError) as caught:
        tc.predict(network, {"X": [1.0]})
    assert str(caught.value).startswith('P(Flu | "Age group"=old) is unknown')


@pytest.mark.parametrize("empty", ["nan", "zeros"])
def test_rows_that_are_unknown_say_nothing(empty: str):
    cases = {"Age group": ["young"], "Flu": ["no"], "Cough": ["dry"]}
    network = tc.fit(NETWORK, cases, estimate=tc.ML(empty=empty)).network
    with pytest.raises(tc.NetworkError) as caught:
        tc.query(network, "Flu")
    assert str(caught.value) == (
        'P(Flu | "Age group"=old) is unknown, so nothing can be inferred from the network'
        "\n\nfill such rows when fitting: tc.ML(empty='uniform') or a prior"
    )


def test_a_network_too_wide_names_its_width_and_its_largest_clique():
    engine = engine_of(NETWORK)
    plan = engine.junction()
    cells = sum(prod(engine.layout.cards[v] for v in clique) for clique in plan.cliques.cliques)
    open_codes = engine.observe(()).codes
    needed = "exact inference needs 0.0 GiB, more than 0.0 GiB: width 1, largest clique 6 cells "
    with pytest.raises(tc.SizeError) as caught:
        check_size(plan, open_codes, limit=8 * cells - 1)
    assert str(caught.value) == (
        needed + "(Flu, Cough)"
        "\n\nadd findings, or ask for an approximation: method=tc.LikelihoodWeighting(100_000)"
    )
    check_size(plan, open_codes, limit=8 * cells)
    for check in (
        lambda: check_piece(engine.layout, plan.cliques, limit=8),
        lambda: check_cases(plan, open_codes[None, :], limit=8),
    ):
        with pytest.raises(tc.SizeError) as caught:
            check()
        assert str(caught.value) == (
            needed + "(Flu, Cough)"
            "\n\nobserve more of these variables, or give them fewer parents in common"
        )
