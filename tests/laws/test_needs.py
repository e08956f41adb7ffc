"""Rules about tables against every dag: those within the limits hold them, others cannot."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

import tacit as tc
from naive_limits import all_dags
from tacit.knowledge.binding import bind
from tacit.knowledge.bound import Bound
from tacit.knowledge.cells import Cells
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.limits import limits_of
from tacit.knowledge.needs import needs_of

NAMES = "ABCD"
DAGS = all_dags(NAMES)
VARIABLES = {name: tc.Discrete(name, ("no", "yes")) for name in NAMES}
SURE = [  # of these the parents are needed whatever else is said
    "{0} increases with {1}",
    "{0} decreases with {1} when {2}=yes",
    "{0} ignores {1}, {2}",
    "positive additive synergy of {1}, {2} on {0}",
    "table({0} | {1}) = table({2} | {3})",
    "share P({0} | {1}=*) {{ no; {2}=yes {{ yes }} }}",
]
ROWS = [
    "P({0}=yes | {1}=yes) <= 0.3",
    "P({0}=yes | {1}=no) <= P({0}=yes | {1}=yes, {2}=*)",
    "P({0}=yes | {1}=no) : P({0}=no | {1}=no) = P({0}=yes | {1}=yes) : P({0}=no | {1}=yes)",
    "P({0} | {1}=no) ~ P({0} | {1}=yes) +- 0.3",
]
ORDER = st.permutations(NAMES)
sure = st.builds(lambda said, order: said.format(*order), st.sampled_from(SURE), ORDER)
rows = st.builds(lambda said, order: said.format(*order), st.sampled_from(ROWS), ORDER)
arcs = st.builds(
    lambda verb, order: f"{verb} {order[0]} -> {order[1]}",
    st.sampled_from(["require", "forbid"]),
    ORDER,
)


def bound_to(known: Knowledge, dag: Iterable[tuple[str, str]]) -> Bound | None:
    """The rules bound to the tables of a dag; None where they do not fit it."""
    parents = tc.Dag.of_arcs(sorted(dag), NAMES).parents
    cells = Cells.of(
        {name: tuple(VARIABLES[axis] for axis in (*who, name)) for name, who in parents.items()}
    )
    try:
        return bind(known.parameters, cells)
    except tc.KnowledgeError:
        return None


def dags_within(known: Knowledge) -> list[frozenset[tuple[str, str]]]:
    limits = limits_of(known, tuple(NAMES), parameters=True)
    required, ruled_out = (
        {(NAMES[a], NAMES[b]) for a, b in zip(*where.nonzero(), strict=True)}
        for where in (limits.required, ~limits.allowed)
    )
    return [dag for dag in DAGS if required <= dag and not ruled_out & dag]


@given(st.lists(sure, min_size=1, max_size=2, unique=True))
def test_exactly_the_dags_within_the_limits_have_the_tables_that_rules_name(said):
    known = tc.parse_knowledge("\n".join(said))
    try:
        within = dags_within(known)
    except tc.ConflictError:
        within = []
    shared = {need.child.text for need in needs_of(known, NAMES).rows if need.others == "if named"}
    for dag in DAGS[::5] + within[::3]:
        if dag in within:
            assert bound_to(known, dag) is not None
        elif not shared:  # a sharing tree fits a table with more parents, but holds it to these
            assert bound_to(known, dag) is None


@given(st.lists(rows, min_size=1, max_size=2, unique=True), st.lists(arcs, max_size=2))
def test_rules_about_rows_stay_about_rows_in_every_dag_within_the_limits(said, more):
    known = tc.parse_knowledge("\n".join([*said, *more]))
    try:
        within = dags_within(known)
    except tc.ConflictError:
        return
    assert within
    events = needs_of(known, NAMES).events
    straight = Knowledge(tuple(rule for rule in known.parameters if rule not in events))
    for dag in within[:: 1 + len(within) // 30]:
        found = bound_to(straight, dag)
        assert found is not None
        assert not found.curved
    for dag in within[:: 1 + len(within) // 10]:
        for rule in events:
            assert (alone := bound_to(Knowledge((rule,)), dag)) is not None
            assert alone.curved
