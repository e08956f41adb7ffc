"""What a report says of rules: verdicts in order, costs in words, statements as written."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import exp, inf, log, nan

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.estimate.ruled.status import RuleStatus
from tacit.reporting.report import Report
from tacit.reporting.ruled import MOST_RULES, bars, costs, figure, name, ratio, summary, verdict

SKY, RAIN = tc.Discrete("Sky", ("clear", "grey")), tc.Discrete("Rain", ("no", "yes"))
CASES = tc.Dataset(
    {"Sky": SKY, "Rain": RAIN},
    {"Sky": np.array([0, 0, 0, 0, 1, 1]), "Rain": np.array([0, 0, 0, 1, 1, 1])},
)
FREE = RuleStatus("P(Sky=grey) <= 0.6", 0.375, 0.6, 0, None, None, "Theorem 5.2.1", line=1)
BINDING = RuleStatus(
    'P(Rain=yes | Sky=*) >= 0.5 by "Dr. Lee"', 0.5, 0.5, 1, 0.8, 1.5, "a tree of splits",
    by="Dr. Lee", line=2, instances=2, freedom=1, chance=0.083,
)  # fmt: skip
RESISTED = RuleStatus(
    "Rain decreases with Sky", 0.0, 0.0, 1, None, 7.0, "pooling adjacent violators",
    by="Dr. Kim", confidence=0.8, source="expert.know", line=7, freedom=1, chance=0.0002,
)  # fmt: skip
EVIL = '<script>alert("x")</script> | `tick` *star* \x1b[31m\u202e\n    {next}'


def plain_fit(**options):
    return tc.fit("Sky -> Rain", CASES, prior=tc.K2(), **options)


def ruled(*rules, **settings):
    fit = plain_fit()
    text = "\n".join(rule.text for rule in rules)
    return replace(fit, rules=rules, settings={**fit.settings, "knowledge": text, **settings})


def told(fit, kind):
    sections = {section["kind"]: section for section in tc.report(fit).facts["sections"]}
    return sections.get(kind)


def flowing(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def three():
    return ruled(FREE, BINDING, RESISTED)


def test_without_rules_there_is_no_section_and_no_word_of_them():
    fit = plain_fit()
    assert told(fit, "rules") is None
    report = tc.report(fit)
    for text in (str(report), report.to_markdown()):
        assert not re.search(r"\brules?\b", text)
    assert "moved this cell" in report.to_html()
    assert "a rule moved" not in report.to_html()


def test_resisted_rules_come_first_then_binding_ones_then_free_ones(three):
    section = told(three, "rules")
    assert [one["number"] for one in section["rules"]] == [3, 2, 1]
    assert section["counts"] == {
        "resisted": 1, "overruled": 0, "binding": 1, "believed": 0, "free": 1,
    }  # fmt: skip
    report = tc.report(three)
    for page, title in ((str(report), "Resisted by the data, 1"), (report.to_html(), "<h3>Resist")):
        section = page[page.index(title) :]
        places = [section.index(word) for word in ("Rain decreases", "P(Rain=yes", "P(Sky=grey")]
        assert places == sorted(places)


def test_among_rules_of_one_verdict_the_dearest_come_first():
    cheap, dear = replace(BINDING, cost=0.1), replace(BINDING, cost=2.0)
    unknown, endless = replace(BINDING, cost=None), replace(RESISTED, cost=inf, chance=0.0)
    section = told(ruled(unknown, cheap, dear, RESISTED, endless), "rules")
    assert [one["number"] for one in section["rules"]] == [5, 4, 3, 2, 1]


def test_the_section_holds_every_field_of_a_status(three):
    (one,) = (one for one in told(three, "rules")["rules"] if one["number"] == 3)
    assert one == {
        "number": 3, "text": "Rain decreases with Sky", "by": "Dr. Kim", "confidence": 0.8,
        "source": "expert.know", "line": 7, "verdict": "resisted", "value": 0.0, "limit": 0.0,
        "slack": 0.0, "instances": 1, "binding": 1, "price": None, "cost": 7.0, "at_least": False,
        "alone": None, "dearest": "", "freedom": 1, "chance": 0.0002,
        "probability": None, "solved_by": "pooling adjacent violators",
    }  # fmt: skip


def test_what_all_rules_cost_together_is_the_loss_against_the_free_tables():
    """Against sums cell by cell: counts 4, 2 | 3, 1 | 0, 2 and K2 adds 1 to each."""
    weights = {"Sky": [[5, 3]], "Rain": [[4, 2], [1, 3]]}
    forced = {"Sky": [[0.5, 0.5]], "Rain": [[0.5, 0.5], [0.5, 0.5]]}
    network = tc.Network(
        plain_fit().network.dag,
        {"Sky": SKY, "Rain": RAIN},
        {
            "Sky": tc.Table((SKY,), np.array(forced["Sky"][0])),
            "Rain": tc.Table((SKY, RAIN), np.array(forced["Rain"])),
        },
    )
    fit = replace(ruled(BINDING), network=network)
    loss = sum(
        w * (log(w / sum(row)) - log(0.5)) for rows in weights.values() for row in rows for w in row
    )
    assert_allclose(told(fit, "rules")["cost"], loss)
    assert f"it costs {loss:.3g} nats of the objective." in " ".join(summary(told(fit, "rules")))


@pytest.mark.parametrize("estimate", [tc.ML(), tc.MAP(), tc.Smoothed()])
def test_rules_that_change_nothing_cost_nothing_together(estimate):
    fit = replace(plain_fit(estimate=estimate), rules=(FREE,))
    assert told(fit, "rules")["cost"] == pytest.approx(0, abs=1e-12)


def test_a_posterior_mean_is_no_maximum_and_has_no_cost():
    fit = replace(plain_fit(estimate=tc.PosteriorMean()), rules=(BINDING,))
    assert told(fit, "rules")["cost"] is None
    assert "Against the estimate" not in str(tc.report(fit))


def test_with_missing_cells_costs_are_lower_bounds():
    rain = np.array([0, -1, 0, 1, 1, 1])
    data = tc.Dataset(
        {"Sky": SKY, "Rain": RAIN}, {"Sky": np.array([0, 0, 0, 0, 1, 1]), "Rain": rain}
    )
    fit = replace(tc.fit("Sky -> Rain", data, seed=1), rules=(replace(RESISTED, at_least=True),))
    assert told(fit, "rules")["at_least"]
    assert "costs at least 7 nats in all" in flowing(str(tc.report(fit)))


def test_what_rules_cost_together_on_expected_cases_is_a_lower_bound():
    rain = np.array([0, -1, 0, 1, 1, 1])
    data = tc.Dataset(
        {"Sky": SKY, "Rain": RAIN}, {"Sky": np.array([0, 0, 0, 0, 1, 1]), "Rain": rain}
    )
    fit = tc.fit("Sky -> Rain", data, seed=1)
    even = tc.Table((SKY, RAIN), np.full((2, 2), 0.5))
    families = {"Sky": fit.network["Sky"], "Rain": even}
    network = tc.Network(fit.network.dag, {"Sky": SKY, "Rain": RAIN}, families)
    section = told(replace(fit, network=network, rules=(BINDING,)), "rules")
    assert section["at_least"]
    assert "it costs at least " in " ".join(summary(section))


def test_tied_tables_have_no_cost_of_all_rules():
    """Their free optimum is a table for the group, not one for each of them."""
    fit = ruled(BINDING, tied=[["Sky", "Rain"]])
    assert told(fit, "rules")["cost"] is None


def test_rows_without_cases_and_zeros_may_be_the_work_of_rules():
    clear = tc.Dataset({"Sky": SKY, "Rain": RAIN}, {"Sky": np.zeros(6, int), "Rain": [0] * 6})
    for estimate, kind, words in (
        (tc.Smoothed(), "no cases", "what it holds is the prior's word and that of the rules, not"),
        (tc.ML(), "impossible", "what these cases did not show or a rule excludes; a prior"),
    ):
        fit = tc.fit("Sky -> Rain", clear, estimate=estimate)
        assert words not in worry(fit, kind)
        assert words in worry(replace(fit, rules=(FREE,)), kind)


def test_the_log_marginal_likelihood_is_that_under_the_rules(three):
    said = "Under the prior K2() and the rules the log marginal likelihood is "
    assert said in " ".join(told(three, "answer")["sentences"])
    silent = replace(three, log_marginal_likelihood=None)
    assert "log marginal likelihood" not in " ".join(told(silent, "answer")["sentences"])


@pytest.mark.parametrize(
    ("rules", "sentence"),
    [
        ((FREE,), "There is 1 rule; the estimate keeps it by itself."),
        ((FREE, FREE), "There are 2 rules; the estimate keeps them all by itself."),
        ((BINDING,), "There is 1 rule, and it binds. The data resist none."),
        ((FREE, BINDING, FREE), "There are 3 rules; 1 of them binds. The data resist none."),
        (
            (BINDING, RESISTED),
            "There are 2 rules, and all of them bind. The data resist rule 2 (expert.know:7).",
        ),
        (
            (RESISTED, replace(RESISTED, source=""), FREE),
            "There are 3 rules; 2 of them bind. "
            "The data resist rule 1 (expert.know:7) and rule 2 (line 7).",
        ),
    ],
)
def test_a_sentence_says_how_many_bind_and_which_the_data_resist(rules, sentence):
    section = told(ruled(*rules), "rules")
    assert " ".join(summary({**section, "cost": None})) == sentence


def test_price_cost_ratio_and_chance_are_said_in_words(three):
    text = flowing(str(tc.report(three)))
    assert (
        'P(Rain=yes | Sky=*) >= 0.5 by "Dr. Lee" (rule 2, line 2); value 0.500, limit 0.500: '
        "at its limit; binds in 1 of 2 instances; costs 0.8 nats per 0.01, "
        f"1.5 nats in all; binding: likelihood ratio {exp(1.5):.2f} against it, chance 0.083. "
        "Solved by a tree of splits."
    ) in text
    assert (
        "Rain decreases with Sky (rule 3, by Dr. Kim, confidence 0.8, expert.know:7); value 0, "
        "limit 0: at its limit; costs 7 nats in all; resisted by the data: likelihood ratio 1,100 "
        "against it, chance 0.0002. Solved by pooling adjacent violators."
    ) in text
    assert (
        "P(Sky=grey) <= 0.6 (rule 1, line 1); value 0.375, limit 0.600: 0.225 to spare; free. "
        "Solved by Theorem 5.2.1."
    ) in text


def test_every_form_says_the_same_of_a_rule(three):
    report = tc.report(three)
    page = flowing(re.sub("<[^>]+>", " ", report.to_html()))
    for words in ("costs 0.8 nats per 0.01", "1.5 nats in all", "binds in 1 of 2 instances",
                  "likelihood ratio 1,100 against it", "chance 0.0002", "0.225 to spare",
                  "resisted by the data", "Solved by Theorem 5.2.1"):  # fmt: skip
        assert words in page
        assert words in flowing(str(report))
        assert words in flowing(report.to_markdown())


def one(**changes):
    return told(ruled(replace(RESISTED, **changes)), "rules")["rules"][0]


def test_what_was_not_computed_or_has_no_end_is_said():
    assert costs(one(cost=None, price=None, chance=None)) == "cost not computed"
    assert verdict(one(cost=None, price=None, chance=None)) == "binding"
    assert costs(one(cost=inf, chance=0.0)) == "costs without end"
    excluded = "resisted by the data: the cases show what it excludes"
    assert verdict(one(cost=inf, chance=0.0)) == excluded
    assert costs(one(cost=1e-9, chance=1.0)) == "costs less than 0.001 nats in all"
    assert costs(one(price=-0.5)) == "costs 0.5 nats per 0.01, 7 nats in all"


@pytest.mark.parametrize(
    ("nats", "words"),
    [(0, "1.00"), (log(2), "2.00"), (log(67.4), "67"), (log(1234), "1,200"),
     (log(2e5), "200,000"), (14, "10^6"), (10_000, "10^4,342"), (-1e-12, "1.00")],
)  # fmt: skip
def test_likelihood_ratios_have_two_digits_however_large(nats, words):
    assert ratio(nats) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [(None, "?"), (0.0, "0"), (0.3, "0.300"), (-0.25, "-0.250"), (2e-5, "0.00002"),
     (1e-8, "1e-08"), (12.5, "12.500"), (123456, "1.235e+05")],
)  # fmt: skip
def test_values_and_limits_may_be_any_numbers(value, words):
    assert figure(value) == words


def test_rounding_errors_at_a_limit_are_not_shown():
    text = flowing(str(tc.report(ruled(replace(RESISTED, value=-3e-13)))))
    assert "value 0, limit 0: at its limit" in text


def test_numbers_that_are_none_are_json_and_question_marks():
    fit = ruled(replace(FREE, value=nan, limit=inf))
    report = tc.report(fit)
    assert json.loads(report.to_json()) == report.facts
    assert "value ?, limit ?: slack not known" in flowing(str(report))


def test_bars_of_slack_have_one_scale():
    rules = [{"number": at, "slack": slack} for at, slack in enumerate((0.0, 0.1, 0.4, None))]
    assert bars(rules) == (0.4, {0: "0.000", 1: "0.250", 2: "1.000"})
    assert bars([*rules, {"number": 9, "slack": 50.0}])[1] == {
        0: "0.000", 1: "0.100", 2: "0.400", 9: "1.000",
    }  # fmt: skip
    assert bars(rules[:1]) == (0.0, {0: "0.000"})
    assert bars([{"number": 1, "slack": 1e-16}])[1] == {1: "0.000"}  # rounding left it


def test_every_bar_has_its_text_beside_it(three):
    html = tc.report(three).to_html()
    cells = re.findall(r'<td class="number">([^<]+)<span class="length" style="--p:(\S+)">', html)
    assert cells == [("at its limit", "0.000")] * 2 + [("0.225 to spare", "1.000")]


def test_thousands_of_rules_are_kept_in_json_and_the_first_are_shown():
    free = tuple(replace(FREE, text=f"P(Sky=grey) <= 0.{at}", line=at) for at in range(100, 5100))
    fit = ruled(*free, *[BINDING] * 30, RESISTED)
    report = tc.report(fit)
    assert len(told(fit, "rules")["rules"]) == 5031
    html, text = report.to_html(), flowing(str(report))
    assert html.count('<tr id="rule') == MOST_RULES
    assert len(html) < 400_000
    for page in (flowing(html), text, flowing(report.to_markdown()).replace("\\", "")):
        assert "the first 169 of 5,000 rules" in page
        assert "4,831 more rules are left out here (4,831 free)" in page
    assert len(re.findall('<details class="rules" open>', html)) == 1
    assert len(re.findall('<details class="rules">', html)) == 2
    assert "of rules, kept whole in the fit" in text


def test_hostile_statements_stay_text_and_break_nothing():
    evil = RuleStatus(EVIL, 0.5, 0.5, 1, 1.0, 9.0, EVIL, by=EVIL, source=EVIL, line=3, chance=1e-6)
    report = tc.report(ruled(evil, evil, knowledge_files=[EVIL]))
    html = report.to_html()
    assert html.count("<script") == 1
    assert "&lt;script&gt;alert(" in html
    for text in (html, str(report), report.to_markdown()):
        assert "\x1b" not in text
        assert "\u202e" not in text
    outside = re.sub(r"^```.*?^```", "", report.to_markdown(), flags=re.DOTALL | re.MULTILINE)
    assert "<" not in outside
    assert Report(json.loads(report.to_json())).to_html() == html


def test_a_statement_keeps_its_lines_on_the_page():
    tree = "share P(Rain | Sky) {\n    no\n}"
    html = tc.report(ruled(replace(FREE, text=tree))).to_html()
    assert f'<code class="name">{tree}</code>' in html


def worry(fit, kind):
    found = [one["text"] for one in told(fit, "answer")["worries"] if one["kind"] == kind]
    return found[0] if found else None


def test_resisted_rules_are_a_worry():
    assert worry(ruled(FREE, BINDING), "resisted") is None
    said = worry(ruled(FREE, replace(RESISTED, source="")), "resisted")
    assert said == "the data resist rule 2 (line 7): Rain decreases with Sky"
    many = worry(ruled(*[RESISTED] * 5), "resisted")
    assert many.startswith(
        "the data resist rule 1 (expert.know:7): Rain decreases with Sky; rule 2"
    )
    assert many.endswith("; and 2 more rules")


BELIEVED = replace(FREE, confidence=0.9, probability=0.94)
OVERRULED = replace(RESISTED, chance=None, cost=None, probability=0.02)


def test_doubted_rules_that_the_data_overrule_are_a_worry():
    assert worry(ruled(FREE, BELIEVED), "overruled") is None
    assert worry(ruled(FREE, OVERRULED), "overruled") == (
        "the data overrule rule 2 (expert.know:7): Rain decreases with Sky"
    )


def test_doubted_rules_are_told_with_their_probability():
    section = told(ruled(BINDING, BELIEVED, OVERRULED), "rules")
    assert [one["verdict"] for one in section["rules"]] == ["overruled", "binding", "believed"]
    assert section["cost"] is None
    text = " ".join(summary(section))
    assert text.startswith(
        "There are 3 rules; 2 of them were said with less than certainty: the estimate is the mean "
        "over the sets of them that may hold, and the data overrule 1."
    )
    assert "overruled: holds with probability 0.02, said with 0.8" in verdict(section["rules"][0])


@pytest.mark.parametrize(
    ("authors", "words"),
    [
        (["", ""], "with 2 rules."),
        (["Dr. Lee"], "with 1 rule of Dr. Lee."),
        (["Dr. Lee", "Dr. Kim", "Dr. Lee"], "with 3 rules of Dr. Lee and Dr. Kim."),
        (["Dr. Lee", ""], "with 2 rules, 1 of them of Dr. Lee."),
        (list("ABCDEF"), "with 6 rules of A, B, C, D and 2 more."),
    ],
)
def test_the_answer_says_whose_rules_there_were(authors, words):
    sentences = told(ruled(*(replace(FREE, by=by) for by in authors)), "answer")["sentences"]
    assert sentences[0].endswith(f"by counting, smoothed by the prior K2(), {words}")


def test_tables_say_that_a_rule_may_have_moved_a_cell(three):
    report = tc.report(three)
    said = "▲ or ▼: the prior or a rule moved this cell"
    assert said in report.to_html()
    assert "mark cells that the prior or a rule moved" in flowing(str(report))
    for text in (report.to_html(), str(report)):
        assert "under the prior K2(), the rules left aside." in flowing(text)


def test_a_report_of_an_earlier_release_is_still_laid_out():
    facts = json.loads(tc.report(plain_fit()).to_json())
    for section in facts["sections"]:
        section.pop("ruled", None)
        section.pop("remarks", None)
    report = Report(facts)
    assert "the prior moved this cell" in report.to_html()
    assert "cells that the prior moved" in flowing(str(report))


def test_rules_are_written_again_as_text():
    again = told(ruled(FREE, BINDING), "again")
    lines = f'knowledge = """\n{FREE.text}\n{BINDING.text}\n"""\n'
    assert lines in again["python"]
    assert "tc.fit(network, cases, knowledge=knowledge, prior=tc.K2()," in again["python"]
    names = {}
    exec(lines, names)
    assert names["knowledge"].split("\n")[1:-1] == [FREE.text, BINDING.text]
    assert " --knowledge rules.know --prior k2 " in again["command"]
    assert "`rules.know` stands for a file of its rules." in again["remarks"]
    assert "<code>rules.know</code>" in tc.report(ruled(FREE)).to_html()


@pytest.mark.parametrize("text", ['P(A=") <= 0.1"""', "P(A=\\n) <= 0.1", "P(A=\x1b) <= 0.1"])
def test_odd_rules_are_written_again_as_they_were(text):
    python = told(ruled(replace(FREE, text=text)), "again")["python"]
    names = {}
    exec(next(line for line in python.splitlines() if line.startswith("knowledge =")), names)
    assert names["knowledge"] == text


