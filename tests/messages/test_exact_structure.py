"""What exact search and tree learning say when they cannot do what was asked, in full."""

from __future__ import annotations

import numpy as np
import pytest

from tacit.core.errors import KnowledgeError, OptionError, SizeError
from tacit.engines import subset_scores
from tacit.engines.subset_scores import family_scores
from tacit.knowledge.limits import Limits
from tacit.learn.structure import exact
from tacit.learn.structure.exact import best_dag, check_size
from tacit.learn.structure.methods_exact import Exact
from tacit.learn.structure.trees import chow_liu, tan

NAMES = ("Class", "A", "B", "long name")


class Flat:
    """A scorer to whom all families are worth the same, except those with no distribution."""

    def __init__(self, names=NAMES, none=()):
        self.names, self.none = names, none

    def family(self, child, parents):
        return -np.inf if (child, parents) in self.none else 0.0

    def adding(self, child, parents, candidates):
        return np.zeros(candidates.size)


def limits(required=(), forbidden=(), most=3):
    free = Limits.none(NAMES)
    needed, allowed = free.required.copy(), free.allowed.copy()
    for tail, head in required:
        needed[NAMES.index(tail), NAMES.index(head)] = True
    for tail, head in forbidden:
        allowed[NAMES.index(tail), NAMES.index(head)] = False
    return Limits(NAMES, needed, allowed, np.full(4, most))


def said(kind, call, *given, **more):
    with pytest.raises(kind) as caught:
        call(*given, **more)
    return str(caught.value)


def test_too_many_variables_for_the_memory(monkeypatch):
    monkeypatch.setattr(exact, "LARGEST", 2**30)
    names = [f"V{at}" for at in range(30)]
    assert said(SizeError, check_size, Limits.none(names), 2) == (
        "exact search over 30 variables would take 144 GiB for the best parents in every set of "
        "variables; 1 GiB are allowed\n\n"
        "search fewer variables, or use tc.Tabu(), which has no such bound"
    )


def test_too_many_families_to_ask_for_one_by_one(monkeypatch):
    monkeypatch.setattr(subset_scores, "MOST_ASKED", 31)
    assert said(SizeError, family_scores, Flat(), limits()) == (
        "exact search over 4 variables would have to score 32 families one by one; "
        "at most 31 are\n\n"
        "say `at most 3 parents` in knowledge=, or use tc.Tabu()"
    )
    family_scores(Flat(), limits(most=2))
    family_scores(Flat(), limits(required=[("A", "B")]))


def test_no_dag_is_left():
    scores = subset_scores.AskedSets(Flat(), limits())
    crowded = limits(required=[("A", "B"), ("Class", "B"), ("A", "long name")], most=1)
    assert said(KnowledgeError, best_dag, scores, crowded) == (
        "no parents of B obey the structural rules and have a distribution\n\n"
        "look at what the rules require of these variables, and at their numbers of parents"
    )
    assert said(KnowledgeError, best_dag, scores, limits([("A", "B"), ("B", "A")])) == (
        "no dag obeys the structural rules: the arcs that they require form a cycle"
    )


def test_a_tree_with_two_required_parents():
    given = limits(required=[("A", "B"), ("long name", "B")])
    assert said(KnowledgeError, chow_liu, Flat(), given) == (
        'in a tree nobody has two parents, but knowledge requires A -> B, "long name" -> B\n\n'
        "drop all but one; another method takes it, for example tc.HillClimb()"
    )
    assert said(KnowledgeError, tan, Flat(), given, target=0) == (
        "beside Class nobody has two parents in TAN, but knowledge requires "
        'A -> B, "long name" -> B\n\n'
        "drop all but one; another method takes it, for example tc.HillClimb()"
    )


def test_a_root_with_a_required_parent():
    expected = (
        "B is to be the root, but knowledge requires A -> B\n\n"
        "choose another root, or drop this rule"
    )
    given = limits(required=[("A", "B")])
    assert said(KnowledgeError, chow_liu, Flat(), given, root=2) == expected
    assert said(KnowledgeError, tan, Flat(), given, target=0, root=2) == expected


def test_required_arcs_that_form_a_cycle():
    given = limits(required=[("A", "B"), ("B", "A")])
    assert said(KnowledgeError, chow_liu, Flat(), given) == (
        "no tree obeys the rules: arcs that they require form a cycle"
    )


@pytest.mark.parametrize(
    ("given", "clash"),
    [
        (limits(required=[("A", "Class")]), "requires A -> Class"),
        (
            limits(forbidden=[("Class", "B"), ("Class", "long name")]),
            'forbids Class -> B, Class -> "long name"',
        ),
        (limits(most=0), "leaves no room for it among the parents of A"),
        (
            limits(required=[("A", "B")], most=1),
            "leaves no room for it among the parents of B",
        ),
    ],
)
def test_a_target_that_cannot_be_a_parent_of_all(given, clash):
    assert said(KnowledgeError, tan, Flat(), given, target=0) == (
        f"TAN makes Class a parent of all others, but knowledge {clash}\n\n"
        "drop this rule; another method takes it, for example tc.HillClimb()"
    )


def test_a_target_that_is_the_root():
    assert said(OptionError, tan, Flat(), limits(), target=0, root=0) == (
        "the target of TAN, Class, cannot be its root as well"
    )


def test_a_target_that_no_distribution_joins_with_a_child():
    assert said(OptionError, tan, Flat(none={(2, (0,))}), limits(), target=0) == (
        "no distribution joins the parent and the child Class and B\n\n"
        "another method takes it, for example tc.HillClimb()"
    )


@pytest.mark.parametrize("most", [-1, 2.0, True, "3"])
def test_a_bound_on_parents_is_a_whole_number(most):
    assert said(OptionError, Exact, most) == (
        f"most_parents={most!r} must be a whole number, 0 or more"
    )
