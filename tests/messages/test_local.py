"""What is said of wishes about local structure that cannot be granted, in full."""

from __future__ import annotations

import pytest

import tacit as tc
from tacit.core.variables import Discrete

CASES = {"A": ["no", "yes", "yes"], "B": ["a", "b", "b"], "X": ["no", "yes", "no"]}
A, B = Discrete("A", ("no", "yes")), Discrete("B", ("a", "b"))
X = Discrete("X", ("no", "yes"))
ASKS = tc.TreeTable.of(X, (A, B), {"B": {"a": [0.5, 0.5], "b": [0.1, 0.9]}})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"families": {"X": tc.GrowTree(score=tc.QNML())}},
            "QNML() does not score single rows, of which local structure is made"
            "\n\nuse tc.BIC(), tc.AIC(), tc.BDeu(10) or tc.K2()",
        ),
        (
            {"families": tc.TreeTable, "estimate": tc.ML(empty="nan")},
            "the rows of the tree-table of X are all known: empty='nan' leaves some open"
            "\n\nuse empty='uniform' or a prior",
        ),
        (
            {"families": {"X": ASKS}, "knowledge": "X ignores B when A=yes"},
            "line 1: the rows given for 'X' depend on 'B' there\n\n"
            "    X ignores B when A=yes\n"
            "    ^^^^^^^^^^^^^^^^^^^^^^\n\n"
            "give tc.TreeTable alone, and a tree is grown",
        ),
        (
            {"families": tc.TreeTable, "knowledge": "X ignores B when A=yes confidence 0.9"},
            "X is to share rows: rules said with less than certainty are weighed among "
            "tables only: X ignores B when A=yes confidence 0.9"
            "\n\nleave out its confidence, or families=",
        ),
        (
            {"families": tc.TreeTable, "knowledge": "X ignores B when A=maybe"},
            "line 1: 'A' has no state 'maybe'\n\n"
            "    X ignores B when A=maybe\n"
            "                       ^^^^^\n\n"
            "states of 'A': no, yes",
        ),
        (
            {"families": tc.DefaultTable, "knowledge": "X ignores B when A=yes"},
            "a default table cannot be made to obey a rule\n\n"
            "    line 1: X ignores B when A=yes\n\n"
            "give X a tree table: tc.TreeTable",
        ),
        (
            {"families": tc.TreeTable, "knowledge": "P(X=yes | A=yes, B=a) >= 0.5"},
            "line 1: 'X' has no table of probabilities\n\n"
            "    P(X=yes | A=yes, B=a) >= 0.5\n"
            "      ^\n\n"
            "such rules speak of discrete variables whose family is a table",
        ),
    ],
)
def test_what_shared_rows_cannot_do_is_said(options, message):
    with pytest.raises(tc.TacitError) as caught:
        tc.fit("A -> X <- B", CASES, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: tc.GrowTree(tests="all"),
         "tests='all' is no kind of question\n\nthere are: any, states, one"),
        (lambda: tc.GrowTree(score="bic"),
         "score takes a value such as tc.BIC() or tc.BDeu(10), not 'bic'"),
        (lambda: tc.TreeTable.of(X, (A,), {"A": {"yes": [0.5, 0.5]}}),
         "'A'='no' leads nowhere in the tree"),
        (lambda: tc.TreeTable.of(X, (A,), {"C": {"yes": [0.5, 0.5]}}),
         "the tree of X asks for 'C', which is no parent\n\nparents: A"),
        (lambda: tc.DefaultTable.of(X, (A, B), {"yes": [0.5, 0.5]}, [0.5, 0.5]),
         "a row of X is listed under a state of each of its 2 parents, not under 'yes'"),
    ],
)  # fmt: skip
def test_what_is_no_tree_and_no_list_is_said(make, message):
    with pytest.raises(tc.TacitError) as caught:
        make()
    assert str(caught.value) == message
