"""What is said about rules that cannot be read, in full."""

from __future__ import annotations

import gzip
from math import inf, nan
from pathlib import Path

import pytest

import tacit as tc
from tacit.knowledge.knowledge import as_knowledge
from tacit.knowledge.reading import parse_query

SYNTAX = [
    (
        "P(A=a) < 0.3",
        "this does not fit here: '<'\n\n"
        "    P(A=a) < 0.3\n"
        "           ^\n\n"
        "rules are closed: write <= instead of <",
    ),
    (
        "P(A=a) > 0.3",
        "this does not fit here: '>'\n\n"
        "    P(A=a) > 0.3\n"
        "           ^\n\n"
        "rules are closed: write >= instead of >",
    ),
    (
        "P(A=a) == 0.3",
        "this does not fit here: '=='\n\n    P(A=a) == 0.3\n           ^^\n\nwrite = for equal",
    ),
    (
        "P(A=a) != 0.3",
        "this does not fit here: '!='\n\n"
        "    P(A=a) != 0.3\n"
        "           ^^\n\n"
        "a rule cannot say that two quantities differ",
    ),
    (
        "P(A=a) =< 0.3",
        "this does not fit here: '=<'\n\n    P(A=a) =< 0.3\n           ^^\n\nwrite <= for at most",
    ),
    (
        "P(A!=a) = 0.3",
        "this does not fit here: '!='\n\n"
        "    P(A!=a) = 0.3\n"
        "       ^^\n\n"
        "all states but one:  X=not a",
    ),
    (
        "P(A=a)",
        "the statement ends too early\n\n"
        "    P(A=a)\n"
        "         ^\n\n"
        "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
    ),
    (
        "P(A=a)\n<= 0.3",
        "line 1: the statement ends too early\n\n"
        "    P(A=a)\n"
        "         ^\n\n"
        "a rule goes on in the next line behind an operator or a comma, not before it",
    ),
    (
        "P(A=a | B=b <= 0.3",
        "a ) is missing before '<='\n\n"
        "    P(A=a | B=b <= 0.3\n"
        "                ^^\n\n"
        "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
    ),
    (
        "P(A=a | B=b) <= (0.3",
        "this bracket is never closed\n\n"
        "    P(A=a | B=b) <= (0.3\n"
        "                    ^\n\n"
        "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
    ),
    (
        "P(A=a)) <= 0.3",
        "this does not fit here: ')'\n\n"
        "    P(A=a)) <= 0.3\n"
        "          ^\n\n"
        "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
    ),
    (
        "p(A=a) <= 0.3",
        "this does not fit here: 'p'\n\n"
        "    p(A=a) <= 0.3\n"
        "    ^\n\n"
        "a probability is written P(...)",
    ),
    (
        "2P(A=a) <= 0.3",
        "this does not fit here: '2P'\n\n    2P(A=a) <= 0.3\n    ^^\n\nwrite 2 * P(...)",
    ),
    (
        "P(A=a b) = 1",
        "this does not fit here: 'b'\n\n"
        "    P(A=a b) = 1\n"
        "          ^\n\n"
        'a name of several words stands in quotes: "a b"',
    ),
    (
        'P(A="b) = 1',
        "this quote is never closed\n\n"
        '    P(A="b) = 1\n'
        "        ^^^^^^^\n\n"
        'a quoted name ends in " on the same line',
    ),
    (
        "P(A=$) = 1",
        "this does not fit here: '$'\n\n"
        "    P(A=$) = 1\n"
        "        ^\n\n"
        "a name with $ in it stands in quotes",
    ),
    (
        "P(A=a)^2 = 1",
        "this does not fit here: '^'\n\n"
        "    P(A=a)^2 = 1\n"
        "          ^\n\n"
        "a power is written as a product:  P(A=a) * P(A=a)",
    ),
    (
        "P(A=a) ** 2 = 1",
        "this does not fit here: '*'\n\n"
        "    P(A=a) ** 2 = 1\n"
        "            ^\n\n"
        "a power is written as a product:  P(A=a) * P(A=a)",
    ),
    (
        "P(A;B) = 1",
        "a part ends here, but is not complete\n\n"
        "    P(A;B) = 1\n"
        "       ^\n\n"
        "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
    ),
    (
        "P(A=a) <= 0.3 when B=b",
        "this does not fit here: 'when'\n\n"
        "    P(A=a) <= 0.3 when B=b\n"
        "                  ^^^^\n\n"
        "the conditions of a probability stand inside it:  P(A=a | B=b)",
    ),
    (
        "P(A=a) = 0.3 by Dr. Lee",
        "this does not fit here: 'Lee'\n\n"
        "    P(A=a) = 0.3 by Dr. Lee\n"
        "                        ^^^\n\n"
        'a name of several words stands in quotes: "Dr. Lee"',
    ),
    (
        "P(A) : P(B) = 2 : 1",
        "this does not fit here: '2'\n\n"
        "    P(A) : P(B) = 2 : 1\n"
        "                  ^\n\n"
        "a known ratio is written like  P(A=a) = 2 * P(A=b)",
    ),
    (
        "P(A=a) ~ 0.3",
        "the statement ends too early\n\n"
        "    P(A=a) ~ 0.3\n"
        "             ^^^\n\n"
        "two quantities are about equal like  P(A=yes | B=yes) ~ P(A=yes | B=no) +- 0.05",
    ),
    (
        "P(A=a) + 3 +- 2",
        "this does not fit here: '+-'\n\n"
        "    P(A=a) + 3 +- 2\n"
        "               ^^\n\n"
        "+- belongs to ~, as in  P(A=a) ~ P(B=b) +- 0.05",
    ),
    (
        "X increase with Y",
        "this does not fit here: 'increase'; did you mean 'increases'?\n\n"
        "    X increase with Y\n"
        "      ^^^^^^^^\n\n"
        "an influence is written like  Cancer increases with Smoker when Age=old",
    ),
    (
        "X increases Y",
        "this does not fit here: 'Y'\n\n"
        "    X increases Y\n"
        "                ^\n\n"
        "an influence is written like  Cancer increases with Smoker when Age=old",
    ),
    (
        "X ignores Y when Z",
        "the statement ends too early\n\n"
        "    X ignores Y when Z\n"
        "                     ^\n\n"
        "an independence is written like  Fever ignores Season, Age when Flu=no",
    ),
    (
        "positive synergy of A, B on C",
        "this does not fit here: 'synergy'\n\n"
        "    positive synergy of A, B on C\n"
        "             ^^^^^^^\n\n"
        "a synergy is written like  positive additive synergy of A, B on C",
    ),
    (
        "requre A -> B",
        "no statement starts with 'requre'; did you mean 'require'?\n\n"
        "    requre A -> B\n"
        "    ^^^^^^\n\n"
        "arcs are required like  require A -> B, C -> D",
    ),
    (
        "require A <- B",
        "this does not fit here: '<-'\n\n"
        "    require A <- B\n"
        "              ^^\n\n"
        "write arcs from the parent to the child, with ->",
    ),
    (
        "with increases with X",
        "'with' is a word of the language\n\n"
        "    with increases with X\n"
        "    ^^^^\n\n"
        'a name like it is quoted: "with"',
    ),
    (
        "let x = a",
        "this does not fit here: 'a'\n\n"
        "    let x = a\n"
        "            ^\n\n"
        "a group of states is written like  let weekdays = {mon, tue}",
    ),
    (
        "share P(A | B=*) { a; B=x }",
        "this does not fit here: '}'\n\n"
        "    share P(A | B=*) { a; B=x }\n"
        "                              ^\n\n"
        "a sharing tree is written like  share P(Word | Author=*) { a, the; Author=x { of } }",
    ),
    (
        "<= 0.3",
        "this does not fit here: '<='\n\n    <= 0.3\n    ^^\n\n"
        "a rule is written like  P(Cancer=yes | Smoker=no) <= 0.3  "
        "or  Cancer increases with Smoker",
    ),
    (
        "order A",
        "the statement ends too early\n\n"
        "    order A\n"
        "          ^\n\n"
        "an order of variables is written like  order A, B < C",
    ),
    (
        "order of X a < b",
        "this does not fit here: 'a'\n\n"
        "    order of X a < b\n"
        "               ^\n\n"
        "an order of states is written like  order of Stage: I < II < III",
    ),
    (
        "at most three parents",
        "this does not fit here: 'three'\n\n"
        "    at most three parents\n"
        "            ^^^^^\n\n"
        "parents are limited like  at most 3 parents  or  at most 2 parents for X",
    ),
    (
        "(((((((((((((((((((((P(A)))))))))))))))))))))) = 1",
        "more than 20 brackets stand within each other\n\n"
        "    (((((((((((((((((((((P(A)))))))))))))))))))))) = 1\n"
        "                        ^\n\n"
        "write a simpler rule",
    ),
]

