"""The stand-ins of Elidan's data: as large as is said, and drawn as the specification spells it."""

from __future__ import annotations

import re
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import tacit as tc
from tacit.core.errors import OptionError
from tacit.experiments.elidan import standins
from tacit.experiments.elidan.domains import KINDS, Domain, domain
from tacit.experiments.elidan.sequences import SETS, implanted, instance, log_odds

FACTS = {
    "soybean": (36, 307, 376, 0.10, ()),
    "audiology": (70, 202, 26, 0.20, ()),
    "rosetta": (37, 240, 60, 0.0, (3, 3, 3)),
    "stock": (20, 1213, 303, 0.0, (2,)),
    "tb": (11, 1842, 460, 0.0, (4,)),
    "news": (100, 5000, 5000, 0.0, (7,)),
    "interacting": (20, 1000, 10_000, 0.0, (3, 2, 4, 3)),
}
"""Columns, cases to learn from and to judge by, missing cells, states of what is hidden."""


@pytest.mark.parametrize("name", FACTS)
def test_a_stand_in_is_as_large_as_its_data(name: str) -> None:
    columns, train, test, missing, hidden = FACTS[name]
    made = domain(name)
    network = known(made)
    assert [len(made.train.names), len(made.train), len(made.test)] == [columns, train, test]
    assert made.test.names == made.train.names
    assert set(made.train.names) | set(made.hidden) == set(network.dag.names)
    assert tuple(len(network.variables[each].states) for each in made.hidden) == hidden
    gaps, cells = sum(made.train.missing().values()), columns * train
    assert gaps == pytest.approx(missing * cells, abs=5 * np.sqrt(missing * cells))
    assert made.unseen is not None
    assert made.unseen.names == made.hidden
    assert f"{train:,} and {test:,} cases" in made.source


@pytest.mark.parametrize("name", ["soybean", "rosetta", "stock", "news"])
def test_a_seed_gives_the_same_cases_and_another_others(name: str) -> None:
    prints = [domain(name, seed=seed).train.fingerprint() for seed in (1, 1, 2)]
    assert prints[0] == prints[1] != prints[2]


def test_the_number_of_cases_can_be_chosen() -> None:
    assert len(domain("interacting", train=5000).train) == 5000


