"""Numbers and names as reports print them."""

from __future__ import annotations

import pytest

from tacit.reporting import wording
from tacit.reporting.markdown import escaped


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.0, "0"), (1.0, "1"), (0.5, "0.500"), (0.12345, "0.123"), (0.0004, "<0.001"),
        (0.0006, "0.001"), (0.9994, "0.999"), (0.99951, ">0.999"), (None, "?"),
    ],
)  # fmt: skip
def test_probabilities_have_three_digits(value, said):
    assert wording.probability(value) == said


def test_intervals_have_two():
    assert wording.interval(0.123, 0.456) == "0.12–0.46"
    assert wording.interval(None, 0.5) == ""


@pytest.mark.parametrize(
    ("value", "lower", "upper", "said", "between"),
    [
        (2.1461, 1.63, 2.66, "2.15", "1.6 to 2.7"),
        (1013.48, 1009.22, 1017.8, "1,013.48", "1,009.2 to 1,017.8"),
        (-0.04172, -0.159, 0.0758, "-0.042", "-0.16 to 0.08"),
        (39.7, -81, 160, "40", "-81 to 160"),
        (123456, 100000, 150000, "123,456", "100,000 to 150,000"),
        (5.0, None, None, "5", ""),
        (0.0, 0.0, 0.0, "0", "0 to 0"),
        (1e-12, 0.9e-12, 1.1e-12, "1e-12", "9e-13 to 1.1e-12"),
    ],
)  # fmt: skip
def test_reals_have_the_digits_their_intervals_leave_them(value, lower, upper, said, between):
    assert wording.real(value, lower, upper) == said
    assert wording.real_interval(lower, upper) == between


def test_cases_are_whole_unless_weighted():
    assert wording.weight(1234.0) == "1,234"
    assert wording.weight(4.5) == "4.5"
    assert wording.some(1, "row") == "1 row"
    assert wording.some(1200, "child", "children") == "1,200 children"


def test_shares_that_are_nearly_nothing_or_all_say_so():
    assert [wording.percent(x) for x in (0, 0.001, 0.25, 0.999, 1)] == [
        "0%", "<1%", "25%", ">99%", "100%",
    ]  # fmt: skip


def test_moves_say_which_way():
    assert (wording.moved(0.0312), wording.moved(-0.2)) == ("▲0.03", "▼0.20")


def test_names_that_steer_or_break_are_made_visible():
    assert wording.in_line("a\x1b[2J\u202eb\nc\td\ud800") == "a\ufffd[2J\ufffdb c d\ufffd"


def test_long_names_lose_their_middle():
    assert wording.shortened("LeftVentricularEndDiastolicVolume2") == "LeftVentric…cVolume2"
    assert wording.shortened("short") == "short"


def test_plain_holds_whatever_settings_hold():
    told = {"a": (1, 2.5, float("nan")), "b": {"c": None, 3: object}}
    assert wording.plain(told) == {"a": [1, 2.5, None], "b": {"c": None, "3": str(object)}}


def test_markdown_is_escaped():
    assert escaped("a|b *c* <d> `e` [f](g)") == r"a\|b \*c\* &lt;d&gt; \`e\` \[f\]\(g\)"