SENSE = [
    (
        "coefficient(A, B) * coefficient(A, C) = 0.1",
        "coefficients can be multiplied with numbers only\n\n"
        "    coefficient(A, B) * coefficient(A, C) = 0.1\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n\n"
        "rules about coefficients are linear",
    ),
    (
        "P(A)*" * 12 + "P(A=a) = 1",
        "more than 12 probabilities stand in one product\n\n"
        "    P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A)*P(A=a) = 1\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n\n"
        "write a simpler rule",
    ),
    (
        "(1 + 2) / P(A=a) = 1",
        "write one number in place of this sum\n\n    (1 + 2) / P(A=a) = 1\n     ^^^^^",
    ),
    (
        "odds(P(A=a), P(B=b)) >= 2",
        "'odds' is a function, and no text can state a rule on it\n\n"
        "    odds(P(A=a), P(B=b)) >= 2\n"
        "    ^^^^\n\n"
        "state it in Python:  tc.rule(odds, [...], at_least=...)",
    ),
    (
        "1 <= odds(P(A=a)) <= 2",
        "'odds' is a function, and no text can state a rule on it\n\n"
        "    1 <= odds(P(A=a)) <= 2\n"
        "         ^^^^\n\n"
        "state it in Python:  tc.rule(odds, [...], at_least=...)",
    ),
    (
        "(1 + 2) * P(A=a) = 1",
        "write one number in place of this sum\n\n    (1 + 2) * P(A=a) = 1\n     ^^^^^",
    ),
    (
        "2*" * 21 + "P(A=a) = 1",
        "write one number in place of all these\n\n"
        "    2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*2*P(A=a) = 1\n"
        "    ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
    ),
    (
        "P(A=a) / 0 = 1",
        "this divides by zero\n\n    P(A=a) / 0 = 1\n             ^",
    ),
    (
        "P(A=a) <= 1e999",
        "this number is too large\n\n    P(A=a) <= 1e999\n              ^^^^^",
    ),
    (
        "0.3 <= 0.4",
        "nothing is said here of any probability\n\n"
        "    0.3 <= 0.4\n"
        "    ^^^^^^^^^^\n\n"
        "a bound is written like  P(A=yes) <= 0.3",
    ),
    (
        "coefficient(A, B) = link(A, B)",
        "links and coefficients do not mix in one rule\n\n"
        "    coefficient(A, B) = link(A, B)\n"
        "    ^^^^^^^^^^^^^^^^^",
    ),
    (
        "link(A, B) * P(A=a) <= 0.1",
        "links can be multiplied with numbers only\n\n"
        "    link(A, B) * P(A=a) <= 0.1\n"
        "    ^^^^^^^^^^^^^^^^^^^\n\n"
        "rules about links are linear",
    ),
    (
        "P(A=a) = coefficient(A, B)",
        "probabilities and coefficients do not mix in one rule\n\n"
        "    P(A=a) = coefficient(A, B)\n"
        "             ^^^^^^^^^^^^^^^^^",
    ),
    (
        "P(A):P(B) = P(C):P(D):P(E)",
        "this side has 3 probabilities, the first has 2\n\n"
        "    P(A):P(B) = P(C):P(D):P(E)\n"
        "                ^^^^^^^^^^^^^^",
    ),
    (
        "P(A=a) = 1 confidence 0",
        "a confidence lies above 0 and is at most 1, or 100%\n\n"
        "    P(A=a) = 1 confidence 0\n"
        "               ^^^^^^^^^^^^",
    ),
    (
        "P(A=a) = 1 by Lee by Kim",
        "the author is given twice\n\n    P(A=a) = 1 by Lee by Kim\n                      ^^^^^^",
    ),
    (
        "at most 2.5 parents",
        "the number of parents must be 0, 1, 2, ...\n\n    at most 2.5 parents\n            ^^^",
    ),
]


