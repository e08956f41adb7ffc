"""Whatever can be said reads back as it was said: parse(str(x)) == x for every statement."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from strategies import odd_names
from tacit.core.errors import KnowledgeError
from tacit.knowledge.knowledge import Knowledge
from tacit.knowledge.parsing import rules_of
from tacit.knowledge.quantities import P, Quantity
from tacit.knowledge.statements import (
    About,
    Arcs,
    Coefficient,
    Compare,
    Expression,
    Factors,
    Group,
    Ignores,
    Influence,
    Level,
    Link,
    MostParents,
    Part,
    Ratios,
    Rule,
    Share,
    StateOrder,
    Synergy,
    TableOf,
    Tie,
    Tiers,
)
from tacit.knowledge.terms import KEYWORDS, Probability, Term, Word, in_quotes

names = st.one_of(odd_names, st.sampled_from([*sorted(KEYWORDS), "P", "table", "1", "-1", ".5"]))
words = names.map(Word)
some_words = st.lists(words, min_size=1, max_size=2).map(tuple)
held = st.one_of(
    st.builds(Term, words, starred=st.just(True)),
    st.builds(Term, words, some_words, st.booleans()),
)
terms = st.one_of(held, st.builds(Term, words))
some_held = st.lists(held, max_size=2).map(tuple)
probabilities = st.builds(
    Probability,
    st.lists(terms, min_size=1, max_size=2).map(tuple),
    st.lists(terms, max_size=2).map(tuple),
)
some_given = st.lists(terms, max_size=2).map(tuple)
coefficients = st.one_of(
    st.builds(Coefficient, words, words, some_given),
    st.builds(
        Coefficient, words, st.none(), some_given, st.sampled_from(["intercept", "variance"])
    ),
)
links = st.one_of(st.builds(Link, words, words), st.builds(Link, words))
numbers = st.floats(-1e20, 1e20).map(lambda number: number + 0.0)


def expressions(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
    """A sum in which something is said of `of`."""
    parts = st.one_of(st.builds(Part, numbers), st.builds(Part, numbers, of))
    first = st.builds(Part, numbers, of)
    rest = st.lists(parts, max_size=2)
    return st.tuples(first, rest).map(lambda both: Expression((both[0], *both[1])))


def bent(operand: st.SearchStrategy[Any]) -> st.SearchStrategy[Expression]:
    """A sum with a product or a quotient in it; a factor that is a sum has several parts."""
    brackets = st.tuples(expressions(probabilities), expressions(probabilities)).map(
        lambda both: Expression(both[0].parts + both[1].parts)
    )
    many = st.lists(st.one_of(operand, brackets), min_size=1, max_size=2).map(tuple)
    products = st.one_of(
        st.builds(Factors, many, many),
        st.builds(Factors, st.just(()), many),
        st.builds(Factors, st.lists(operand, min_size=2, max_size=3).map(tuple)),
    )
    return expressions(st.one_of(operand, products))


def compares(of: st.SearchStrategy[Any]) -> st.SearchStrategy[Compare]:
    """A chain of expressions."""
    signs = st.lists(st.sampled_from(["=", "<=", ">="]), min_size=1, max_size=2)
    return signs.flatmap(
        lambda chosen: st.builds(
            Compare,
            st.tuples(*[expressions(of)] * (len(chosen) + 1)),
            st.just(tuple(chosen)),
        )
    )


ratios = st.integers(2, 3).flatmap(
    lambda length: st.lists(st.tuples(*[probabilities] * length), min_size=2, max_size=3)
)
levels = st.recursive(
    st.builds(Level, st.just(()), some_words),
    lambda below: st.builds(
        Level,
        st.just(()),
        st.lists(words, max_size=2).map(tuple),
        st.lists(
            st.builds(
                lambda level, scope: Level(scope, level.states, level.children),
                below,
                st.lists(held, min_size=1, max_size=2).map(tuple),
            ),
            min_size=1,
            max_size=2,
        ).map(tuple),
    ),
    max_leaves=4,
)
tables = st.builds(TableOf, words, st.lists(words, max_size=3).map(tuple))
ends = st.one_of(st.none(), words)
statements = st.one_of(
    compares(probabilities),
    compares(coefficients),
    compares(links),
    st.tuples(bent(probabilities), bent(probabilities)).map(lambda both: Compare(both, ("<=",))),
    st.builds(About, bent(probabilities), bent(probabilities), st.floats(0, 1)),
    st.builds(About, expressions(probabilities), expressions(probabilities), st.floats(0, 1)),
    ratios.map(lambda sides: Ratios(tuple(sides))),
    st.builds(Influence, words, words, st.sampled_from([1, -1]), some_held),
    st.builds(
        Synergy,
        st.sampled_from(["additive", "product"]),
        st.sampled_from([1, -1]),
        st.tuples(words, words),
        words,
        st.one_of(st.none(), words),
        some_held,
    ),
    st.builds(Ignores, words, some_words, some_held),
    st.lists(tables, min_size=2, max_size=3).map(lambda found: Tie(tuple(found))),
    st.builds(Share, probabilities, levels),
    st.builds(Group, words, some_words),
    st.builds(StateOrder, words, st.lists(words, min_size=2, max_size=4).map(tuple)),
    st.builds(
        Arcs,
        st.sampled_from(["require", "forbid", "allow"]),
        st.lists(st.tuples(ends, ends), min_size=1, max_size=3).map(tuple),
    ),
    st.builds(Tiers, st.lists(some_words, min_size=2, max_size=3).map(tuple)),
    st.builds(MostParents, st.integers(0, 9), st.lists(words, max_size=2).map(tuple)),
)
confidences = st.floats(0, 1, exclude_min=True)
authors = st.one_of(st.just(""), names)
rules = st.builds(Rule, statements, authors, confidences)


@given(rules)
def test_a_rule_reads_back_as_it_is_printed(rule: Rule) -> None:
    (back,) = rules_of(str(rule))
    assert back == rule
    assert back.text == str(rule)


@given(st.lists(rules, max_size=2), st.sampled_from(["\n", " ; ", "\n\n# a remark\n", "  # x\n"]))
def test_knowledge_reads_back_as_it_is_printed(said: list[Rule], between: str) -> None:
    text = between.join(map(str, said))
    known = Knowledge.parse(text, "expert.know")
    assert known.rules == tuple(said)
    assert str(known) == text
    assert Knowledge.parse(str(known)) == known


@given(rules)
def test_a_rule_and_its_words_know_where_they_stand(rule: Rule) -> None:
    before = "# who knows\n\n  "
    text = f"{before}{rule};{rule} # again"
    first, second = rules_of(text, "expert.know")
    for found in (first, second):
        assert text[found.start :].startswith(found.text)
        assert found.line == 3
        for word in _words(found.statement):
            there = found.text[word.start - found.start : word.end - found.start]
            assert there == word.text or there == in_quotes(word.text)


@given(rules, st.text(max_size=5))
def test_a_statement_is_refused_readably_or_read(rule: Rule, more: str) -> None:
    text = str(rule)
    at = len(text) // 2
    for damaged in (text[:at], text[at:], text[:at] + more + text[at:], text + " " + more):
        complaint = ""
        try:
            Knowledge.parse(damaged)
        except KnowledgeError as error:
            complaint = str(error)
        assert not complaint or ("\n\n    " in complaint and "^" in complaint)


@given(probabilities, probabilities, numbers, numbers.filter(bool))
def test_rules_built_in_python_are_those_that_the_text_states(
    one: Probability, other: Probability, number: float, factor: float
) -> None:
    left, right = P(str(one)), P(str(other))
    quantity = factor * left - right + number
    built = [
        quantity <= right,
        quantity >= number,
        left == right,
        left.between(number, right),
        left.about(right, within=0.05),
        (right <= left).stated(by="Dr. Lee", confidence=0.5),
    ]
    assert isinstance(quantity, Quantity)
    product, quotient = quantity * left * right, (quantity + left) / (right * number + left) / 2
    built += [product <= quotient, quotient.about(1 / left, within=0.1), factor / product == -left]
    for rule in built:
        assert rules_of(str(rule)) == (rule,)
    assert built[0].statement == Compare((quantity.expression, right.expression), ("<=",))


def _words(value: Any) -> list[Word]:
    """All words of a statement, wherever they are."""
    if isinstance(value, Word):
        return [value]
    if isinstance(value, tuple):
        return [word for each in value for word in _words(each)]
    slots = getattr(type(value), "__slots__", ())
    return [word for slot in slots for word in _words(getattr(value, slot))]
