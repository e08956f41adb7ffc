"""What agglomeration says of questions that make no sense: the whole texts."""

from __future__ import annotations

import numpy as np
import pytest

import tacit as tc
from tacit.learn.unseen.em_cardinality import em_cardinality
from tacit.learn.unseen.round_robin import agglomerate_all

CASES = {"A": ["x", "y", "x"] * 20, "B": ["u", "v", "u"] * 20, "R": [0.5, 1.5, 2.5] * 20}
DAG = "H -> A; H -> B"


def said(kind, call, *given, **options):
    with pytest.raises(kind) as caught:
        call(*given, **options)
    assert type(caught.value) is kind
    return str(caught.value)


@pytest.mark.parametrize(
    ("kind", "given", "options", "text"),
    [
        (tc.OptionError, (CASES, DAG, "H"), {"prior": "flat"},
         "prior='flat' must be one of per_cell, summed, uniform_k"),
        (tc.OptionError, (CASES, DAG, "H"), {"strength": 0}, "strength=0 must be a number above 0"),
        (tc.OptionError, (CASES, DAG, "H"), {"strength": "5"},
         "strength='5' must be a number above 0"),
        (tc.OptionError, (CASES, DAG, "H"), {"init": "mb"},
         "init='mb' must be \"blanket\" or \"case\""),
        (tc.OptionError, (CASES, DAG, ["H"]), {},
         "hidden=['H'] must be the name of one variable"),
        (tc.DagError, (CASES, DAG, "K"), {},
         "the dag has no variable 'K'\n\nvariables: H, A, B"),
        (tc.OptionError, (CASES, DAG, "A"), {},
         "A has a column in the cases, so it is not hidden\n\nleave the column out to see how many "
         "states agglomeration gives it"),
        (tc.OptionError, (CASES, "A -> H", "H"), {},
         "H has no child in the dag, so the cases say nothing about it"),
        (tc.ColumnError, (CASES, "H -> A; H -> C", "H"), {},
         "C, in the blanket of H, is no column of the cases\n\ncolumns: A, B, R"),
        (tc.OptionError, (CASES, "H -> A; H -> R", "H"), {},
         "R is continuous: states are merged by tables only\n\n"
         "make it discrete with tc.discretise"),
        (tc.CasesError, ({"A": ["x", None], "B": [None, "u"]}, DAG, "H"), {},
         "no case has all of the blanket of H: A, B"),
    ],
)  # fmt: skip
def test_what_cannot_be_merged(kind, given, options, text):
    assert said(kind, tc.agglomerate, *given, **options) == text


def test_numbers_of_states_that_are_not_there():
    found = tc.agglomerate(CASES, DAG, "H")
    assert said(tc.OptionError, found.assignment, 3) == "states=3 must be a number from 1 to 2"
    assert said(tc.OptionError, found.completed, 0) == "states=0 must be a number from 1 to 2"
    assert said(tc.OptionError, found.start, 1) == (
        "with one state H says nothing: there is nothing to start from\n\n"
        "remove it from the dag, or ask for 2 states or more"
    )


def test_several_hidden_variables():
    assert said(tc.OptionError, agglomerate_all, CASES, DAG, "H") == (
        "hidden='H' must list the names of hidden variables"
    )
    assert said(tc.ColumnError, agglomerate_all, CASES, "H -> K; K -> A; H -> B", ["H"]) == (
        "K, in the blanket of H, is no column of the cases\n\n"
        "name it among the hidden variables, or add its column\n\ncolumns: A, B, R"
    )
    gaps = {"A": ["x", None], "B": [None, "u"]}
    assert said(tc.CasesError, agglomerate_all, gaps, "H -> K; K -> A; H -> B", ["H", "K"]) == (
        "no case has all of the blankets of H, K: B, A"
    )


def test_the_baseline():
    assert said(tc.OptionError, em_cardinality, CASES, DAG, "H", most=0) == (
        "most=0 must be a whole number, 1 or more"
    )


def test_notes_of_cases_that_are_left_out():
    data = tc.read_cases({"A": ["x", None, "y"], "B": ["u", "v", "v"]})
    note = "1 case has a missing cell in the blanket, or no weight, and no part in this"
    assert tc.agglomerate(data, DAG, "H").notes == (note,)
    weighted = data.with_weights(np.array([1.0, 1.0, 0.0]))
    note = "2 cases have a missing cell in the blanket, or no weight, and no part in this"
    assert tc.agglomerate(weighted, DAG, "H").notes == (note,)
