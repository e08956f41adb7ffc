"""What every kind of statement says, and how knowledge is read, joined and printed."""

from __future__ import annotations

import gzip
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.knowledge.knowledge import as_knowledge
from tacit.knowledge.parsing import rule_of, rules_of
from tacit.knowledge.shapes import grammar
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
    MostParents,
    Part,
    Ratios,
    Rule,
    Share,
    Statement,
    StateOrder,
    Synergy,
    TableOf,
    Tie,
    Tiers,
)
from tacit.knowledge.terms import KEYWORDS, Probability, Term, Word


def words(*names: str) -> tuple[Word, ...]:
    return tuple(map(Word, names))


def term(name: str, *states: str, negated: bool = False) -> Term:
    return Term(Word(name), words(*states) if states else None, negated)


def p(*targets: Term, given: tuple[Term, ...] = ()) -> Probability:
    return Probability(targets, given)


def side(
    *parts: float | Probability | Coefficient | tuple[float, Probability | Factors],
) -> Expression:
    made = []
    for part in parts:
        if isinstance(part, tuple):
            made.append(Part(*part))
        else:
            made.append(Part(part) if isinstance(part, float | int) else Part(1, part))
    return Expression(tuple(made))


A, B = p(term("A", "a")), p(term("B", "b"))
SHARING = Level(
    (),
    words("a", "the"),
    (
        Level((term("Author", "x", "y"),), words("of", "to")),
        Level((term("Author", "z"),), (), (Level((term("Site"),), words("not", "by")),)),
    ),
)
STATEMENTS = [
    ("P(A=a) = 0.9", Compare((side(A), side(0.9)), ("=",))),
    ("5% <= P(A=a) <= 33.3%", Compare((side(0.05), side(A), side(0.333)), ("<=", "<="))),
    ("P(A=a) >= P(B=b) = 1", Compare((side(A), side(B), side(1)), (">=", "="))),
    ("P(A=a) ≤ .5", Compare((side(A), side(0.5)), ("<=",))),
    (
        "P(A=not a, C | B={b, c}, D=*, E=not {e, -1}) = 1",
        Compare(
            (
                side(
                    p(
                        term("A", "a", negated=True),
                        term("C"),
                        given=(
                            term("B", "b", "c"),
                            term("D"),
                            term("E", "e", "-1", negated=True),
                        ),
                    )
                ),
                side(1),
            ),
            ("=",),
        ),
    ),
    ("2 * P(A=a) = P(B=b) * 3", Compare((side((2, A)), side((3, B))), ("=",))),
    ("-P(A=a) + 1 = P(B=b) / 4", Compare((side((-1, A), 1), side((0.25, B))), ("=",))),
    (
        "2 * (P(A=a) - 3 * (P(B=b) + 1)) = -(1 - P(A=a)) / 2",
        Compare((side((2, A), (-6, B), -6), side(-0.5, (0.5, A))), ("=",)),
    ),
    ("P(A=a) <= 2 * 3 / 4 * P(B=b)", Compare((side(A), side((1.5, B))), ("<=",))),
    ("1e-3 <= P(A=a) - -0.5", Compare((side(0.001), side(A, 0.5)), ("<=",))),
    ("P(A=a) * P(B=b) <= 0.01", Compare((side((1, Factors((A, B)))), side(0.01)), ("<=",))),
    (
        "2 * P(A=a) * P(A=a) = P(B=b) * 3 / P(A=a)",
        Compare((side((2, Factors((A, A)))), side((3, Factors((B,), (A,))))), ("=",)),
    ),
    (
        "P(A=a) / (2 * P(B=b)) >= 3 - 1 / P(B=b)",
        Compare((side((0.5, Factors((A,), (B,)))), side(3, (-1, Factors((), (B,))))), (">=",)),
    ),
    (
        "(P(A=a) + P(B=b)) * (1 - P(B=b)) / (P(A=a) / P(B=b)) * -3 = -(P(A=a) - 1) / P(B=b)",
        Compare(
            (
                side((-3, Factors((side(A, B), side(1, (-1, B)), B), (A,)))),
                side((1, Factors((side((-1, A), 1),), (B,)))),
            ),
            ("=",),
        ),
    ),
    ("P(A=a) ~ P(B=b) +- 5%", About(side(A), side(B), 0.05)),
    ("P(A=a) ~ 0.5 ± 0.1", About(side(A), side(0.5), 0.1)),
    ("P(A=a) : P(B=b) = P(B=b) : P(A=a)", Ratios(((A, B), (B, A)))),
    ("P(A=a):P(B=b):P(A=a) = P(A=a):P(A=a):P(A=a)", Ratios(((A, B, A), (A, A, A)))),
    ("X increases with Y", Influence(*words("X", "Y"), 1)),
    (
        "X decreases with Y when Z=z, W=not {a, b}",
        Influence(
            *words("X", "Y"), -1, (term("Z", "z"), term("W", "a", "b", negated=True))
        ),
    ),
    ('"by" increases with 1 when "of"=*', Influence(*words("by", "1"), 1, (term("of"),))),
    (
        "positive additive synergy of A, B on C when D=d",
        Synergy("additive", 1, (Word("A"), Word("B")), Word("C"), None, (term("D", "d"),)),
    ),
    (
        "negative product synergy of A, B on C=yes",
        Synergy("product", -1, (Word("A"), Word("B")), Word("C"), Word("yes")),
    ),
    ("X ignores Y", Ignores(Word("X"), words("Y"))),
    ("X ignores Y, W when Z=z", Ignores(Word("X"), words("Y", "W"), (term("Z", "z"),))),
    (
        "table(B | A) = table(C | B)",
        Tie((TableOf(Word("B"), words("A")), TableOf(Word("C"), words("B")))),
    ),
    (
        "table(A) = table(B) = table(C)",
        Tie((TableOf(Word("A"), ()), TableOf(Word("B"), ()), TableOf(Word("C"), ()))),
    ),
    (
        "share P(Word | Author=*) { a, the; Author={x, y} { of, to };"
        " Author=z { Site=* { not, by } } }",
        Share(p(term("Word"), given=(term("Author"),)), SHARING),
    ),
    (
        "coefficient(Power, Wind) = 2 * coefficient(Power, Temp)",
        Compare(
            (
                side(Coefficient(*words("Power", "Wind"))),
                side((2, Coefficient(*words("Power", "Temp")))),
            ),
            ("=",),
        ),
    ),
    (
        "0 <= intercept(Power | Site=not sea)",
        Compare(
            (
                side((0, None)),
                side(Coefficient(Word("Power"), None, (term("Site", "sea", negated=True),),
                                 "intercept")),
            ),
            ("<=",),
        ),
    ),
    (
        "variance(Power) = 2 * variance(Noise)",
        Compare(
            (
                side(Coefficient(Word("Power"), what="variance")),
                side((2, Coefficient(Word("Noise"), what="variance"))),
            ),
            ("=",),
        ),
    ),
    ("let weekdays = {mon, tue}", Group(Word("weekdays"), words("mon", "tue"))),
    ("order of Stage: I < II < III", StateOrder(Word("Stage"), words("I", "II", "III"))),
    (
        "require A -> B, C -> D",
        Arcs("require", (tuple(words("A", "B")), tuple(words("C", "D")))),
    ),
    (
        "require A -> B → C",
        Arcs("require", (tuple(words("A", "B")), tuple(words("B", "C")))),
    ),
    ("forbid X -> *, * -> Y", Arcs("forbid", ((Word("X"), None), (None, Word("Y"))))),
    (
        "allow A -> B, * -> D",
        Arcs("allow", (tuple(words("A", "B")), (None, Word("D")))),
    ),
    ("order A, B < C", Tiers((words("A", "B"), words("C")))),
    ("at most 3 parents", MostParents(3)),
    ("at most 1 parent for X, Y", MostParents(1, words("X", "Y"))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "statement"), STATEMENTS, ids=lambda part: str(part)[:40])
