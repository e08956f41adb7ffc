"""What structural EM says about input that it cannot use: whole messages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as tc
from gappy import gappy, leaves_of
from tacit.learn.structure import sem_writing

TRUTH = leaves_of("H", "ABC")
DATA = gappy(TRUTH, 30, 0.1, hidden="H")
GAPS = tc.Dataset(
    {"A": TRUTH.variables["A"], "N": tc.Continuous("N")},
    {"A": np.zeros(5, dtype=np.int64), "N": np.full(5, np.nan)},
)
MIXED = {"X": np.arange(20.0) + 0.5, "G": ["u", "v", "v", "u"] * 5}
REAL = tc.Dataset({"X": tc.Continuous("X")}, {"X": np.arange(5.0)})
TWICE = {
    name: np.random.default_rng(at).normal(size=60) + np.random.default_rng(9).normal(size=60)
    for at, name in enumerate("XYZ")
}
FLAT = tc.Dataset(
    {name: tc.Continuous(name) for name in "XYZ"},
    {"X": np.array([1.0, 2, 5, 4, 3, 9]), "Y": np.array([2.0, 5, 1, 1, 7, np.nan]),
     "Z": np.array([3.0, 1, 2, 8, 6, 4])},
)  # fmt: skip


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (
            {"X": [1e200, None, *np.arange(0.5, 9)], "Y": np.arange(0.25, 11)},
            {},
            "X has values as large as 1e+200, and the squares of such numbers cannot be computed "
            "with\n\nexpress the column in another unit, between 1e-75 and 1e+75",
        ),
        (
            FLAT.with_weights(np.zeros(6)),
            {},
            "there are no cases to learn a dag from: none was given, or all weigh 0",
        ),
        (
            FLAT.with_weights(np.zeros(6)),
            {"hidden": {"H": 2}},
            "there are no cases to learn a dag from: none was given, or all weigh 0",
        ),
        (
            {**TWICE, "C": TWICE["X"]},
            {"families": tc.SigmoidGaussian, "seed": 1},
            "the noise of X shrinks to nothing: some cases lie on an exact function of its "
            "parents, and the likelihood of what was observed has no maximum\n\n"
            "leave the column out, or what it is a function of",
        ),
        *(
            (
                FLAT.with_weights(np.eye(6)[case]),
                hidden,
                "X has the same value in all cases, so no Gaussian fits it\n\nleave the column out",
            )
            for case in (0, 5)
            for hidden in ({}, {"hidden": {"H": 2}})
        ),
        (DATA, {"hidden": {"A": 2}}, "'A' has a column in the cases, so it is not hidden"),
        (
            DATA,
            {"hidden": {"H": 1}},
            "hidden variable 'H' needs 2 states or more, as a number or by name, not 1",
        ),
        (DATA, {"hidden": 2}, 'hidden=2 must be "rest" or a mapping like {"H": 3}'),
        (
            DATA,
            {"hidden": "rest"},
            'hidden="rest" needs a network that gives the hidden variables states',
        ),
        (
            DATA,
            {"start": "A -> Bb"},
            "the start names Bb, which is no column of the cases; did you mean 'B'?\n\n"
            "columns: A, B, C\n\n"
            "a variable that no column measures is named by hidden={'Bb': 2}",
        ),
        (
            DATA,
            {"start": "H -> A", "hidden": {"G": 2}},
            "the start names H, which is no column of the cases\n\ncolumns: A, B, C\n\n"
            "a variable that no column measures is named by hidden={'H': 2}",
        ),
        (
            DATA,
            {"start": "A -> H; B", "hidden": {"H": 2}},
            "the hidden variable H has no child in the dag to start from, so the cases say "
            "nothing about it\n\nstart from a dag in which it has children; rules and bounds on "
            "parents must leave room for them",
        ),
        (
            DATA,
            {"knowledge": "forbid H -> *", "hidden": {"H": 2}},
            "the hidden variable H has no child in the dag to start from, so the cases say "
            "nothing about it\n\nstart from a dag in which it has children; rules and bounds on "
            "parents must leave room for them",
        ),
        (
            DATA,
            {"start": "A -> B", "knowledge": "forbid A -> B"},
            "the start has the arc A -> B, which a rule forbids\n\n    line 1: forbid A -> B\n\n"
            "start without the arc, or drop the rule",
        ),
        (
            DATA,
            {"around": "G", "hidden": {"H": 2}},
            "around='G' names no hidden variable\n\nhidden variables: H",
        ),
        (DATA, {"around": "A"}, "around='A' names no hidden variable; name them by hidden="),
        (
            DATA,
            {"variant": "map"},
            "variant='map' goes by tc.BIC(), tc.MDL() or alike as score, and the score is BDeu(5)"
            "\n\nleave variant out, or choose such a score",
        ),
        (
            DATA,
            {"variant": "bayes", "score": tc.BIC()},
            "variant='bayes' goes by a prior, such as tc.BDeu(5) as score, and the score is BIC()"
            "\n\nleave variant out, or choose such a score",
        ),
        (DATA, {"variant": "both"}, "variant='both' must be one of bayes, map"),
        (DATA, {"variant": []}, "variant=[] must be one of bayes, map"),
        (DATA, {"prior": 3}, "prior takes a value such as tc.BDeu(1), not 3"),
        (DATA, {"around": 3}, "around takes a name or a list of names, not 3"),
        (DATA, {"leave_out": True}, "leave_out takes a name or a list of names, not True"),
        (DATA, {"checkpoint": 3}, "checkpoint takes the path of a file, not 3"),
        (
            DATA,
            {"method": tc.TAN("A")},
            "method takes tc.HillClimb() or tc.Tabu() here, or tc.WeightAnnealing() of one, "
            "not TAN('A'): the search of each round goes from dag to dag",
        ),
        (
            DATA,
            {"method": tc.HillClimb},
            "method takes tc.HillClimb() or tc.Tabu() here, or tc.WeightAnnealing() of one, "
            "not the class HillClimb: the search of each round goes from dag to dag",
        ),
        (
            DATA,
            {"method": tc.WeightAnnealing(tc.EM())},
            "tc.structural_em can anneal tc.Tabu(), tc.HillClimb(), not EM()"
            "\n\nfor example method=tc.WeightAnnealing(tc.HillClimb())",
        ),
        (DATA, {"restarts": 0}, "restarts=0 must be a whole number, 1 or more"),
        (DATA, {"steps": 1.5}, "steps=1.5 must be a whole number, 1 or more"),
        (DATA, {"max_rounds": True}, "max_rounds=True must be a whole number, 1 or more"),
        (DATA, {"resume": True}, "resume=True needs checkpoint=, the file to go on from"),
        (
            DATA,
            {"score": "bic"},
            "score takes a value such as tc.BIC() or tc.BDeu(10), not 'bic'",
        ),
        (
            DATA,
            {"score": tc.BGe()},
            "BGe(1) scores continuous variables, and missing cells are inferred in networks of "
            "discrete variables only\n\nuse tc.BIC() or tc.BDeu(5)",
        ),
        (
            MIXED,
            {"score": tc.BDeu(5)},
            "BDeu(5) scores tables only\n\nfor continuous variables use tc.BIC(), tc.AIC() or "
            "tc.BGe()",
        ),
        (
            MIXED,
            {"score": tc.BGe()},
            "BGe(1) scores continuous variables only, and these cases have both kinds\n\n"
            "use tc.BIC() or tc.AIC()",
        ),
        (
            {**MIXED, "Y": np.full(20, 2.5)},
            {"as_given": True},
            "Y has the same value in all cases, so no Gaussian fits it\n\nleave the column out",
        ),
        (
            MIXED,
            {"method": tc.WeightAnnealing(tc.HillClimb())},
            "tc.WeightAnnealing(...) anneals cases whose columns all have states\n\nleave it out",
        ),
        (
            DATA,
            {"method": tc.IdealParent()},
            "method takes tc.HillClimb() or tc.Tabu() here, or tc.WeightAnnealing() of one, "
            "not IdealParent(): the search of each round goes from dag to dag",
        ),
        *(
            (
                columns,
                {"method": tc.IdealParent(hidden=True)},
                "IdealParent(hidden=True) looks for hidden parents, and the search of each round "
                "is for arcs\n\nleave out hidden=True; tc.search finds hidden parents of complete "
                "columns",
            )
            for columns in (MIXED, {"X": MIXED["X"]})
        ),
        (
            MIXED,
            {"knowledge": "require X -> G"},
            "X -> G is required, but G is discrete and X continuous: no family joins the two"
            "\n\n    line 1: require X -> G\n\n"
            "turn the arc round, or make the continuous one discrete with tc.discretise",
        ),
        (
            MIXED,
            {"hidden": {"H": 2}, "knowledge": "require X -> H"},
            "X -> H is required, but H is discrete and X continuous: no family joins the two"
            "\n\n    line 1: require X -> H\n\n"
            "turn the arc round, or make the continuous one discrete with tc.discretise",
        ),
        (
            MIXED,
            {"hidden": {"H": "continuous"}, "start": "H -> X"},
            "'H' is hidden and continuous: the hidden variables of structural EM have states\n\n"
            "say how many states it has: hidden={'H': 2}; hidden parents of continuous columns "
            "without states are found by tc.search(data, method=tc.IdealParent(hidden=True))",
        ),
        (
            GAPS,
            {"hidden": {"N": 2}, "knowledge": "at most 1 parent for A"},
            "the column 'N' has no value in any case, so nothing says what its states are\n\n"
            "leave the column out, leave_out=['N'], and say how many there are: hidden={'N': 2}",
        ),
        (
            GAPS,
            {},
            "no column is left to learn from: 'N' (empty); 'A' (one value throughout)\n\n"
            "as_given=True keeps them",
        ),
        (
            DATA.take(np.arange(0)),
            {},
            "there are no cases to learn a dag from: none was given, or all weigh 0",
        ),
        (
            DATA.select([]),
            {},
            "the cases have no columns, so there is nothing to learn from",
        ),
        (
            DATA,
            {"knowledge": "P(A=a) <= 0.5 confidence 0.9"},
            "'P(A=a) <= 0.5 confidence 0.9' is said with less than certainty, and structural "
            "EM takes rules about tables that are certain\n\nleave it out, and fit the dag that is "
            "found with tc.fit, which weighs such rules",
        ),
        (DATA, {"start": "lost.dag"}, "there is no file 'lost.dag'"),
    ],
)
def test_messages(data: tc.Dataset, options: dict[str, Any], message: str) -> None:
    with pytest.raises(tc.TacitError) as raised:
        tc.structural_em(data, **options)
    assert str(raised.value) == message


def test_checkpoints_of_other_work_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    tc.structural_em(DATA, seed=1, checkpoint=path)
    with pytest.raises(tc.OptionError) as raised:
        tc.structural_em(DATA, seed=2, checkpoint=path, resume=True, steps=3)
    assert str(raised.value) == (
        f"{path}: the checkpoint belongs to another search; these differ: seed, steps\n\n"
        "resume with the same cases, structure and settings, or choose another file"
    )
    text = path.read_text()
    for damaged, told in (
        (
            text[: len(text) // 2],
            "this is no checkpoint of structural EM, or it was cut short; start without it",
        ),
        (
            text.replace('"version": 1', '"version": 7', 1),
            "version 7 of checkpoints is not known here; this release reads version 1",
        ),
        (
            text.replace('"trace"', '"tracks"', 1),
            "the checkpoint is damaged; start without it",
        ),
    ):
        path.write_text(damaged)
        with pytest.raises(tc.FormatError) as broken:
            tc.structural_em(DATA, seed=1, checkpoint=path, resume=True)
        assert str(broken.value) == f"{path}: {told}"


def test_too_much_missing_to_keep_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sem_writing, "MOST_STATES", 20)
    with pytest.raises(tc.SizeError) as raised:
        tc.structural_em(DATA, hidden={"H": 30}, seed=1, restarts=1)
    found = re.fullmatch(
        r"what is missing in the cases has (\d+) joint states, and 20 can be kept at a time\n\n"
        "take fewer cases, hide fewer variables or give them fewer states, or allow fewer parents",
        str(raised.value),
    )
    assert found is not None
    assert int(found[1]) % 30 == 0


def test_messages_of_the_cheeseman_stutz_score() -> None:
    with pytest.raises(tc.OptionError) as raised:
        tc.cheeseman_stutz(TRUTH, DATA, tc.BIC())
    assert str(raised.value) == "prior takes a value such as tc.BDeu(1), not BIC()"
    line = tc.fit("X", REAL)
    with pytest.raises(tc.OptionError) as raised:
        tc.cheeseman_stutz(line, REAL)
    assert str(raised.value) == (
        "X is continuous: the Cheeseman-Stutz score is of tables only\n\n"
        "make it discrete with tc.discretise"
    )
