"""Words shared by authors, Niculescu 2005, section 8.2."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import naive_experiments as naive
import tacit as tc
from tacit.experiments import emails as mail
from tacit.experiments import niculescu_email as email
from tacit.experiments.outcome import Outcome, Settings
from tacit.experiments.registry import find, run

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reproductions.md"


@pytest.fixture(scope="module")
def small() -> Outcome:
    return run(find(email.NAME), Settings("smoke"))


@pytest.fixture(scope="module")
def truth() -> mail.Truth:
    return mail.draw_truth(0.5, np.random.default_rng(1))


@pytest.fixture(scope="module")
def written(truth: mail.Truth) -> mail.Emails:
    return mail.write_emails(truth, 300, np.random.default_rng(2))


def test_the_stand_in_agrees_with_what_is_said_of_the_corpus() -> None:
    assert (len(mail.EMAILS), mail.EMAILS.min(), mail.EMAILS.max()) == (6, 19, 52)
    assert (mail.EMAILS.sum(), mail.MEETINGS.sum()) == (215, 68)
    shares = mail.MEETINGS / mail.EMAILS
    assert (round(shares.min(), 2), round(shares.max(), 2)) == (0.17, 0.47)
    assert len(mail.WORD.states) == 1070


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
def test_shared_words_are_equal_for_all_authors_and_no_others(share: float) -> None:
    truth = mail.draw_truth(share, np.random.default_rng(4))
    words = truth.network["Word"].values
    assert truth.shared.sum() == round(share * 2140)
    assert_allclose(words.sum(axis=-1), 1)
    assert (words > 0).all()
    assert_array_equal(np.ptp(words, axis=0) == 0, truth.shared)
    assert bool(truth.rules) == (share > 0)


def test_counts_are_those_of_the_first_emails(written: mail.Emails) -> None:
    expected = np.zeros(mail.SHAPE)
    topics = np.zeros(mail.SHAPE[:2])
    start = 0
    for number in range(120):
        a, t, end = written.author[number], written.topic[number], written.ends[number]
        topics[a, t] += 1
        for word in written.words[start:end]:
            expected[a, t, word] += 1
        start = end
    counts = written.counts(120)
    assert_array_equal(counts["Word"], expected)
    assert_array_equal(counts["Topic"], topics)
    assert_array_equal(counts["Author"], topics.sum(axis=1))


def test_emails_follow_the_truth(truth: mail.Truth) -> None:
    emails = mail.write_emails(truth, 20_000, np.random.default_rng(3))
    counts = emails.counts(20_000)
    lengths = np.diff(emails.ends, prepend=0)
    assert (lengths.min(), lengths.max()) == (0, 150)
    assert lengths.mean() == pytest.approx(75, abs=6 * 44 / np.sqrt(20_000))
    assert_allclose(counts["Author"] / 20_000, mail.EMAILS / 215, atol=6 * 0.5 / np.sqrt(20_000))
    expected = counts["Word"].sum(axis=-1, keepdims=True) * truth.network["Word"].values
    apart = (counts["Word"] - expected) ** 2 / expected
    degrees = 12 * 1069
    assert apart.sum() == pytest.approx(degrees, abs=6 * np.sqrt(2 * degrees))


def test_estimates_are_those_printed(truth: mail.Truth, written: mail.Emails) -> None:
    counts = written.counts(len(written))
    gnb, ssnb, psnb = email.Models.of(truth).networks(counts)
    for t in range(2):
        words = counts["Word"][:, t]
        expected = naive.shared_across(words, truth.shared[t])
        assert_allclose(ssnb["Word"].values[:, t], expected, rtol=1e-10)
        assert_allclose(gnb["Word"].values[t], naive.standard(words.sum(axis=0)), rtol=1e-12)
        for a in range(6):
            assert_allclose(psnb["Word"].values[a, t], naive.standard(words[a]), rtol=1e-12)
    for a in range(6):
        expected_topic = naive.standard(counts["Topic"][a])
        assert_allclose(ssnb["Topic"].values[a], expected_topic, rtol=1e-12)
        assert_allclose(psnb["Topic"].values[a], expected_topic, rtol=1e-12)
    assert_allclose(gnb["Topic"].values, naive.standard(counts["Topic"].sum(axis=0)), rtol=1e-12)


def test_fit_gives_the_same_from_statistics(truth: mail.Truth, written: mail.Emails) -> None:
    counts = written.counts(len(written))
    statistics = tc.Statistics.from_plain(
        {
            **tc.Statistics(truth.network).to_plain(),
            "cases": len(written),
            "total_weight": float(len(written)),
            "counts": {
                name: {"statistics": "counts", "shape": [*held.shape], "values": [*held.flat]}
                for name, held in counts.items()
            },
        }
    )
    fit = tc.fit(
        mail.DAG, statistics, knowledge=truth.rules, prior=tc.Dirichlet(2), estimate=tc.MAP()
    )
    _, ssnb, _ = email.Models.of(truth).networks(counts)
    for name in mail.VARIABLES:
        assert_allclose(ssnb[name].values, fit.network[name].values, rtol=1e-12)


def test_the_divergence_is_that_of_author_topic_and_one_word(
    truth: mail.Truth, written: mail.Emails
) -> None:
    tables = [truth.network[name].values for name in mail.VARIABLES]
    gnb, ssnb, _ = email.Models.of(truth).networks(written.counts(200))
    found = [ssnb[name].values for name in mail.VARIABLES]
    assert tc.divergence(truth.network, ssnb) == pytest.approx(naive.kl_of_one_word(tables, found))
    shapes = (mail.SHAPE[:1], mail.SHAPE[:2], mail.SHAPE)
    pooled = [
        np.broadcast_to(gnb[name].values, shape)
        for name, shape in zip(mail.VARIABLES, shapes, strict=True)
    ]
    assert tc.divergence(truth.network, gnb) == pytest.approx(naive.kl_of_one_word(tables, pooled))


def test_accuracy_is_the_share_of_emails_told_right(
    truth: mail.Truth, written: mail.Emails
) -> None:
    for network in email.Models.of(truth).networks(written.counts(40)):
        topic = np.broadcast_to(network["Topic"].values, mail.SHAPE[:2])
        word = np.broadcast_to(network["Word"].values, mail.SHAPE)
        starts = np.r_[0, written.ends[:-1]]
        right = [
            naive.topic_of(author, written.words[start:end], topic, word) == told
            for author, told, start, end in zip(
                written.author, written.topic, starts, written.ends, strict=True
            )
        ]
        assert mail.accuracy(network, written) == pytest.approx(np.mean(right))


def test_a_small_run_has_the_tables_and_the_trends(small: Outcome) -> None:
    assert [row[0] for row in small.tables[0].rows] == [str(size) for size in email.ROWS]
    assert [row[0] for row in small.tables[3].rows] == ["0", "0.25", "0.5", "0.75", "1"]
    for table in small.tables:
        assert all(len(row) == len(table.heads) for row in table.rows)
    told = {claim.text: claim.holds for claim in small.claims}
    assert told["PSNB needs more emails than SSNB"]
    assert told["the more is shared, the nearer GNB and SSNB come"]
    nothing_shared = small.plain["sweep"][0]
    assert nothing_shared["SSNB"] == pytest.approx(nothing_shared["PSNB"], rel=1e-12)


@pytest.mark.full
def test_twelve_repetitions_agree_with_the_paper() -> None:
    outcome = run(find(email.NAME), Settings("default"))
    assert all(claim.holds for claim in outcome.claims)
    page = PAGE.read_text(encoding="utf-8")
    assert all(str(table) in page for table in outcome.tables)
    for gap in (outcome.plain["gap_to_psnb"], outcome.plain["gap_to_gnb"]):
        assert gap["ours"] == pytest.approx(gap["paper"], rel=0.15)
    assert outcome.plain["factor_kl"]["ours"] == pytest.approx(1.69, rel=0.1)