@pytest.mark.parametrize(("text", "message"), SYNTAX + SENSE, ids=lambda part: part[:30])
def test_what_is_wrong_with_a_rule(text: str, message: str):
    with pytest.raises(tc.KnowledgeError) as caught:
        tc.Knowledge.parse(text)
    assert str(caught.value) == message


def test_a_message_names_the_file_and_the_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("expert.know").write_text("# Lee\nP(A=a) = 0.3\n\tP(Flu=yes) > 0.1  # more\n")
    with pytest.raises(tc.KnowledgeError) as caught:
        tc.read_knowledge("expert.know")
    assert str(caught.value) == (
        "expert.know:3: this does not fit here: '>'\n\n"
        "     P(Flu=yes) > 0.1  # more\n"
        "                ^\n\n"
        "rules are closed: write >= instead of >"
    )


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("absent.know", None, "there is no file 'absent.know'"),
        ("absent.know.gz", None, "there is no file 'absent.know.gz'"),
        ("a.know", b"", "a.know: the file is empty; it should hold rules, one in a line"),
        (
            "a.know",
            b"# nothing yet\n\n",
            "a.know: the file holds only comments; it should hold rules, one in a line",
        ),
        ("a.know", b"\x00\x01\x02", "a.know: this is no file of rules"),
        ("a.know", b"P(A=a\xff) = 1", "a.know: this is no text file in UTF-8"),
        (
            "a.know.gz",
            gzip.compress(b"P(A=a) = 1", mtime=0)[:-9],
            "a.know.gz: the compressed file is damaged or cut short",
        ),
    ],
)
def test_what_is_wrong_with_a_file(
    name: str, content: bytes | None, message: str,
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    monkeypatch.chdir(tmp_path)
    if content is not None:
        Path(name).write_bytes(content)
    with pytest.raises(tc.KnowledgeError) as caught:
        as_knowledge(name)
    assert str(caught.value) == message


def test_a_folder_holds_no_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("a.know").mkdir()
    with pytest.raises(tc.KnowledgeError) as caught:
        tc.read_knowledge("a.know")
    assert str(caught.value) == "'a.know' is a folder, not a file"


def test_something_else_is_no_knowledge():
    with pytest.raises(tc.KnowledgeError) as caught:
        as_knowledge(3)
    assert str(caught.value) == (
        "knowledge is a text, a file, tc.Knowledge or a list of rules, not 3"
    )
    with pytest.raises(tc.KnowledgeError) as caught:
        (tc.P("A=a") <= 0.3).stated(confidence=2)
    assert str(caught.value) == (
        "a confidence lies above 0 and is at most 1, or 100%\n\n"
        "    P(A=a) <= 0.3 confidence 2\n"
        "                  ^^^^^^^^^^^^"
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda p: p.about(p, within=p), "a number is expected here, not P(A=a)"),
        (lambda p: p / 0, "P(A=a) cannot be divided by zero"),
        (lambda p: p < 0.3, "rules are closed: write <= instead of <"),
        (lambda p: p > 0.3, "rules are closed: write >= instead of >"),
        (lambda p: p != 0.3, "a rule cannot say that two quantities differ"),
        (lambda p: p <= "0.3", "a number is expected here, or tc.P(...), not '0.3'"),
        (lambda p: p <= inf, "a number is expected here, or tc.P(...), not inf"),
        (
            lambda p: tc.P("A=") <= 1,
            "this does not fit here: ')'\n\n    P(A=)\n        ^\n\n"
            "a rule is written like  0.1 <= P(Cancer=yes | Smoker=yes) <= 0.3",
        ),
    ],
)
def test_what_is_wrong_with_a_rule_built_in_python(build, message: str):
    with pytest.raises(tc.KnowledgeError) as caught:
        build(tc.P("A=a"))
    assert str(caught.value) == message