def test_rules_of_files_are_read_again_from_them():
    first, second = replace(FREE, source="a b.know"), replace(FREE, source="c.know")
    again = told(ruled(first, knowledge_files=["a b.know"]), "again")
    assert "knowledge = 'a b.know'\n" in again["python"]
    assert " --knowledge 'a b.know' " in again["command"]
    assert not any("rules.know" in remark for remark in again["remarks"])
    again = told(ruled(first, second, knowledge_files=["a b.know", "c.know"]), "again")
    assert "knowledge = ['a b.know', 'c.know']\n" in again["python"]
    assert " --knowledge 'a b.know' --knowledge c.know " in again["command"]


def test_a_file_that_python_would_take_for_a_rule_is_written_out():
    fit = ruled(replace(FREE, source="rules.txt"), knowledge_files=["rules.txt"])
    again = told(fit, "again")
    assert 'knowledge = """\nP(Sky=grey)' in again["python"]
    assert " --knowledge rules.txt " in again["command"]


def test_rules_from_files_and_from_elsewhere_are_written_as_text():
    fit = ruled(replace(FREE, source="a.know"), BINDING, knowledge_files=["a.know"])
    again = told(fit, "again")
    assert 'knowledge = """\nP(Sky=grey)' in again["python"]
    assert "--knowledge rules.know" in again["command"]


def test_a_name_of_a_rule_says_where_it_stands():
    assert name(one(source="", line=0)) == "rule 1"
    assert name(one(source="", line=4)) == "rule 1 (line 4)"
    assert name(one(source="x.know", line=0)) == "rule 1 (x.know)"
    long = name(one(source="folder/" * 40 + "x.know"))
    assert len(long) < 80
    assert long.endswith("x.know:7)")


def test_the_proof_of_the_optimum_is_said():
    fit = tc.fit("Sky -> Rain", CASES, knowledge="P(Rain=yes | Sky=clear) <= 0.1")
    said = " ".join(summary(told(fit, "rules")))
    assert "no tables which keep the rules have an objective higher by more than" in said
    assert told(fit, "rules")["proof"]["gap"] < 1e-6
