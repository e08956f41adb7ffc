"""Well-known models written as rules: hidden Markov and dynamic networks, modules, multinets.

Each is a case of general sharing: whole rows that are one and the same. [Sec. 4.7]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from tacit.core.errors import OptionError
from tacit.knowledge.statements import Ignores, Rule, TableOf, Tie
from tacit.knowledge.terms import Term, Word


def same_tables(tables: Mapping[str, Sequence[str]]) -> Rule:
    """One table for all these variables: {child: parents in the order in which they match}."""
    if len(tables) < 2:
        raise OptionError("same_tables needs two variables or more: {'X2': ['X1'], 'X3': ['X2']}")
    of = (
        TableOf(Word(child), tuple(Word(parent) for parent in parents))
        for child, parents in tables.items()
    )
    return Rule(Tie(tuple(of)))


def same_module(names: Sequence[str], parents: Sequence[str]) -> Rule:
    """A module: variables that depend on the same parents in the same way."""
    return same_tables(dict.fromkeys(names, tuple(parents)))


def same_slices(slices: Sequence[Mapping[str, Sequence[str]]]) -> tuple[Rule, ...]:
    """A dynamic network whose slices are all the same.

    slices: {child: parents} of every slice after the first; the variables of a slice match those
    of the next in the order in which they stand.
    """
    lengths = {len(each) for each in slices}
    if len(slices) < 2 or len(lengths) > 1:
        raise OptionError("same_slices needs two slices or more, with as many variables in each")
    return tuple(same_tables(dict(same)) for same in zip(*(s.items() for s in slices), strict=True))


def hidden_markov(hidden: Sequence[str], observed: Sequence[str]) -> tuple[Rule, ...]:
    """A hidden Markov chain: one table of transitions, one of observations.

    hidden, observed: the variables in the order of time
    """
    if len(hidden) != len(observed):
        raise OptionError(
            f"hidden_markov needs as many observed variables as hidden ones, "
            f"not {len(observed)} for {len(hidden)}"
        )
    steps = {after: [before] for before, after in pairwise(hidden)}
    rules = [same_tables(steps)] if len(steps) > 1 else []
    seen = {each: [state] for each, state in zip(observed, hidden, strict=True)}
    return (*rules, *([same_tables(seen)] if len(seen) > 1 else []))


def ignores_when(child: str, ignored: Sequence[str], when: Mapping[str, str]) -> Rule:
    """Context-specific independence: `child` does not depend on these parents there."""
    given = tuple(Term(Word(name), (Word(state),)) for name, state in when.items())
    return Rule(Ignores(Word(child), tuple(Word(name) for name in ignored), given))


def multinet(chooser: str, networks: Mapping[str, Mapping[str, Sequence[str]]]) -> tuple[Rule, ...]:
    """A multinet: for every state of `chooser` a network of its own over the other variables.

    networks: {state: {child: parents}}; in the whole network the parents of a child are
    `chooser` and all that it has in any of them.
    """
    children = dict.fromkeys(child for network in networks.values() for child in network)
    rules = []
    for child in children:
        parents = dict.fromkeys(p for each in networks.values() for p in each.get(child, ()))
        for state, network in networks.items():
            ignored = [parent for parent in parents if parent not in network.get(child, ())]
            if ignored:
                rules.append(ignores_when(child, ignored, {chooser: state}))
    return tuple(rules)
