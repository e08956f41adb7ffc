"""Statements about arcs, held against a given dag."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tacit.core.dag import Dag
from tacit.core.errors import listed, nearest, quoted
from tacit.core.grid import counted
from tacit.knowledge.faults import clash, fault
from tacit.knowledge.statements import Arcs, MostParents, Rule, Tiers
from tacit.knowledge.terms import Word


def check_structure(rules: Sequence[Rule], dag: Dag) -> None:
    """Nothing, or an error that marks the first rule which the dag does not obey."""
    for rule in rules:
        said = rule.statement
        if isinstance(said, Arcs):
            _check_arcs(rule, said, dag)
        elif isinstance(said, Tiers):
            _check_tiers(rule, said, dag)
        elif isinstance(said, MostParents):
            _check_most(rule, said, dag)


def _check_name(rule: Rule, word: Word | None, dag: Dag) -> None:
    if word is not None and word.text not in dag:
        raise fault(
            rule, word, f"the dag has no variable {word.text!r}{nearest(word.text, dag.names)}",
            f"variables: {listed(dag.names)}",
        )  # fmt: skip


def _check_arcs(rule: Rule, said: Arcs, dag: Dag) -> None:
    required = said.verb == "require"
    for tail, head in said.arcs:
        _check_name(rule, tail, dag)
        _check_name(rule, head, dag)
        for parent, child in _arcs(tail, head, dag, required):
            if (parent in dag.parents[child]) != required:
                what = "has no arc" if required else "has the arc"
                raise clash(rule, tail or head, f"the dag {what} {_arrow(parent, child)}")


def _arcs(tail: Word | None, head: Word | None, dag: Dag, every: bool) -> Iterator[tuple[str, str]]:
    """The arcs that a pattern stands for: all that there could be, or only those of the dag."""
    children = dag.names if head is None else (head.text,)
    for child in children:
        parents = dag.names if every else dag.parents[child]
        for parent in parents if tail is None else (tail.text,):
            if parent != child or (tail is not None and head is not None):
                yield parent, child


def _check_tiers(rule: Rule, said: Tiers, dag: Dag) -> None:
    level: dict[str, int] = {}
    for number, tier in enumerate(said.tiers):
        for word in tier:
            _check_name(rule, word, dag)
            if word.text in level:
                raise fault(rule, word, f"{word.text!r} stands twice in this order")
            level[word.text] = number
    for tier in said.tiers:
        for word in tier:
            for parent in dag.parents[word.text]:
                if level.get(parent, -1) > level[word.text]:
                    raise clash(
                        rule, word,
                        f"the dag has the arc {_arrow(parent, word.text)}, against this order",
                    )  # fmt: skip


def _check_most(rule: Rule, said: MostParents, dag: Dag) -> None:
    for word in said.children:
        _check_name(rule, word, dag)
    named = {word.text: word for word in said.children}
    for name in named or dag.names:
        who = dag.parents[name]
        if len(who) > said.most:
            arcs = listed(_arrow(parent, name) for parent in who)
            raise clash(
                rule, named.get(name),
                f"{name!r} has {counted(len(who), 'parent')}, more than {said.most}",
                f"arcs: {arcs}",
            )  # fmt: skip


def _arrow(parent: str, child: str) -> str:
    return f"{quoted(parent)} -> {quoted(child)}"
