"""Jobs on public tables that only some quirk of a real table stands in the way of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tacit as tc
from tacit.learn.columns import idle_columns

pytestmark = pytest.mark.data


def test_hidden_variables_are_found_where_cases_held_out_are_like_no_other(
    data_folder: Path,
) -> None:
    """Some pairs of region and population occur once, and many cases tie in statusquo."""
    cases = tc.read_cases(data_folder / "tables" / "chile1988.csv.gz")
    found = tc.propose_hidden(cases, most=1, seed=1)
    assert set(found.accepted[0].children) >= {"statusquo", "vote"}
    assert np.isfinite(tc.log_likelihood(found.network, cases).per_case).all()


EMPTY, SAME = "empty", "one value throughout"
OWN, NEARLY = "a different value in every case", "a different value in nearly every case"


@pytest.mark.parametrize(
    ("table", "aside"),
    [
        ("uci_hypothyroid", {"TBG": EMPTY, "TBG_measured": SAME}),
        ("bfi_dictionary", {"rownames": OWN, "ItemLabel": OWN, "Item": OWN}),
        ("gasch2000", {"ORF": OWN}),
        ("gasch_amino", {"condition": OWN}),
        ("pisa2009_read_items", {"item": OWN}),
        ("stock_info", {"ticker": OWN, "company": OWN}),
        ("uci_zoo", {"animal": NEARLY}),
        ("uci_splice", {"Instance_name": NEARLY}),
        ("uci_mushroom", {"veil-type": SAME}),
        ("mice_selfreport", {"pop": SAME, "prg": SAME}),
        ("uci_heart_hungary", {"ca": SAME}),
        ("mice_nhanes2", {}),
        ("chile1988", {}),
    ],
)
def test_columns_of_public_tables_that_say_nothing_are_told_from_others(
    data_folder: Path, table: str, aside: dict[str, str]
) -> None:
    cases = tc.read_cases(data_folder / "tables" / f"{table}.csv.gz")
    assert {name: why.value for name, why in idle_columns(cases).items()} == aside


@pytest.mark.parametrize("table", ["uci_hypothyroid", "gasch2000", "bfi_dictionary", "uci_zoo"])
def test_a_search_goes_on_without_them(data_folder: Path, table: str) -> None:
    cases = tc.read_cases(data_folder / "tables" / f"{table}.csv.gz")
    cases = cases.take(np.arange(min(200, len(cases))))
    learn = tc.structural_em if any(cases.missing().values()) else tc.search
    found = learn(cases, method=tc.HillClimb(restarts=0), seed=1)
    aside = set(found.settings["set_aside"])
    assert aside
    assert aside == set(cases.names) - set(found.network)
    assert np.isfinite(found.score)


def test_a_table_of_names_alone_has_no_place_for_a_hidden_variable(data_folder: Path) -> None:
    cases = tc.read_cases(data_folder / "tables" / "stock_info.csv.gz")
    with pytest.raises(tc.CasesError) as caught:
        tc.propose_hidden(cases)
    assert str(caught.value) == (
        "a hidden variable shows in links among three variables or more, and there are 1: sector"
        "\n\nset aside: 'ticker', 'company' (a different value in every case); as_given=True keeps "
        "them"
    )
