"""From the tree of a shape to what makes its value: a function for every rule of the grammar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from tacit.knowledge import statements as said
from tacit.knowledge.making_bounds import bounded
from tacit.knowledge.making_words import negative, number_of, word
from tacit.knowledge.sums import Make, Number, Product, Sum, Wrong, check_sides, divided, multiplied
from tacit.knowledge.terms import Probability, Term
from tacit.knowledge.tokens import Phrase


def made(tree: Any) -> Any:
    """What makes the value of this part of a statement."""
    return _MAKERS[tree.data](tree)


def listed(trees: Sequence[Any]) -> Callable[[Phrase], tuple[Any, ...]]:
    """What makes the values of these parts, one after the other."""
    makes = [made(tree) for tree in trees]
    if len(makes) == 1:
        (only,) = makes
        return lambda phrase: (only(phrase),)
    return lambda phrase: tuple([make(phrase) for make in makes])


def _nothing(_: Phrase) -> tuple[()]:
    return ()


def _or_nothing(tree: Any) -> Callable[[Phrase], tuple[Any, ...]]:
    """What makes a list of values that may be left out."""
    return _nothing if tree is None else listed(tree.children)


def _free(tree: Any) -> Make:
    name, starred = made(tree.children[0]), tree.data == "every"
    return lambda phrase: Term(name(phrase), starred=starred)


def _held(tree: Any) -> Make:
    variable, state = tree.children
    name, negated = made(variable), tree.data == "is_not_state"
    states = listed(state.children if state.data == "names" else [state])
    return lambda phrase: Term(name(phrase), states(phrase), negated)


def _weighed(tree: Any) -> Make:
    name, states = made(tree.children[0]), listed([pair.children[0] for pair in tree.children[1:]])
    signs = [-1.0 if pair.data == "below_zero" else 1.0 for pair in tree.children[1:]]
    places = [pair.children[1].start_pos for pair in tree.children[1:]]

    def make(phrase: Phrase) -> Term:
        values = (sign * float(phrase.word(at)) for sign, at in zip(signs, places, strict=True))
        return Term(name(phrase), states(phrase), likelihoods=tuple(values))

    return make


def _probability(tree: Any) -> Make:
    targets, given = listed(tree.children[0].children), _or_nothing(tree.children[1])
    first, last = tree.meta.start_pos, tree.meta.end_pos - 1
    return lambda phrase: Probability(
        targets(phrase), given(phrase), phrase.source[phrase.starts[first] : phrase.ends[last]]
    )


def _coefficient(tree: Any) -> Make:
    *names, given = tree.children
    words, terms, what = listed(names), _or_nothing(given), tree.data

    def make(phrase: Phrase) -> said.Coefficient:
        child, *parent = words(phrase)
        return said.Coefficient(child, parent[0] if parent else None, terms(phrase), str(what))

    return make


def _link(tree: Any) -> Make:
    child = made(tree.children[0])
    if tree.data == "leak":
        return lambda phrase: said.Link(child(phrase))
    parent = made(tree.children[1])
    return lambda phrase: said.Link(child(phrase), parent(phrase))


def _atom(tree: Any) -> Sum:
    first, last = tree.meta.start_pos, tree.meta.end_pos - 1
    if tree.data in ("number", "percent"):
        number = Number(first, tree.data == "percent")
        return Sum((Product(numbers=((number, False),)),), first, last)
    if tree.data == "negated":
        return Sum(_atom(tree.children[0]).turned(-1), first, last)
    if tree.data == "sum":
        return sum_of(tree)
    kind = _KINDS.get(tree.data, tree.data)
    return Sum((Product(of=made(tree), kind=kind),), first, last)


_KINDS = {
    "probability": "P",
    "leak": "link",
    "intercept": "coefficient",
    "variance": "coefficient",
}
"""What an atom is a number of, where that has another name than the atom."""


def _product(tree: Any) -> Sum:
    found = _atom(tree.children[0])
    for sign, factor in zip(tree.children[1::2], tree.children[2::2], strict=True):
        combine = multiplied if sign.children[0] == "*" else divided
        found = combine(found, _atom(factor))
    return found


def sum_of(tree: Any) -> Sum:
    """An expression."""
    products = list(_product(tree.children[0]).products)
    for sign, product in zip(tree.children[1::2], tree.children[2::2], strict=True):
        products += _product(product).turned(1 if sign.children[0] == "+" else -1)
    return Sum(tuple(products), tree.meta.start_pos, tree.meta.end_pos - 1)


def _compare(tree: Any) -> Make:
    sides = [sum_of(side) for side in tree.children[::2]]
    signs = tuple(str(sign.children[0]) for sign in tree.children[1::2])
    check_sides(sides)
    return lambda phrase: said.Compare(tuple([side(phrase) for side in sides]), signs)


def _about(tree: Any) -> Make:
    left, right = sum_of(tree.children[0]), sum_of(tree.children[1])
    slack = number_of(tree.children[2])
    check_sides([left, right])
    return lambda phrase: said.About(left(phrase), right(phrase), slack(phrase))


def _ratios(tree: Any) -> Make:
    sides = [listed(side.children) for side in tree.children]
    length = len(tree.children[0].children)
    for side in tree.children:
        if len(side.children) != length:
            what = f"this side has {len(side.children)} probabilities, the first has {length}"
            raise Wrong(side.meta.start_pos, side.meta.end_pos - 1, what)
    return lambda phrase: said.Ratios(tuple([side(phrase) for side in sides]))


def _influence(tree: Any) -> Make:
    child, verb, parent, when = tree.children
    direction = 1 if verb.children[0] == "increases" else -1
    child, parent, given = made(child), made(parent), _or_nothing(when)
    return lambda phrase: said.Influence(child(phrase), parent(phrase), direction, given(phrase))


def _synergy(tree: Any) -> Make:
    sign, kind, first, second, child, state, when = tree.children
    how, what = (1 if sign.children[0] == "positive" else -1), str(kind.children[0])
    parents, child, given = listed([first, second]), made(child), _or_nothing(when)
    which = None if state is None else made(state)

    def make(phrase: Phrase) -> said.Synergy:
        one, other = parents(phrase)
        raised = None if which is None else which(phrase)
        return said.Synergy(what, how, (one, other), child(phrase), raised, given(phrase))

    return make


def _ignores(tree: Any) -> Make:
    child, parents, when = tree.children
    child, parents, given = made(child), listed(parents.children), _or_nothing(when)
    return lambda phrase: said.Ignores(child(phrase), parents(phrase), given(phrase))


def _table(tree: Any) -> Make:
    child, parents = made(tree.children[0]), _or_nothing(tree.children[1])
    return lambda phrase: said.TableOf(child(phrase), parents(phrase))


def _tie(tree: Any) -> Make:
    tables = listed(tree.children)
    return lambda phrase: said.Tie(tables(phrase))


def _level(tree: Any, scope: Callable[[Phrase], tuple[Term, ...]] = _nothing) -> Make:
    parts = [part for part in tree.children if part.data == "level_states"]
    states = listed([state for part in parts for state in part.children])
    below = [part.children for part in tree.children if part.data == "below"]
    children = [_level(level, listed(terms.children)) for terms, level in below]
    return lambda phrase: said.Level(
        scope(phrase), states(phrase), tuple([child(phrase) for child in children])
    )


def _share(tree: Any) -> Make:
    rows, root = made(tree.children[0]), _level(tree.children[1])
    return lambda phrase: said.Share(rows(phrase), root(phrase))


def _group(tree: Any) -> Make:
    name, states = made(tree.children[0]), listed(tree.children[1].children)
    return lambda phrase: said.Group(name(phrase), states(phrase))


def _state_order(tree: Any) -> Make:
    variable, states = made(tree.children[0]), listed(tree.children[1:])
    return lambda phrase: said.StateOrder(variable(phrase), states(phrase))


def _arcs(tree: Any) -> Make:
    verb = str(tree.children[0].children[0])
    paths = [listed(arc.children) for arc in tree.children[1:]]

    def make(phrase: Phrase) -> said.Arcs:
        walked = [path(phrase) for path in paths]
        return said.Arcs(verb, tuple([arc for path in walked for arc in pairwise(path)]))

    return make


def _any(_: Any) -> Make:
    return lambda _: None


def _tiers(tree: Any) -> Make:
    tiers = [listed(words.children) for words in tree.children]
    return lambda phrase: said.Tiers(tuple([tier(phrase) for tier in tiers]))


def _most_parents(tree: Any) -> Make:
    number, whom = tree.children
    at, children = number.start_pos, _or_nothing(whom)

    def make(phrase: Phrase) -> said.MostParents:
        if not phrase.word(at).isdecimal() or len(phrase.word(at)) > 9:
            raise Wrong(at, at, "the number of parents must be 0, 1, 2, ...")
        return said.MostParents(int(phrase.word(at)), children(phrase))

    return make


def _author(tree: Any) -> Make:
    word = made(tree.children[0])
    return lambda phrase: word(phrase).text


def _confidence(tree: Any) -> Make:
    number, first, last = made(tree.children[0]), tree.meta.start_pos, tree.meta.end_pos - 1

    def make(phrase: Phrase) -> float:
        value = float(number(phrase))
        if not 0 < value <= 1:
            raise Wrong(first, last, "a confidence lies above 0 and is at most 1, or 100%")
        return value

    return make


_MAKERS: dict[str, Callable[[Any], Any]] = {
    "query": _probability,
    "bounded": lambda tree: bounded(tree, listed),
    "author": _author,
    "confidence": _confidence,
    "word": word,
    "negative": negative,
    "free": _free,
    "every": _free,
    "is_state": _held,
    "is_not_state": _held,
    "weighed": _weighed,
    "probability": _probability,
    "coefficient": _coefficient,
    "link": _link,
    "leak": _link,
    "intercept": _coefficient,
    "variance": _coefficient,
    "compare": _compare,
    "about": _about,
    "ratios": _ratios,
    "influence": _influence,
    "synergy": _synergy,
    "ignores": _ignores,
    "table": _table,
    "tie": _tie,
    "share": _share,
    "group": _group,
    "state_order": _state_order,
    "arcs": _arcs,
    "any": _any,
    "tiers": _tiers,
    "most_parents": _most_parents,
    "number": number_of,
    "percent": number_of,
    "sum": sum_of,
}