def test_what_a_statement_says(text: str, statement: Statement):
    rule = rule_of(text)
    assert rule.statement == statement
    assert str(rule) == text
    assert rule_of(str(statement)).statement == statement


def test_stars_are_printed_where_they_were_written():
    written = "P(A | B=*, C) = P(A | B=*, C)"
    assert str(rule_of(written).statement) == written


@pytest.mark.parametrize(
    ("text", "by", "confidence"),
    [
        ("P(A=a) = 1", "", 1.0),
        ('X ignores Y when Z=z by "Dr. Lee"', "Dr. Lee", 1.0),
        ("X increases with Y confidence 90% by Lee", "Lee", 0.9),
        ('at most 2 parents for X by "a \\"b\\" \\\\" confidence 0.25', 'a "b" \\', 0.25),
    ],
)
def test_a_rule_knows_who_said_it_and_how_sure_they_are(text: str, by: str, confidence: float):
    rule = rule_of(text)
    assert (rule.by, rule.confidence) == (by, confidence)
    assert rule.text == text


def test_statements_end_with_their_line_or_a_semicolon():
    known = tc.parse_knowledge(
        """# what Lee says
        P(A=a) <= 0.3  # a bound
        X ignores Y; require A -> B;; forbid A -> *

        P(A=a |
            B=b,  # a remark inside
            C=c) >= 0.1 +
            0.2
        order
        """.replace("order\n", "order A,\n B <\n C\n")
    )
    assert [rule.line for rule in known] == [2, 3, 3, 3, 5, 9]
    assert [rule.text.split()[0] for rule in known] == [
        "P(A=a)", "X", "require", "forbid", "P(A=a", "order",
    ]  # fmt: skip
    assert known.rules[0].text == "P(A=a) <= 0.3"
    assert rules_of(known.rules[4].text) == (known.rules[4],)


