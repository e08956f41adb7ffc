"""What a search says when it cannot be made, or has to be read with care: the whole texts."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import tacit as tc

CASES = {
    "A": ["x", "y", "x", "x"] * 25,
    "B": ["u", "v", "u", "v"] * 25,
    "C": ["s", "s", "t", "t"] * 25,
}
REALS = {"X": [0.5, 1.5, 2.5, 4.0, 1.0] * 8, "G": ["lo", "hi", "hi", "lo", "lo"] * 8}
METHODS = (
    "one of tc.HillClimb, tc.Tabu, tc.IdealParent, tc.Exact, tc.ChowLiu, tc.TAN, "
    "tc.WeightAnnealing, tc.SimulatedAnnealing"
)
COLUMNS = "columns: A, B, C"
WRONG = "is not what a search keeps there"


def said(kind=tc.OptionError, data=CASES, **wishes):
    with pytest.raises(kind) as caught:
        tc.search(data, **wishes)
    assert type(caught.value) is kind
    return str(caught.value)


def test_missing_cells():
    gaps = {**CASES, "A": [None, None, "x", "y"] * 25, "B": ["u", None, "u", "v"] * 25}
    more = (
        "tc.structural_em learns dags from cases with gaps; "
        "tc.missing_as_state makes a state of them"
    )
    assert said(tc.MissingError, gaps) == f"75 cells are missing (A: 50, B: 25)\n\n{more}"
    one = {"A": ["x", "y", None], "B": ["u", "v", "u"]}
    assert said(tc.MissingError, one) == f"1 cell is missing (A: 1)\n\n{more}"


def test_nothing_to_search():
    with pytest.raises(tc.CasesError, match="there are columns but no cases"):
        tc.search({"A": []})
    with pytest.raises(tc.ColumnError, match="there are no columns to read"):
        tc.search({})
    assert said(tc.CasesError, leave_out=["A", "B", "C"]) == (
        "the cases have no columns, so there is nothing to search"
    )
    weightless = tc.read_cases({**CASES, "n": [0] * 100}, weights="n")
    assert said(tc.CasesError, weightless) == (
        "there are no cases to learn a dag from: none was given, or all weigh 0"
    )


def test_a_column_to_leave_out_that_is_not_there():
    assert said(tc.ColumnError, leave_out=["D"]) == (
        f"there is no column D to leave out\n\n{COLUMNS}"
    )
    near = {"Smoker": CASES["A"], "Cancer": CASES["B"]}
    assert said(tc.ColumnError, near, leave_out="Smokers") == (
        "there is no column Smokers to leave out; did you mean 'Smoker'?\n\ncolumns: Smoker, Cancer"
    )


def test_columns_that_say_nothing_and_are_kept_are_noted():
    names = [f"p{at}" for at in range(100)]
    quick = {"method": tc.HillClimb(restarts=0), "as_given": True}
    found = tc.search({**CASES, "Same": ["z"] * 100, "Who": names}, **quick)
    assert found.notes[:2] == (
        "'Who' has 100 states; a name or a number of each case is no variable",
        "Same has the same state in all cases: no arc can say anything of it",
    )
    silent = replace(tc.read_cases({"A": CASES["A"], "Who": names}), notes=())
    assert tc.search(silent, **quick).notes[0] == (
        "Who has another state in every case: it names cases rather than describes them; "
        "leave it out"
    )
    assert "Who" not in " ".join(tc.search(CASES, **quick).notes)
    both = tc.search(
        {"A": CASES["A"], "Who": names, "Whom": names}, method=tc.ChowLiu(), as_given=True
    )
    assert sum("Who" in note for note in both.notes) == 1


def test_a_column_that_numbers_the_cases_is_noted():
    told = "{} is another whole number in every case: if it numbers the cases, leave it out, "
    told += "leave_out=[{!r}]"
    numbers = {**CASES, "No": np.arange(100.0), "Real": np.arange(100) + 0.5, "Twice": [7.0] * 100}
    found = tc.search(numbers, method=tc.HillClimb(restarts=0))
    assert [note for note in found.notes if "whole number in" in note] == [told.format("No", "No")]
    without = tc.search(numbers, leave_out="No", method=tc.HillClimb(restarts=0))
    assert not any("whole number in" in note for note in without.notes)


def test_a_score_of_many_cases_is_written_out():
    weights = np.full(100, 2e4)
    heavy = tc.read_cases({**CASES, "w": weights}, weights="w")
    found = tc.search(heavy, method=tc.HillClimb(restarts=0))
    assert f"score {found.score:,.2f} nats" in str(found)
    assert found.score < -1e6
    assert "e+" not in str(found)


def test_one_column_alone_has_no_arcs():
    found = tc.search({"A": CASES["A"]}, method=tc.HillClimb(restarts=0))
    assert str(found).splitlines() == [
        "Search over 100 cases, HillClimb(restarts=0) with score BIC()",
        "score -58.54 nats after 0 changes, 0 restarts and 1 family scored",
        "log-likelihood -56.24 nats, parameters by Smoothed() with prior BDeu(1)",
        "stopped: the objective stopped improving",
        "no arcs",
    ]


def test_a_score_that_is_none():
    example = "score takes a value such as tc.BIC() or tc.BDeu(10), not"
    assert said(score=tc.BDeu) == f"{example} the class BDeu"
    assert said(score="bdeu") == f"{example} 'bdeu'"
    assert said(dag_prior=tc.ArcPenalty) == (
        "dag_prior takes a value such as tc.ArcPenalty(1), not the class ArcPenalty"
    )
    assert said(dag_prior=tc.ArcBeliefs({("A", "Q"): 0.3})) == (
        "the prior over dags names 'Q', which is no variable\n\nvariables: A, B, C"
    )


def test_a_score_for_other_columns():
    assert said(score=tc.BGe()) == (
        "BGe(1) scores continuous variables, and these cases have states"
        "\n\nuse tc.BIC() or tc.BDeu(10)"
    )
    tables = "for continuous variables use tc.BIC(), tc.AIC() or tc.BGe()"
    assert said(data=REALS, score=tc.BDeu(3)) == f"BDeu(3) scores tables only\n\n{tables}"
    assert said(data={"X": REALS["X"]}, score=tc.QNML()) == f"QNML scores tables only\n\n{tables}"
    assert said(data=REALS, score=tc.BGe()) == (
        "BGe(1) scores continuous variables only, and these cases have both kinds"
        "\n\nuse tc.BIC() or tc.AIC()"
    )


def test_a_prior_with_nothing_in_a_cell():
    assert said(score=tc.Dirichlet(0)) == (
        "Dirichlet(0) gives cells no weight: no marginal likelihood follows from it"
        "\n\nuse a strength above 0, for example tc.BDeu(1)"
    )
    partial = tc.Dirichlet({"B": [0, 2]})
    assert said(score=partial) == (
        f"{partial.describe()} gives cells of B no weight: no marginal likelihood follows from it"
        "\n\nuse a prior above 0 in every cell"
    )


def test_a_method_that_is_none():
    example = "method takes a value such as tc.HillClimb(), not"
    assert said(method=tc.Tabu) == f"{example} the class Tabu\n\n{METHODS}"
    assert said(method="tabu") == f"{example} 'tabu'\n\n{METHODS}"
    assert said(method=tc.WeightAnnealing(tc.EM())) == (
        "tc.search can anneal tc.HillClimb(), tc.Tabu(), not EM()"
        "\n\nfor example method=tc.WeightAnnealing(tc.Tabu())"
    )
    assert said(bootstrap=-1) == "bootstrap=-1 must be a whole number, 0 or more"
    assert said(bootstrap=True) == "bootstrap=True must be a whole number, 0 or more"
    assert said(prior="bdeu") == "prior takes a value such as tc.BDeu(1), not 'bdeu'"


@pytest.mark.parametrize(
    ("wishes", "message"),
    [
        ({"prior": []}, "prior takes a value such as tc.BDeu(1), not []"),
        ({"prior": np.ones(2)}, "prior takes a value such as tc.BDeu(1), not array([1., 1.])"),
        ({"estimate": tc.ML}, "estimate takes a value such as tc.ML(), not the class ML"),
        ({"estimate": {}}, "estimate takes a value such as tc.ML(), not {}"),
        ({"leave_out": 3}, "leave_out takes a name or a list of names, not 3"),
        ({"leave_out": b"A"}, "leave_out takes a name or a list of names, not b'A'"),
        ({"leave_out": ["A", 1]}, "leave_out takes a name or a list of names, not ['A', 1]"),
        ({"progress": "yes"}, "progress='yes' must be True or False"),
        ({"checkpoint": 3}, "checkpoint takes the path of a file, not 3"),
        ({"checkpoint": ""}, "checkpoint takes the path of a file, not ''"),
        ({"checkpoint": "kept", "resume": "yes"}, "resume='yes' must be True or False"),
    ],
)
def test_options_of_the_wrong_kind_are_refused_before_the_search(wishes, message):
    def heard(done, total, score):
        raise AssertionError("the search has begun")

    assert said(**{"progress": heard, **wishes}) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tc.BGe("1"), "mean_strength='1' must be a number of cases above 0"),
        (lambda: tc.BGe(None), "mean_strength=None must be a number of cases above 0"),
        (lambda: tc.BGe(1, []), "scale_strength=[] must be a number of cases above 0"),
        (lambda: tc.BGe(10**400), f"mean_strength={10**400} must be a number of cases above 0"),
        (lambda: tc.BDeu(10**400), f"the strength of a prior is a number of cases, not {10**400}"),
        (lambda: tc.ArcPenalty("1"), "an arc costs a finite number of nats, not '1'"),
        (
            lambda: tc.ArcBeliefs([("A", "B")]),
            'tc.ArcBeliefs takes a dict from arcs to beliefs, such as {("A", "B"): 0.9}, '
            "not [('A', 'B')]",
        ),
        (
            lambda: tc.ArcBeliefs({("A", "B"): "much"}),
            "the belief in A -> B must lie between 0 and 1, not 'much'"
            "\n\nto be certain, say require or forbid in knowledge=",
        ),
    ],
)
def test_scores_and_priors_of_what_is_no_number(make, message):
    with pytest.raises(tc.OptionError) as caught:
        make()
    assert str(caught.value) == message
    assert tc.BDeu(10**30).strength == 10**30


def test_a_target_or_root_that_is_no_column():
    assert said(method=tc.TAN("Q")) == f"the target Q is no column of the cases\n\n{COLUMNS}"
    assert (
        said(method=tc.TAN("A", root="Q")) == f"the root Q is no column of the cases\n\n{COLUMNS}"
    )
    assert said(method=tc.ChowLiu(root="Q")) == (
        f"the root Q is no column of the cases\n\n{COLUMNS}"
    )


def test_a_continuous_target_has_no_discrete_children():
    data = {**REALS, "K": REALS["G"][::-1]}
    assert said(data=data, method=tc.TAN("X")) == (
        "no distribution joins the parent and the child X and G"
        "\n\nanother method takes it, for example tc.HillClimb()"
    )


def test_a_start_that_is_none():
    assert (
        said(start="A -> X") == f"the start names X, which is no column of the cases\n\n{COLUMNS}"
    )
    assert said(start=3) == ("a structure is a Dag, its text, a Network or a file of one, not int")
    assert said(tc.FormatError, start="none.bif") == "there is no file 'none.bif'"


def test_a_start_against_rules():
    assert said(tc.KnowledgeError, start="A -> B", knowledge="forbid A -> B") == (
        "the start has the arc A -> B, which a rule forbids"
        "\n\n    line 1: forbid A -> B\n\nstart without the arc, or drop the rule"
    )
    assert said(tc.KnowledgeError, start="C -> B", knowledge="require B -> A") == (
        "the start lacks the arc B -> A, which a rule requires"
        "\n\n    line 1: require B -> A\n\nstart with the arc, or drop the rule"
    )
    crowded = said(tc.KnowledgeError, start="A -> B <- C", method=tc.HillClimb(most_parents=1))
    assert crowded == (
        "in the start B has 2 parents, and at most 1 are allowed\n\nstart with fewer, or allow more"
    )


def test_arcs_that_no_family_joins():
    end = "turn the arc round, or make the continuous one discrete with tc.discretise"
    assert said(tc.KnowledgeError, REALS, knowledge="require X -> G") == (
        "X -> G is required, but G is discrete and X continuous: no family joins the two"
        f"\n\n    line 1: require X -> G\n\n{end}"
    )
    with pytest.raises(tc.NetworkError, match="G is discrete and its parent X is continuous"):
        tc.search(REALS, start="X -> G")


def test_columns_that_are_functions_of_each_other_and_must_be_joined():
    data = {**REALS, "Twice": [1.1 * x for x in REALS["X"]]}
    for wishes in (
        {"knowledge": "require X -> Twice", "method": tc.HillClimb(restarts=1)},
        {"start": "X -> Twice; G", "method": tc.HillClimb(max_steps=0)},
    ):
        assert said(tc.KnowledgeError, data, **wishes) == (
            "Twice has no distribution given X: among these columns one is a linear function of "
            "others\n\nleave such a column out, or the rules or the start that join them"
        )


def test_rules_that_cannot_be_kept_together():
    assert said(tc.ConflictError, knowledge="require A -> B\nrequire B -> A") == (
        "2 rules contradict each other\n\n"
        "    line 1: require A -> B\n                    ^^^^^^\n"
        "    line 2: require B -> A\n                    ^^^^^^\n\n"
        "the arcs form a cycle: A -> B -> A\n\nchange or leave out one"
    )
    both = "require A -> B\nrequire C -> B"
    assert said(tc.ConflictError, knowledge=both, method=tc.Tabu(most_parents=1)) == (
        "at most 1 parent cannot be kept: 2 parents of B must be there: A, C\n\n"
        "    line 1: require A -> B\n    line 2: require C -> B\n\n"
        "let a variable have 2 parents, or change or leave out rules"
    )


def test_resuming_and_checkpoints(tmp_path):
    assert said(resume=True) == "resume=True needs checkpoint=, the file to go on from"
    kept = tmp_path / "kept"
    for method in (tc.Exact(), tc.ChowLiu(), tc.TAN("A"), tc.SimulatedAnnealing()):
        assert said(method=method, checkpoint=kept) == (
            f"{method.describe()} keeps no checkpoint: leave checkpoint= out"
            "\n\ntc.HillClimb() and tc.Tabu() do"
        )
    assert not kept.exists()


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "kept"
    tc.search(CASES, method=tc.Tabu(5, restarts=1), seed=1, checkpoint=path)
    return path


def resumed(path, kind=tc.FormatError, **wishes):
    usual = {"method": tc.Tabu(5, restarts=1), "seed": 1}
    text = said(kind, **{**usual, **wishes, "checkpoint": path, "resume": True})
    start = f"{path}: "
    assert text.startswith(start)
    return text.removeprefix(start)


def test_a_checkpoint_of_another_search(kept):
    end = "resume with the same cases, structure and settings, or choose another file"
    for wishes, what in (
        ({"score": tc.BDeu(1)}, "score, score of the start"),
        ({"method": tc.Tabu(6, restarts=1)}, "method"),
        ({"seed": 2}, "seed"),
        ({"knowledge": "forbid A -> B"}, "knowledge"),
        ({"start": "A -> B"}, "score of the start, start"),
        ({"dag_prior": tc.ArcPenalty(1)}, "dag_prior"),
    ):
        assert resumed(kept, tc.OptionError, **wishes) == (
            f"the checkpoint belongs to another search; these differ: {what}\n\n{end}"
        )
    shorter = {name: column[:50] for name, column in CASES.items()}
    text = resumed(kept, tc.OptionError, data=shorter)
    assert "these differ: cases, score of the start" in text


def test_a_file_that_is_no_checkpoint_of_a_search(kept):
    other = "this is no checkpoint of a search, or it was cut short; start without it"
    whole = kept.read_text()
    for text in ("", whole[:100], "[]", '{"format": "tacit-checkpoint"}'):
        kept.write_text(text)
        assert resumed(kept) == other
    plain = json.loads(whole)
    kept.write_text(json.dumps({**plain, "version": 9}))
    assert resumed(kept) == (
        "version 9 of checkpoints is not known here; this release reads version 1"
    )


def test_a_checkpoint_without_its_walk(kept):
    plain = json.loads(kept.read_text())
    del plain["walk"]
    kept.write_text(json.dumps(plain))
    assert resumed(kept) == "the checkpoint is damaged; start without it"


def _cycle(walk):
    walk["best"] = walk["now"] = [[1], [0], []]


@pytest.mark.parametrize(
    "damage",
    [
        lambda walk: walk.pop("now"),
        lambda walk: walk.pop("random"),
        lambda walk: walk.update(best=[[1], [], [7]]),
        lambda walk: walk.update(best=[[], []]),
        _cycle,
        lambda walk: walk.update(best=[[], [], []]),
        lambda walk: walk.update(highest="high"),
        lambda walk: walk.update(highest=walk["highest"] + 1),
        lambda walk: walk.update(visited=[-1]),
        lambda walk: walk.update(changes=[[9, 0, 1, 0.5, -1, 0]]),
        lambda walk: walk.update(changes=[[0, 0, 8, 0.5, -1, 0]]),
        lambda walk: walk.update(changes=[[0, 0, 1]]),
        lambda walk: walk.update(changes=[[0, 0, 1, 0.5, -1, -2]]),
        lambda walk: walk.update(restarts=-1),
        lambda walk: walk.update(trace=["x"]),
        lambda walk: walk.update(random={"bit_generator": "Dice"}),
        lambda walk: walk.update(evaluations="many"),
        lambda walk: walk.update(chosen_at=[[5]]),
    ],
)
def test_a_damaged_checkpoint(kept, damage):
    plain = json.loads(kept.read_text())
    damage(plain["walk"])
    kept.write_text(json.dumps(plain))
    assert resumed(kept) == "the checkpoint is damaged; start without it"


@pytest.mark.parametrize(
    ("keys", "value", "what"),
    [
        ([], 3, "it is no description of one"),
        (["score"], None, "its 'score' is missing"),
        (["score"], "high", f"its 'score' {WRONG}"),
        (["families"], {"A": 1.0}, "its 'families' are not those of the network"),
        (["families"], [1, 2], f"its 'families' {WRONG}"),
        (["gains"], [], "its 'gains' are not of the arcs of the network"),
        (["gains"], [["A", "Q", 1.0]], f"its 'gains' {WRONG}"),
        (["required"], [["A", "B"]], f"its 'required' {WRONG}"),
        (["evaluations"], -1, f"its 'evaluations' {WRONG}"),
        (["restarts"], 1.5, f"its 'restarts' {WRONG}"),
        (["guidance"], [3], f"its 'guidance' {WRONG}"),
        (["moves"], [["turn", "A", "B", 1.0, None, 0]], f"its 'moves' {WRONG}"),
        (["moves", 0, 1], "Q", f"its 'moves' {WRONG}"),
        (["confidence", "shares"], [[2.0]], f"its 'confidence' {WRONG}"),
        (["confidence", "names"], ["A", "A", "B"], f"its 'confidence' {WRONG}"),
        (["confidence"], {}, f"its 'confidence' {WRONG}"),
        (["hidden"], {"H": "two"}, f"its 'hidden' {WRONG}"),
    ],
)  # fmt: skip
def test_a_saved_search_that_is_damaged(tmp_path, keys, value, what):
    path = tmp_path / "search.json"
    tc.search(CASES, method=tc.HillClimb(restarts=0), bootstrap=1, seed=1).save(path)
    plain = json.loads(path.read_text())
    *way, last = ["search", *keys]
    here = plain
    for key in way:
        here = here[key]
    if value is None:
        del here[last]
    else:
        here[last] = value
    path.write_text(json.dumps(plain))
    with pytest.raises(tc.FormatError) as caught:
        tc.load_fit(path)
    assert str(caught.value) == f"{path}: what the saved search says is damaged: {what}"


def test_a_change_that_is_none():
    here = tc.score("A -> B; C", CASES)
    example = 'write for example "add A -> B", "delete A -> B" or "reverse A -> B"'
    for text in ("", "add", "turn A -> B", "add A", "add A -> B -> C", 3, None):
        with pytest.raises(tc.OptionError) as caught:
            here.gain(text)
        assert str(caught.value) == f"{text!r} is no change of one arc\n\n{example}"
    for text, kind, what in (
        ("add A -> B", tc.DagError, "the dag has the arc A -> B"),
        ("delete B -> A", tc.DagError, "the dag does not have the arc B -> A"),
        ("reverse A -> C", tc.DagError, "the dag does not have the arc A -> C"),
        ("add A -> Q", tc.OptionError, "the dag has no variable Q"),
        ("add B -> A", tc.CycleError, "the arcs form a cycle: A -> B -> A"),
    ):
        with pytest.raises(kind) as caught:
            here.gain(text)
        assert str(caught.value).split("\n")[0] == what
    for parents, what in (
        (["Q"], "the dag has no variable Q"),
        (["A"], "A is no parent of itself"),
        (["B", "B"], "the parent B is named twice"),
    ):
        with pytest.raises(tc.OptionError) as caught:
            here.family("A", parents)
        assert str(caught.value) == what


def test_a_dag_with_what_nobody_measured_has_no_score_of_this_kind():
    with pytest.raises(tc.ColumnError) as caught:
        tc.score("A -> B; H -> A", CASES)
    assert str(caught.value) == (
        f"the cases have no column 'H'\n\n{COLUMNS}\n\na dag is scored on what was measured: "
        "tc.cheeseman_stutz scores networks with hidden variables"
    )


def test_how_sure_an_arc_is_asked_in_the_wrong_words():
    sure = tc.search(CASES, method=tc.ChowLiu(), bootstrap=2, seed=1).confidence
    with pytest.raises(tc.OptionError) as caught:
        sure.link("A", "Q")
    assert str(caught.value) == "there is no variable Q"
    with pytest.raises(tc.OptionError) as caught:
        sure.averaged(2)
    assert str(caught.value) == "threshold=2 must be a share from 0 to 1"
    assert np.isfinite(sure.threshold)


def test_parents_and_thresholds_that_are_none():
    here = tc.score("A -> B; C", CASES)
    assert here.family("B", "A") == here["B"]
    with pytest.raises(tc.OptionError) as caught:
        here.family("B", 3)
    assert str(caught.value) == "parents takes a name or a list of names, not 3"
    for ask in (lambda: here["Q"], lambda: here.family("Q", ())):
        with pytest.raises(tc.OptionError) as caught:
            ask()
        assert str(caught.value) == "the dag has no variable Q"
    sure = tc.search(CASES, method=tc.ChowLiu(), bootstrap=1, seed=1).found.confidence
    with pytest.raises(tc.OptionError) as caught:
        sure.arc("A", 3)
    assert str(caught.value) == "there is no variable 3"
    for threshold in ("half", [0.5], float("nan"), 1.5):
        with pytest.raises(tc.OptionError) as caught:
            sure.averaged(threshold)
        assert str(caught.value) == f"threshold={threshold!r} must be a share from 0 to 1"