def test_a_chain_in_python_would_lose_its_first_half():
    with pytest.raises(TypeError) as caught:
        bool(tc.P("A=a") <= 0.3)
    assert str(caught.value) == (
        "a rule is neither true nor false: in Python `a <= p <= b` keeps only its second half; "
        "write tc.P(...).between(a, b), or put the whole rule in a text"
    )


RULE = tc.P("A=a") <= 0.3
NO_RULES = "tc.Knowledge takes a list of rules, not {}; tc.parse_knowledge reads a text"
FROM_PYTHON = [
    (lambda: tc.P(3), 'tc.P takes a text such as "Cancer=yes | Smoker=yes", not 3'),
    (lambda: RULE.stated(by=3), "who said a rule is a text, not 3"),
    (lambda: RULE.stated(confidence=nan), "a confidence is a number above 0, at most 1, not nan"),
    (lambda: RULE.stated(confidence="x"), "a confidence is a number above 0, at most 1, not 'x'"),
    (lambda: tc.P("A=a") * 1e308 * 1e308,
     "the numbers of 1e+308 * P(A=a) times 1e+308 are too large"),
    (lambda: tc.P("A=a") / 1e-308 / 1e-10,
     "the numbers of 1e+308 * P(A=a) times 1e+10 are too large"),
    (lambda: tc.P("A=a") <= 10**400, "a number in a rule is too large: it has over 300 digits"),
    (lambda: tc.parse_knowledge(None), "rules are read from a text, not from None"),
    (lambda: tc.read_knowledge(3), "a file of rules is named by a text or a path, not 3"),
    (lambda: tc.Knowledge("text"), NO_RULES.format("'text'")),
    (lambda: tc.Knowledge(3), NO_RULES.format("3")),
    (lambda: tc.Knowledge(("a",)), NO_RULES.format("'a'")),
    (lambda: as_knowledge(b"P(A=a) <= 1"),
     "knowledge is a text, a file, tc.Knowledge or a list of rules, not b'P(A=a) <= 1'"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), FROM_PYTHON)
