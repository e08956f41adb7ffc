"""Statements about arcs, held against a given dag."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tacit.core.dag import Dag
from tacit.core.errors import ConflictError, listed, nearest, quoted
from tacit.core.grid import counted
from tacit.knowledge.faults import clash, fault
from tacit.knowledge.statements import Arcs, MostParents, Rule, Tiers
from tacit.knowledge.terms import Word


def check_structure(rules: Sequence[Rule], dag: Dag) -> None:
    """Nothing, or an error: rules that contradict each other, else the first the dag breaks.

    A dag that obeys every rule shows that they can hold together, so they are held against each
    other only where one is broken.
    """
    for rule in rules:
        try:
            check_rule(rule, rules, dag)
        except ConflictError:
            from tacit.knowledge.clashes import check_consistent

            check_consistent(rules, dag.names, "the dag")
            raise


def check_rule(rule: Rule, rules: Sequence[Rule], dag: Dag) -> None:
    """Nothing, or an error that marks what the dag has against one of the rules.

    Arcs that no rule allows are held against the first `allow`.
    """
    said = rule.statement
    if isinstance(said, Arcs):
        for word in (word for arc in said.arcs for word in arc):
            check_name(rule, word, dag.names, "the dag")
        if said.verb == "allow":
            _check_allowed(rule, rules, dag)
        else:
            _check_arcs(rule, said, dag)
    elif isinstance(said, Tiers):
        _check_tiers(rule, said, dag)
    elif isinstance(said, MostParents):
        _check_most(rule, said, dag)


def check_name(rule: Rule, word: Word | None, names: Collection[str], whole: str = "") -> None:
    """Nothing, or an error about a word that is no variable; `whole`: what should have it."""
    if word is not None and word.text not in names:
        what = f"{whole} has" if whole else "there is"
        raise fault(
            rule, word, f"{what} no variable {word.text!r}{nearest(word.text, names)}",
            f"variables: {listed(names)}",
        )  # fmt: skip


def levels(rule: Rule, said: Tiers) -> dict[str, int]:
    """The number of the tier of each variable; an error where one stands in two."""
    level: dict[str, int] = {}
    for number, tier in enumerate(said.tiers):
        for word in tier:
            if word.text in level:
                raise fault(rule, word, f"{word.text!r} stands twice in this order")
            level[word.text] = number
    return level


def arrow(parent: str, child: str) -> str:
    """An arc as it is written."""
    return f"{quoted(parent)} -> {quoted(child)}"


def _check_arcs(rule: Rule, said: Arcs, dag: Dag) -> None:
    required = said.verb == "require"
    for tail, head in said.arcs:
        for parent, child in _arcs(tail, head, dag, required):
            if (parent in dag.parents[child]) != required:
                what = "has no arc" if required else "has the arc"
                raise clash(rule, tail or head, f"the dag {what} {arrow(parent, child)}")


def _arcs(tail: Word | None, head: Word | None, dag: Dag, every: bool) -> Iterator[tuple[str, str]]:
    """The arcs that a pattern stands for: all that there could be, or only those of the dag."""
    children = dag.names if head is None else (head.text,)
    for child in children:
        parents = dag.names if every else dag.parents[child]
        for parent in parents if tail is None else (tail.text,):
            if parent != child or (tail is not None and head is not None):
                yield parent, child


def _check_allowed(rule: Rule, rules: Sequence[Rule], dag: Dag) -> None:
    said = [(each, each.statement) for each in rules if isinstance(each.statement, Arcs)]
    if rule is not next(each for each, arcs in said if arcs.verb == "allow"):
        return
    patterns = {
        (tail and tail.text, head and head.text)
        for _, arcs in said
        if arcs.verb != "forbid"
        for tail, head in arcs.arcs
    }
    for parent, child in dag.arcs:
        if patterns.isdisjoint([(parent, child), (parent, None), (None, child), (None, None)]):
            raise clash(
                rule, None, f"the dag has the arc {arrow(parent, child)}, which no rule allows",
                f"add it:  allow {arrow(parent, child)}",
            )  # fmt: skip


def _check_tiers(rule: Rule, said: Tiers, dag: Dag) -> None:
    for word in (word for tier in said.tiers for word in tier):
        check_name(rule, word, dag.names, "the dag")
    level = levels(rule, said)
    for tier in said.tiers:
        for word in tier:
            for parent in dag.parents[word.text]:
                if level.get(parent, -1) > level[word.text]:
                    raise clash(
                        rule, word,
                        f"the dag has the arc {arrow(parent, word.text)}, against this order",
                    )  # fmt: skip


def _check_most(rule: Rule, said: MostParents, dag: Dag) -> None:
    for word in said.children:
        check_name(rule, word, dag.names, "the dag")
    named = {word.text: word for word in said.children}
    for name in named or dag.names:
        who = dag.parents[name]
        if len(who) > said.most:
            arcs = listed(arrow(parent, name) for parent in who)
            raise clash(
                rule, named.get(name),
                f"{name!r} has {counted(len(who), 'parent')}, more than {said.most}",
                f"arcs: {arcs}",
            )  # fmt: skip