@pytest.mark.parametrize("shape", [standins.SOYBEAN, standins.AUDIOLOGY, standins.ROSETTA])
@pytest.mark.parametrize("seed", [1, 2])
def test_random_networks_have_few_near_parents_and_a_class_over_half(
    shape: standins.Shape, seed: int
) -> None:
    network = shape.network(np.random.default_rng(seed))
    parents = {name: set(network.dag.parents[name]) for name in network.dag.names}
    below = [name for name in parents if "class" in parents[name]]
    assert len(below) == (shape.others // 2 if shape.class_states else 0)
    assert parents.get("class", set()) == set()
    assert max(len(held - {"class"}) for held in parents.values()) == 3
    arcs = sum(len(held - {"class"}) for held in parents.values())
    assert arcs == pytest.approx(1.5 * shape.others, abs=5 * np.sqrt(0.75 * shape.others))


def test_rows_of_random_networks_are_dirichlet_one_half() -> None:
    network = standins.ROSETTA.network(np.random.default_rng(3))
    rows = np.concatenate([network[name].values.reshape(-1, 3) for name in network.dag.names])
    # of Dirichlet(1/2, 1/2, 1/2) each share has mean 1/3 and variance (1/3)(2/3) / (3/2 + 1)
    off = 5 / np.sqrt(len(rows))
    assert_allclose(rows.mean(axis=0), 1 / 3, atol=off)
    assert_allclose(rows.var(axis=0), 2 / 9 / 2.5, atol=off / 3)


def test_stocks_copy_as_the_specification_spells_it() -> None:
    network = standins.stock(np.random.default_rng(1))
    assert [network.dag.parents[name] for name in ("MSFT", "DELL")] == [
        ("Market",),
        ("Market", "MSFT"),
    ]
    base = {"strong": (0.55, 0.20, 0.25), "stationary": (0.22, 0.56, 0.22)}
    for (row, state), (at, move) in product(enumerate(base), enumerate(base)):
        del move
        for moved in range(3):
            expected = 0.85 * base[state][moved] + (0.15 if moved == at else 0.0)
            assert network["CPQ"].values[row, at, moved] == pytest.approx(expected)
    for number in range(5, 21):
        (parent,) = network.dag.parents[f"s{number}"]
        place = (*standins.CORE, *(f"s{each}" for each in range(5, 21))).index(parent) + 1
        assert max(1, number - 6) <= place < number
        table = network[f"s{number}"].values
        own = (table - 0.35 * np.eye(3)) / 0.65
        assert_allclose(own, np.broadcast_to(own[0], (3, 3)), atol=1e-12)


def test_on_successive_days_the_market_keeps_its_state_and_is_strong_as_often() -> None:
    network = standins.stock(np.random.default_rng(1))
    held = standins.days(network, 40_000, np.random.default_rng(2))
    market = np.asarray(held["Market"])
    assert np.mean(market == 0) == pytest.approx(0.45, abs=0.03)
    for state, chance in ((0, 0.8 + 0.2 * 0.45), (1, 0.8 + 0.2 * 0.55)):
        stays = market[1:][market[:-1] == state] == state
        assert stays.mean() == pytest.approx(chance, abs=5 * 0.4 / np.sqrt(stays.size))
    up = [np.mean(np.asarray(held["MSFT"])[market == state] == 0) for state in (0, 1)]
    assert_allclose(up, [0.55, 0.22], atol=0.02)
    assert len(standins.days(network, 0, np.random.default_rng(2))) == 0


def test_words_of_news_are_common_in_the_topic_that_owns_them() -> None:
    network = standins.news(np.random.default_rng(1))
    there = np.array([network[f"w{word}"].values[:, 1] for word in range(1, 100)])
    owner = np.arange(90) % 7
    own = there[np.arange(90), owner]
    elsewhere = there[:90][np.arange(7) != owner[:, None]]
    assert own.mean() == pytest.approx(2 / 8, abs=5 * 0.15 / np.sqrt(90))
    assert elsewhere.mean() == pytest.approx(1 / 31, abs=5 * 0.032 / np.sqrt(540))
    assert_array_equal(np.ptp(there[90:], axis=1), 0)
    topics = network["topic"].values
    assert_array_equal(np.bincount(topics.argmax(axis=1)), [5, 4, 4, 3, 2, 1, 1])
    assert_allclose(topics.max(axis=1), 0.7 + 0.3 / 7)


def test_patients_of_a_population_look_like_it() -> None:
    network = standins.tuberculosis()
    asked = {
        "P(birthplace=foreign | population=Asian)": 0.98,
        "P(ethnic=Hispanic | population=Hispanic)": 0.95,
        "P(hiv=pos | population=US_middle)": 0.50,
        "P(xray=normal | site=extra)": 0.70,
        "P(transmission=recent | birthplace=US, homeless=yes)": 0.55,
        "P(gender=M | homeless=yes)": 0.85,
        "P(birthplace=US)": 0.55 * 0.97 + 0.15 * 0.05 + 0.30 * 0.02,
    }
    for question, answer in asked.items():
        assert float(tc.query(network, question)) == pytest.approx(answer)


def test_interacting_hidden_variables_are_those_of_the_specification() -> None:
    network = standins.interacting()
    arcs = {(a, b) for a, b in network.dag.arcs if b.startswith("h")}
    assert arcs == {("h0", "h1"), ("h0", "h2"), ("h1", "h3"), ("h2", "h3")}
    h1, h2, h3 = np.meshgrid(range(2), range(4), range(3), indexing="ij")
    assert_allclose(network["h3"].values, np.where(h3 == (h1 + h2) % 3, 0.8, 0.1))
    assert [network.dag.parents[f"x{at}"] for at in (4, 5, 14, 19)] == [
        ("h0",),
        ("h1",),
        ("h2",),
        ("h3",),
    ]
    assert_allclose(network["x13"].values[:, 1], [0.1, 0.9, 0.1, 0.9])  # bit 3 of h2


def test_nine_sets_of_sequences_have_motifs_of_8_to_12_letters() -> None:
    lengths = [implanted(number, 1, 20)[0].consensus.size for number in SETS]
    assert lengths == [9, 10, 11, 12, 8, 9, 10, 11, 12]
    held, fresh = implanted(1, 1)
    assert held.letters.shape == (500, 600)
    assert (held.bound.sum(), held.word[:3]) == (60, "".join("ACGT"[a] for a in held.consensus[:3]))
    shares = np.bincount(held.letters.ravel(), minlength=4) / held.letters.size
    assert_allclose(shares, [0.31, 0.19, 0.19, 0.31], atol=0.005)
    assert_array_equal(held.letters, implanted(1, 1)[0].letters)
    assert_array_equal(held.consensus, fresh.consensus)
    assert np.mean(held.letters == fresh.letters) < 0.3


def test_bound_sequences_carry_the_motif() -> None:
    held, _ = implanted(4, 2)
    odds = log_odds(held.consensus)
    windows = np.lib.stride_tricks.sliding_window_view(held.letters, held.consensus.size, axis=1)
    best = odds[np.arange(held.consensus.size), windows].sum(axis=-1).max(axis=1)
    assert np.median(best[held.bound]) > np.quantile(best[~held.bound], 0.8)
    assert odds.max() == pytest.approx(log(0.7 / 0.19))


def test_an_instance_keeps_seven_of_ten_letters() -> None:
    random, consensus = np.random.default_rng(1), np.arange(4000) % 4
    kept = instance(consensus, random) == consensus
    assert kept.mean() == pytest.approx(0.7, abs=5 * 0.46 / np.sqrt(4000))


@pytest.mark.parametrize(
    ("name", "header", "states"),
    [("stock", "A,B,C", ("up", "down", "same")), ("news", "a,b", "01")],
)
def test_real_cases_are_read_where_they_are_to_be_had(
    name: str, header: str, states: tuple[str, ...], tmp_path: Path
) -> None:
    random, columns = np.random.default_rng(1), header.count(",") + 1
    lines = [",".join(random.choice(list(states), columns)) for _ in range(100)]
    path = tmp_path / f"{KINDS[name].file}.csv"
    path.write_text("\n".join([header, *lines]), encoding="utf-8")
    held = domain(name, tmp_path)
    share = FACTS[name][1] / (FACTS[name][1] + FACTS[name][2])
    assert (len(held.train), len(held.test)) == (round(100 * share), 100 - round(100 * share))
    both = sorted([*rows(held.train), *rows(held.test)])
    assert both == sorted(lines)
    assert held.network is None
    assert held.source.startswith(path.name)
    with pytest.raises(OptionError, match="has 100 cases: 100 to learn from leave none"):
        domain(name, tmp_path, train=100)


def test_without_the_table_a_folder_leads_to_the_stand_in(tmp_path: Path) -> None:
    assert "stand-in" in domain("tb", tmp_path).source
    assert "stand-in" in domain("soybean", tmp_path).source


@pytest.mark.data
def test_the_real_tables_are_parted_as_the_source_parts_them(data_folder: Path) -> None:
    sizes = {"soybean": (307, 376), "audiology": (200, 26), "stock": (1006, 251)}
    for name, size in sizes.items():
        held = domain(name, data_folder)
        assert (len(held.train), len(held.test)) == size
        assert len(held.train.names) == FACTS[name][0]


def test_cases_that_do_not_exist_are_told() -> None:
    message = (
        "there are no cases called 'stok'; did you mean 'stock'?\n\n"
        "there are: soybean, audiology, rosetta, stock, tb, news, interacting"
    )
    with pytest.raises(OptionError, match=re.escape(message)):
        domain("stok")


def known(made: Domain) -> tc.Network:
    """The network, which a stand-in has."""
    assert made.network is not None
    return made.network


def rows(held: tc.Dataset) -> list[str]:
    """Every case as a line of text."""
    columns = [[held.variables[n].states[code] for code in held[n]] for n in held.names]
    return [",".join(each) for each in zip(*columns, strict=True)]