def test_what_python_gives_is_looked_at_first(call, message):
    with pytest.raises(tc.KnowledgeError) as problem:
        call()
    assert str(problem.value) == message


def test_a_text_that_names_a_file_gets_a_hint(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("doctors.txt").write_text("P(A=a) <= 0.3\n")
    with pytest.raises(tc.KnowledgeError) as problem:
        as_knowledge("doctors.txt")
    assert str(problem.value) == (
        "the statement ends too early\n\n"
        "    doctors.txt\n"
        "    ^^^^^^^^^^^\n\n"
        "a rule is written like  P(Cancer=yes | Smoker=no) <= 0.3  or  "
        "Cancer increases with Smoker\n\n"
        "there is a file of this name: give Path('doctors.txt'), or let its name end in .know"
    )


def test_unknown_escapes_in_names_are_refused():
    with pytest.raises(tc.KnowledgeError) as problem:
        tc.parse_knowledge(r'P("a\qb"=x) <= 0.5')
    assert str(problem.value) == (
        r"\q means nothing in a name" "\n\n"
        r'    P("a\qb"=x) <= 0.5' "\n"
        "      ^^^^^^\n\n"
        r"in double quotes, \\ is one backslash, \" a quote and \n the end of a line"
    )  # fmt: skip
    with pytest.raises(tc.QueryError, match="means nothing in a name"):
        parse_query(r'P("a\qb")')


def test_bounds_in_the_wrong_order_are_refused():
    with pytest.raises(tc.KnowledgeError, match="the lower bound comes first"):
        tc.P("A=a").between(0.5, 0.2)


def test_rules_in_place_of_a_file_are_told_where_they_belong():
    with pytest.raises(tc.KnowledgeError, match="write the rules to a file"):
        tc.read_knowledge("P(Age=Senior) <= 0.3")
