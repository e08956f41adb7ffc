"""Rules about structure against every dag there is."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from naive_limits import ANY, Said, all_dags, fewest, obeys
from tacit.core.dag import Dag
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import Limits, limits_of, reasons_of
from tacit.knowledge.structural import check_structure

NAMES = "ABCD"
DAGS = all_dags(NAMES)
names = st.sampled_from(NAMES)
ends = st.sampled_from([*NAMES * 3, ANY])
patterns = st.tuples(ends, ends)


@st.composite
def orders(draw: st.DrawFn) -> Said:
    order = draw(st.permutations(NAMES))
    cuts = sorted(draw(st.sets(st.integers(1, 3), min_size=1, max_size=2)))
    last = draw(st.integers(cuts[-1] + 1, 4))
    starts = [0, *cuts, last]
    return Said("order", tiers=tuple(tuple(order[a:b]) for a, b in pairwise(starts)))


rules = st.one_of(
    st.builds(
        Said,
        st.sampled_from(["require", "require", "forbid", "allow"]),
        st.lists(patterns, min_size=1, max_size=2, unique=True).map(tuple),
    ),
    orders(),
    st.builds(
        Said,
        st.just("most"),
        most=st.integers(0, 2),
        whom=st.lists(names, max_size=2, unique=True).map(tuple),
    ),
)
arcs = st.permutations(NAMES).map(lambda order: (order[0], order[1]))
tangles = st.one_of(
    st.builds(Said, st.just("require"), st.lists(arcs, min_size=1, max_size=2).map(tuple)),
    st.builds(Said, st.just("most"), most=st.integers(1, 2), whom=names.map(tuple)),
)
several = st.one_of(
    st.lists(rules, min_size=1, max_size=5, unique_by=lambda rule: rule.text),
    st.lists(tangles, min_size=3, max_size=6, unique_by=lambda rule: rule.text),
)


def knowledge(said: Sequence[Said]) -> Knowledge:
    return tc.parse_knowledge("\n".join(rule.text for rule in said))


def within(limits: Limits, dag: frozenset[tuple[str, str]]) -> bool:
    """required ⊆ arcs ⊆ allowed, and no variable has more parents than it may."""
    at = {name: number for number, name in enumerate(limits.names)}
    arcs = {(at[tail], at[head]) for tail, head in dag}
    required = set(zip(*(each.tolist() for each in limits.required.nonzero()), strict=True))
    few = all(sum(b == head for _, b in arcs) <= most for head, most in enumerate(limits.most))
    return few and required <= arcs and all(limits.allowed[arc] for arc in arcs)


def accepted(known: Knowledge, dag: frozenset[tuple[str, str]]) -> bool:
    try:
        check_structure(known.rules, Dag.of_arcs(sorted(dag), NAMES))
    except tc.ConflictError:
        return False
    return True


@given(several)
def test_limits_hold_exactly_the_dags_that_obey_every_rule(said: list[Said]) -> None:
    known = knowledge(said)
    obeying = [dag for dag in DAGS if obeys(dag, said, NAMES)]
    assert [dag for dag in DAGS[::7] if accepted(known, dag)] == [
        dag for dag in DAGS[::7] if dag in set(obeying)
    ]
    try:
        limits = limits_of(known, tuple(NAMES))
    except tc.ConflictError:
        assert not obeying
    else:
        assert [dag for dag in DAGS if within(limits, dag)] == obeying
        assert obeying
        assert not limits.allowed.diagonal().any()
        assert not (limits.required & ~limits.allowed).any()


@given(several)
def test_a_conflict_shows_the_fewest_rules_that_no_dag_obeys(said: list[Said]) -> None:
    least = fewest(said, NAMES)
    if least is None:
        limits_of(knowledge(said), tuple(NAMES))
        return
    with pytest.raises(tc.ConflictError) as caught:
        limits_of(knowledge(said), tuple(NAMES))
    shown = [rule for rule in said if rule.text in caught.value.rules]
    assert len(shown) == len(caught.value.rules) == least
    assert not any(obeys(dag, shown, NAMES) for dag in DAGS)
    assert "perhaps fewer" not in str(caught.value)


@given(several)
def test_a_check_finds_the_same_conflicts(said: list[Said]) -> None:
    known = knowledge(said)
    found = tc.check(known, "A; B; C; D").conflicts
    if not found:
        limits_of(known, tuple(NAMES))
        return
    with pytest.raises(tc.ConflictError) as caught:
        limits_of(known, tuple(NAMES))
    assert tuple(map(str, found[0].rules)) == caught.value.rules


@given(several, st.integers(0, 3))
def test_every_limit_has_a_reason(said: list[Said], most: int) -> None:
    known = knowledge(said)
    try:
        limits = limits_of(known, tuple(NAMES), most)
    except tc.ConflictError:
        return
    reasons = reasons_of(known, tuple(NAMES), most)
    named = [[(NAMES[a], NAMES[b]) for a, b in zip(*where.nonzero(), strict=True)]
             for where in (limits.required, ~limits.allowed)]  # fmt: skip
    assert list(reasons.required) == named[0]
    assert list(reasons.forbidden) == [(tail, head) for tail, head in named[1] if tail != head]
    for arc, rule in reasons.required.items():
        alone = limits_of(Knowledge((rule,)), tuple(NAMES))
        assert alone.required[NAMES.index(arc[0]), NAMES.index(arc[1])]
    for arc, rule in reasons.forbidden.items():
        alone = limits_of(Knowledge((rule,)), tuple(NAMES))
        assert not alone.allowed[NAMES.index(arc[0]), NAMES.index(arc[1])]
    assert len(reasons.told()) == len(known)
    assert (limits.most <= most).all()