def test_a_sharing_tree_may_stand_on_many_lines():
    tree = """
    share P(Word | Author=*)
    {
        a, the   # everybody

        Author={x,
                y}
        {
            of,
            to
        }
        Author=z {
            Site=* { "not"
                     by } ; } }
    X ignores Y
    """
    first, second = rules_of(tree)
    assert isinstance(first.statement, Share)
    assert first.statement.root == SHARING
    assert second.line == 15


def test_inside_brackets_every_word_is_a_name():
    calls = ["P", "table", "coefficient", "intercept", "variance", "link", "leak"]
    names = [*sorted(KEYWORDS - {"not"}), *calls]
    for name in names:
        rule = rule_of(f"P({name}={name} | {name}={{{name}, {name}}}) = 1")
        assert rule.statement.sides[0].parts[0].of.targets == (term(name, name),)
        tie = rule_of(f"table({name} | {name}) = table({name})").statement
        assert tie == Tie((TableOf(Word(name), words(name)), TableOf(Word(name), ())))
        assert rule_of(f"let x = {{{name}}}").statement.states == words(name)
        assert rule_of(f'"{name}" increases with X').statement.child == Word(name)
    assert rule_of("P(not=not not) = 1").statement.sides[0].parts[0].of.targets == (
        term("not", "not", negated=True),
    )
    assert rule_of("table increases with P").statement == Influence(*words("table", "P"), 1)


def test_the_words_of_the_language_are_those_of_its_grammar():
    literals = {each.pattern.value for each in grammar().terminals if each.pattern}
    spoken = {word for word in literals if word.isalpha()}
    calls = {"P", "table", "coefficient", "intercept", "variance", "link", "leak"}
    assert spoken == KEYWORDS | calls


def test_knowledge_is_a_value():
    text = "# Lee\nlet w = {a, b}\norder of S: I < II\nP(S=I) = 1\nrequire A -> B\norder A < B\n"
    known = tc.Knowledge.parse(text, "lee.know")
    assert str(known) == text
    assert repr(known) == "<Knowledge of 5 rules from lee.know>"
    assert repr(tc.Knowledge(known.rules[:1])) == "<Knowledge of 1 rule>"
    assert [rule.source for rule in known] == ["lee.know"] * 5
    assert known == tc.Knowledge(known.rules)
    assert hash(known) == hash(tc.Knowledge(known.rules))
    assert [len(part) for part in (known, known.parameters, known.structure)] == [5, 1, 2]
    assert [str(rule) for rule in known.groups] == ["let w = {a, b}"]
    assert [str(rule) for rule in known.orders] == ["order of S: I < II"]
    assert "<pre># Lee\nlet w = {a, b}" in known._repr_html_()
    assert "S: I &lt; II" in known._repr_html_()
    assert not tc.Knowledge()


