"""What a report says of borrowed tables: from where, worth what, how far they moved."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import log

import numpy as np
import pytest
from numpy.testing import assert_allclose

import tacit as tc
from tacit.learn.loans import Borrowed, Loan
from tacit.reporting.again_lent import sources_python, sources_words
from tacit.reporting.lent import MOST_LOANS, factor, in_short, ruled_out, sure
from tacit.reporting.loans import borrowed, doubtful, leaning
from tacit.reporting.report import Report
from tacit.reporting.support import all_rows
from tacit.reporting.views import aside, moved_by

SKY, RAIN = tc.Discrete("Sky", ("clear", "grey")), tc.Discrete("Rain", ("no", "yes"))


def cases(*cells: tuple[int, int]) -> tc.Dataset:
    sky, rain = np.array(cells).T
    return tc.Dataset({"Sky": SKY, "Rain": RAIN}, {"Sky": sky, "Rain": rain})


HERE = cases((0, 0), (0, 0), (0, 1), (1, 1))
LEEDS = cases(*[(0, 0)] * 30, *[(0, 1)] * 10, *[(1, 0)] * 5, *[(1, 1)] * 35)
EVIL = '<script>alert("x")</script> | `tick` *star* \x1b[31m\u202e'
LOAN = Loan("Leeds", "Wet", ("Cloud",), 80.0, 60.0, log(38.0), 0.75)
LENT = Borrowed("Rain", ("Sky",), (LOAN,), 4, moved=0.31)
KEPT = Borrowed("Sky", (), (), 0, why="no source has a fragment of this shape")


def with_loans(*tables: Borrowed, **settings):
    fit = tc.fit("Sky -> Rain", HERE, prior=tc.K2())
    sources = {"Leeds": {"data": "leeds.csv"}, "York": {"data": "a network", "strength": 200.0}}
    said = {**fit.settings, "sources": sources, "transfer": "BestFragment()", **settings}
    return replace(fit, borrowed=tables, settings=said)


def told(fit, kind):
    sections = {section["kind"]: section for section in tc.report(fit).facts["sections"]}
    return sections.get(kind)


def flowing(text):
    return " ".join(text.split())


def test_without_sources_there_is_no_section_and_no_word_of_them():
    fit = tc.fit("Sky -> Rain", HERE)
    assert told(fit, "borrowed") is None
    page = tc.report(fit).to_html()
    assert "borrow" not in page.lower()
    assert moved_by(told(fit, "tables")) == "the prior"


def test_the_section_holds_every_loan_as_plain_data():
    section = told(with_loans(KEPT, LENT), "borrowed")
    assert json.loads(json.dumps(section)) == section
    assert [one["variable"] for one in section["tables"]] == ["Rain", "Sky"]
    rain = section["tables"][0]
    assert rain["loans"] == [
        {
            "source": "Leeds", "fragment": "Wet", "order": ["Cloud"], "cases": 80.0, "worth": 60.0,
            "log_factor": log(38.0), "probability": 0.75, "nominal": False, "mapped": "",
        }
    ]  # fmt: skip
    assert (rain["worth"], rain["cases"], rain["moved"]) == (60.0, 4.0, 0.31)
    assert section["sources"] == [
        {"name": "Leeds", "tables": 1, "worth": 60.0, "earned": True},
        {"name": "York", "tables": 0, "worth": 0, "earned": False},
    ]


def test_every_form_names_site_fragment_worth_and_factor():
    report = tc.report(with_loans(LENT, KEPT))
    texts = [str(report), report.to_markdown().replace("\\", ""), report.to_html()]
    for text in texts:
        for words in ("Wet", "Cloud", "60 of 80 cases", "38", "0.75", "0.31"):
            assert words in text
        assert "1 of 2 tables was borrowed from Leeds." in flowing(text)
        assert "York earned nothing" in flowing(text)
        assert "no source has a fragment of this shape" in flowing(text)


def test_a_report_read_back_from_json_prints_the_same():
    report = tc.report(with_loans(LENT, KEPT))
    again = Report(json.loads(report.to_json()))
    assert again.to_html() == report.to_html()
    assert str(again) == str(report)


def test_the_answer_says_how_many_tables_came_from_whom():
    sentences = told(with_loans(LENT, KEPT), "answer")["sentences"]
    assert "1 of 2 tables was borrowed from Leeds." in sentences
    assert in_short(0, 3, []) == "None of 3 tables was borrowed."
    two = in_short(5, 8, ["Leeds", "York"])
    assert two == "5 of 8 tables were borrowed from Leeds and York."


def test_rules_that_ruled_out_fragments_are_named_once_per_table():
    no = [("Leeds", "P(Wet | Cloud)", "P(Rain=yes | Sky=clear) <= 0.1")]
    no += [("York", "P(Rain | Sky)", "P(Rain=yes | Sky=clear) <= 0.1")]
    section = told(with_loans(replace(LENT, refused=tuple(no))), "borrowed")
    assert ruled_out(section) == [
        "P(Rain | Sky): P(Wet | Cloud) of Leeds and P(Rain | Sky) of York cannot keep "
        "P(Rain=yes | Sky=clear) <= 0.1"
    ]


def test_ties_and_networks_and_mapped_states_are_remarked():
    loan = replace(LOAN, nominal=True, mapped="states of 1 variable taken together")
    text = flowing(str(tc.report(with_loans(replace(LENT, loans=(loan,), tied=True)))))
    assert "another fragment fitted as well" in text
    assert "states of 1 variable taken together" in text
    assert "a network, its worth as it was said" in text


def test_of_many_fragments_the_first_few_are_shown_and_the_rest_is_summed():
    many = tuple(replace(LOAN, fragment=f"W{at}", worth=1.5) for at in range(MOST_LOANS + 4))
    report = tc.report(with_loans(replace(LENT, loans=many)))
    for text in (flowing(str(report)), report.to_html()):
        assert f"P(W{MOST_LOANS - 1} | Cloud)" in text
        assert f"P(W{MOST_LOANS} | Cloud)" not in text
        assert "4 more fragments gave it 6 cases" in text


@pytest.mark.parametrize(
    ("value", "text"),
    [(log(38.0), "38"), (0.0, "1"), (log(0.5), "0.5"), (log(1e7), "10^7"), (-50.0, "10^-22"),
     (log(1234.0), "1,200"), (None, "0")],
)  # fmt: skip
def test_bayes_factors_have_two_digits_or_are_powers_of_ten(value, text):
    assert factor(value) == text


def test_probabilities_of_one_table_do_not_pretend_to_be_certain():
    shown = [sure({"probability": value}) for value in (0.9951, 1.0, 0.9, 0.004, None)]
    assert shown == [">0.99", "1", "0.90", "0.004", "?"]


def borrowing(**options):
    return tc.fit(
        "Sky -> Rain", HERE, sources=[tc.Source(LEEDS, "Leeds")], prior=tc.K2(), **options
    )


def test_a_fit_that_borrows_is_told_as_it_is():
    fit = borrowing(transfer=tc.Pool())
    section = told(fit, "borrowed")
    assert {one["variable"]: one["worth"] for one in section["tables"]} == {"Sky": 80, "Rain": 80}
    assert section["sources"] == [{"name": "Leeds", "tables": 2, "worth": 160.0, "earned": True}]
    without = tc.fit("Sky -> Rain", HERE, prior=tc.K2())
    for one in section["tables"]:
        change = fit.network[one["variable"]].values - without.network[one["variable"]].values
        assert_allclose(one["moved"], abs(change).max())


def test_rows_lean_on_what_was_borrowed_when_it_is_nine_tenths_of_their_evidence():
    """K2 adds 1 per cell: Sky borrows 80 of 80 + 4 + 2, clear 40 of 45, grey 40 of 43."""
    fit = borrowing(transfer=tc.Pool())
    section = borrowed(fit)
    assert 80 / 86 > 0.9
    assert 40 / 45 < 0.9
    assert 40 / 43 > 0.9
    assert {one["variable"]: one["leaning"] for one in section["tables"]} == {"Sky": 1, "Rain": 1}
    worry = leaning(fit, list(all_rows(fit)))
    assert worry["text"].startswith("2 of 3 rows rest on borrowed cases for more than 90%")
    fewer = borrowing(transfer=tc.Pool(strength=0.25))
    assert leaning(fewer, list(all_rows(fewer))) is None


def test_a_loan_that_moves_far_and_hardly_earned_it_is_a_worry():
    weak = replace(LENT, loans=(replace(LOAN, log_factor=log(2.9)),))
    strong = replace(LENT, loans=(replace(LOAN, log_factor=log(3.1)),))
    assert doubtful(with_loans(weak), [])["where"] == [{"variable": "Rain", "count": None}]
    assert doubtful(with_loans(strong), []) is None
    assert doubtful(with_loans(replace(weak, moved=0.19)), []) is None
    kinds = [worry["kind"] for worry in told(with_loans(weak), "answer")["worries"]]
    assert "weak loans" in kinds


def test_marks_of_cells_and_intervals_say_what_sources_have_to_do_with_them():
    fit = borrowing(transfer=tc.Pool())
    section = told(fit, "tables")
    assert moved_by(section) == "the prior or a source"
    assert aside(section) == ""
    assert section["prior"] == "K2() and what was borrowed"
    ruled = borrowing(transfer=tc.Pool(), knowledge="P(Sky=grey) >= 0.1")
    assert moved_by(told(ruled, "tables")) == "the prior, a rule or a source"
    other = told(borrowing(transfer=tc.Aggregate()), "tables")
    assert aside(other) == ", what was borrowed left aside"


@pytest.mark.parametrize(
    ("transfer", "words"),
    [
        (tc.BestFragment(), "which are added to its own"),
        (tc.Pool(), "whether they fit or not"),
        (tc.Aggregate(), "The Bayes factor took no part in the choice"),
        (tc.BestFragment(fusion="normal"), "truncated normal prior"),
    ],
)
def test_the_section_says_how_it_was_borrowed(transfer, words):
    assert words in flowing(str(tc.report(with_loans(LENT, transfer=transfer.describe()))))


def test_normal_priors_are_no_prior_of_the_intervals():
    fit = with_loans(
        LENT, transfer="BestFragment(fusion='normal')", prior="normal priors",
        estimate="PosteriorMean()",
    )  # fmt: skip
    assert "as the posterior mean under normal priors." in told(fit, "answer")["sentences"][0]
    section = told(fit, "tables")
    assert (section["prior"], aside(section)) == (None, ", what was borrowed left aside")
    assert "prior=" not in told(fit, "again")["python"]


def test_averaged_tables_are_not_said_to_be_smoothed():
    sentence = told(borrowing(transfer=tc.Aggregate()), "answer")["sentences"][0]
    assert sentence.endswith("from 4 cases by counting, averaged with tables of the sources.")


def test_tables_name_the_sites_that_they_were_borrowed_from():
    report = tc.report(with_loans(LENT, KEPT))
    assert "Rain given Sky, borrowed from Leeds" in str(report)
    assert report.to_html().count(", borrowed from Leeds</span>") == 1
    assert [table["lenders"] for table in told(with_loans(LENT), "tables")["tables"]] == [
        [],
        ["Leeds"],
    ]


def test_rows_without_cases_speak_of_the_sources():
    fit = tc.fit("Sky -> Rain", cases((0, 0)), sources=tc.Source(LEEDS, "L"), transfer=tc.Pool())
    texts = [worry["text"] for worry in told(fit, "answer")["worries"]]
    assert any("the prior's word and that of the sources" in text for text in texts)


def test_sources_and_transfer_are_named_to_do_it_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    tc.write_cases(LEEDS, "leeds.csv")
    tc.write(tc.fit("Sky -> Rain", LEEDS).network, "york.json")
    sources = [tc.Source("leeds.csv"), tc.Source("york.json", "York", strength=50, related=0.4)]
    fit = tc.fit("Sky -> Rain", HERE, sources=sources, transfer=tc.Mixture(threshold=0.2))
    section = told(fit, "again")
    scope = {}
    python = section["python"].replace("cases = ...", "cases = HERE")
    tc.write(fit.network, "learned.json")
    exec(python, {"HERE": HERE}, scope)
    assert scope["fit"].network == fit.network
    assert section["command"] is None  # related= has no word there
    fit = tc.fit("Sky -> Rain", HERE, sources=sources[0], transfer=tc.Mixture(threshold=0.2))
    words = "--source leeds=leeds.csv --transfer mixture:0.2"
    assert words in told(fit, "again")["command"]


@pytest.mark.parametrize(
    ("transfer", "word"),
    [
        (tc.BestFragment(), "best"),
        (tc.BestFragment(threshold=0.8, learned=False), "best:0.8,apart"),
        (tc.BestFragment(fusion="normal", printed=True), "best:normal,printed"),
        (tc.Mixture(guided=True, states="aggregate"), "mixture:together,guided"),
        (tc.Aggregate(variant="distance"), "aggregate:distance"),
        (tc.Pool(strength=0.5, check="none"), "pool:unchecked,0.5"),
        (tc.Aggregate(low="linear"), None),
        (tc.BestFragment(normal=tc.NormalPrior(bootstrap=100)), None),
    ],
)
def test_transfers_have_words_on_the_command_line_that_mean_them(transfer, word):
    from tacit.cli.sourced import Named, transfer_of

    words = sources_words(with_loans(LENT, transfer=transfer.describe()))
    assert words == (None if word is None else words)
    if word is not None:
        assert words[-2:] == ["--transfer", word]
        assert transfer_of(word, [Named("x.csv", "x", "x.csv")]) == transfer
    scope = {}
    arguments = sources_python(with_loans(LENT, transfer=transfer.describe()))[1]
    exec(f"found = dict({', '.join(arguments)})", {"tc": tc, "sources": None}, scope)
    assert scope["found"]["transfer"] == transfer


def test_names_do_no_harm_on_any_page():
    loan = replace(LOAN, source=EVIL, fragment=EVIL, order=(EVIL,))
    table = replace(LENT, loans=(loan,), refused=((EVIL, EVIL, EVIL),))
    report = tc.report(with_loans(table, sources={EVIL: {"data": EVIL}}))
    page = report.to_html()
    assert "<script>alert" not in page
    assert "<script>alert" not in re.sub(r"```.*?```", "", report.to_markdown(), flags=re.DOTALL)
    assert "\x1b" not in page + report.to_markdown() + str(report)
    assert "\u202e" not in page + report.to_markdown() + str(report)


def test_the_page_is_well_formed_where_a_table_has_several_loans():
    page = tc.report(with_loans(replace(LENT, loans=(LOAN, LOAN)), KEPT)).to_html()
    section = page[page.index('<section id="borrowed"') :]
    section = section[: section.index("</section>")]
    for tag in ("table", "tbody", "tr", "th", "td", "ul", "li", "div", "span", "small"):
        assert len(re.findall(f"<{tag}[ >]", section)) == section.count(f"</{tag}>"), tag
    assert 'rowspan="2"' in section
    assert 'href="#borrowed"' in page


def beside_reals(transfer) -> tc.Fit:
    """Tables with a continuous child that lacks cells, and one that a site lends."""
    random = np.random.default_rng(3)
    sky, rain = random.integers(0, 2, (2, 40))
    depth = np.where(random.random(40) < 0.2, np.nan, random.normal(rain, 1))
    columns = {"Sky": sky, "Rain": rain, "Depth": depth}
    kinds = {"Sky": SKY, "Rain": RAIN, "Depth": tc.Continuous("Depth")}
    here = tc.Dataset(kinds, columns)
    return tc.fit(
        "Sky -> Rain -> Depth", here, seed=1, transfer=transfer,
        prior=[tc.BDeu(1), tc.NormalGamma()],
        sources=tc.Source(cases(*np.stack([sky, rain], 1).tolist()), "Leeds"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "transfer",
    [
        tc.BestFragment(), tc.Mixture(), tc.Pool(), tc.Aggregate(),
        tc.BestFragment(fusion="normal"),
    ],
    ids=lambda each: each.describe(),
)  # fmt: skip
def test_every_form_names_the_families_that_are_no_tables(transfer, tmp_path):
    fit = beside_reals(transfer)
    fit.save(tmp_path / "f.json")
    again = tc.load_fit(tmp_path / "f.json")
    assert (again.borrowed, again.notes, again.settings) == (fit.borrowed, fit.notes, fit.settings)
    section = told(again, "borrowed")
    assert section["no_tables"] == ["Depth"]
    assert [one["variable"] for one in section["tables"] if one["loans"]]
    report = tc.report(again)
    texts = [str(report), report.to_markdown().replace("\\", ""), report.to_html()]
    for text in texts:
        assert "Depth borrowed nothing: its family is no table." in flowing(text)
        assert "borrowed from Leeds" in flowing(text)
    assert Report(json.loads(report.to_json())).to_html() == report.to_html()
    assert "tc.NormalGamma()" in told(again, "again")["python"]


def test_where_all_families_are_tables_none_is_named():
    section = told(with_loans(LENT), "borrowed")
    assert section["no_tables"] == []
    assert "no table." not in str(tc.report(with_loans(LENT)))