def test_what_two_experts_know_is_joined():
    lee = tc.Knowledge.parse("P(A=a) = 1  # sure\n", "lee.know")
    kim = tc.Knowledge.parse("X ignores Y", "kim.know")
    both = lee + kim
    assert both.rules == lee.rules + kim.rules
    assert str(both) == "P(A=a) = 1  # sure\nX ignores Y"
    assert both.source == "lee.know, kim.know"
    assert [rule.source for rule in both] == ["lee.know", "kim.know"]
    assert tc.Knowledge() + lee == lee
    with pytest.raises(TypeError):
        lee + "P(A=a) = 1"


def test_knowledge_comes_as_text_rules_files_or_a_list_of_them(tmp_path: Path):
    file, packed = tmp_path / "lee.know", tmp_path / "kim.know.gz"
    file.write_bytes("\ufeffP(Größe=groß) = 1\r\nX ignores Y\r\n".encode())
    packed.write_bytes(gzip.compress(b"P(A=a) = 0.5"))
    one, text = tc.P("A=a") <= 0.3, "P(A=a) <= 0.3"
    assert as_knowledge(None) is None
    assert as_knowledge(one) == as_knowledge(text) == tc.Knowledge((one,))
    assert as_knowledge(tc.Knowledge((one,))).rules == (one,)
    assert as_knowledge(file) == as_knowledge(str(file)) == tc.read_knowledge(file)
    assert [rule.line for rule in tc.read_knowledge(file)] == [1, 2]
    assert str(tc.read_knowledge(str(packed))) == "P(A=a) = 0.5"
    several = as_knowledge([one, text, tc.Knowledge((one,)), packed])
    assert len(several) == 4
    assert [rule.source for rule in several] == ["", "", "", str(packed)]
    assert as_knowledge("").rules == ()


def test_rules_are_built_in_python():
    cancer, other = tc.P("Cancer=yes | Smoker=yes"), tc.P("P(Cancer=yes | Smoker=no)")
    built = {
        cancer <= 0.3: "P(Cancer=yes | Smoker=yes) <= 0.3",
        cancer == 2 * other: "P(Cancer=yes | Smoker=yes) = 2 * P(Cancer=yes | Smoker=no)",
        1 - cancer / 4 >= np.float32(0.5) + other: "1 - 0.25 * P(Cancer=yes | Smoker=yes)"
        " >= 0.5 + P(Cancer=yes | Smoker=no)",
        cancer.between(0.1, 0.3): "0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
        cancer.about(other, within=0.05): "P(Cancer=yes | Smoker=yes)"
        " ~ P(Cancer=yes | Smoker=no) +- 0.05",
        cancer / other >= 3: "P(Cancer=yes | Smoker=yes) / P(Cancer=yes | Smoker=no) >= 3",
        2 * cancer * other <= 1 / other: "2 * P(Cancer=yes | Smoker=yes)"
        " * P(Cancer=yes | Smoker=no) <= 1 / P(Cancer=yes | Smoker=no)",
        cancer / (1 - cancer) * 0.5 == (1 + other) * cancer: "0.5 * P(Cancer=yes | Smoker=yes)"
        " / (1 - P(Cancer=yes | Smoker=yes))"
        " = (1 + P(Cancer=yes | Smoker=no)) * P(Cancer=yes | Smoker=yes)",
    }
    for rule, text in built.items():
        assert isinstance(rule, Rule)
        assert str(rule) == text
        assert rule == rule_of(text)
    stated = (cancer <= 0.3).stated(by="Dr. Lee").stated(confidence=0.9)
    assert stated == rule_of('P(Cancer=yes | Smoker=yes) <= 0.3 confidence 0.9 by "Dr. Lee"')
    assert stated.line == 0
    assert repr(-cancer) == "-P(Cancer=yes | Smoker=yes)"


def test_reading_rules_loads_no_kernels():
    code = (
        "import sys, tacit; tacit.Knowledge.parse('P(A=a) = 1'); tacit.P('A=a') <= 0.3; "
        "print(*[name for name in ('numba', 'scipy', 'numpy', 'duckdb') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_ten_thousand_rules_are_read_in_a_second():
    text = "\n".join(
        f"P(V{n}=s{n % 3} | W{n}=a, Z{n % 7}=b) <= 0.{n % 89 + 10} + P(V{n}=s)"
        for n in range(10_000)
    )
    spent = [float("inf")]
    while min(spent) >= 1 and len(spent) < 6:  # of the processor, the best of five
        before = time.process_time()
        assert len(rules_of(text)) == 10_000
        spent.append(time.process_time() - before)
    assert min(spent) < 1
