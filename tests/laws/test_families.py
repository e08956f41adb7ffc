"""One battery for every family; a new one joins by a line in FAMILIES and one in TWINS."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

import naive
import strategies
from tacit.core.network import Network
from tacit.core.variables import Continuous, Discrete
from tacit.families import KINDS, family_from_plain
from tacit.families.conditional_gaussian import ConditionalGaussian
from tacit.learn.curved import CURVED

NETWORKS: Mapping[str, Any] = {
    "table": strategies.discrete_networks(most=4),
    "linear-gaussian": strategies.gaussian_networks(most=4),
    "conditional-gaussian": strategies.mixed_networks(most=4),
    "noisy-or": strategies.noisy_networks("noisy-or"),
    "noisy-and": strategies.noisy_networks("noisy-and"),
    "noisy-max": strategies.noisy_networks("noisy-max"),
    "tree-table": strategies.shared_networks("tree-table"),
    "default-table": strategies.shared_networks("default-table"),
    "sigmoid-gaussian": strategies.curved_networks("sigmoid-gaussian"),
    "softplus-gaussian": strategies.curved_networks("softplus-gaussian"),
}


def table_twin(family: Any, case: tuple[Any, ...]) -> float:
    if min(case) < 0:
        return float("nan")
    cell = family.values
    for code in case:
        cell = cell[code]
    return float(np.log(cell)) if cell > 0 else -np.inf


def gaussian_twin(family: Any, case: tuple[Any, ...]) -> float:
    *parents, child = case
    mean = family.intercept
    for coefficient, value in zip(family.coefficients, parents, strict=True):
        mean += coefficient * value
    return naive.normal_log_density(child, mean, family.sd)


def conditional_twin(family: Any, case: tuple[Any, ...]) -> float:
    """Look up the numbers of the case's configuration one axis at a time, then the bell curve."""
    *parents, child = case
    slopes, intercept, sd, reals = family.coefficients, family.intercept, family.sd, []
    for variable, value in zip(family.variables[:-1], parents, strict=True):
        if isinstance(variable, Continuous):
            reals.append(value)
        elif value < 0:
            return float("nan")
        else:
            slopes, intercept, sd = slopes[value], intercept[value], sd[value]
    mean = float(intercept) + sum(c * value for c, value in zip(slopes, reals, strict=True))
    return naive.normal_log_density(child, mean, float(sd))


def noisy_or_twin(family: Any, case: tuple[Any, ...]) -> float:
    """The formula as printed, whichever state of a variable says that it is not there."""
    if min(case) < 0:
        return float("nan")
    there = [
        v.states[c] != a for v, c, a in zip(family.variables, case, family.absent, strict=True)
    ]
    missed = 1 - family.leak
    for link, is_there in zip(family.links, there, strict=False):
        missed *= 1 - link if is_there else 1
    return log_or_impossible(1 - missed if there[-1] else missed)


def noisy_and_twin(family: Any, case: tuple[Any, ...]) -> float:
    if min(case) < 0:
        return float("nan")
    there = [
        v.states[c] != a for v, c, a in zip(family.variables, case, family.absent, strict=True)
    ]
    works = 1 - family.leak
    for link, is_there in zip(family.links, there, strict=False):
        works *= 1 if is_there else 1 - link
    return log_or_impossible(works if there[-1] else 1 - works)


def noisy_max_twin(family: Any, case: tuple[Any, ...]) -> float:
    """Add up every way in which the causes bring about a level each, the highest being seen."""
    if min(case) < 0:
        return float("nan")
    *parents, child = case
    states = list(family.variables[-1].states)
    low = states.index(family.absent[-1])
    rank = {code: abs(code - low) for code in range(len(states))}
    effects = [link[code] for link, code in zip(family.links, parents, strict=True)]
    total = 0.0
    for levels in product(range(len(states)), repeat=len(effects) + 1):
        if max(levels, key=rank.__getitem__) == child:
            chances = [
                row[level] for row, level in zip([*effects, family.leak], levels, strict=True)
            ]
            total += float(np.prod(chances))
    return log_or_impossible(total)


def tree_twin(family: Any, case: tuple[Any, ...]) -> float:
    """Follow the questions of the plain form, one state at a time."""
    if min(case) < 0:
        return float("nan")
    states = {v.name: v.states[code] for v, code in zip(family.variables, case, strict=True)}
    place = family.to_plain()["tree"]
    while isinstance(place, dict):
        here = [b["then"] for b in place["branches"] if states[place["parent"]] in b["states"]]
        (place,) = here
    return log_or_impossible(place[case[-1]])


def default_twin(family: Any, case: tuple[Any, ...]) -> float:
    if min(case) < 0:
        return float("nan")
    plain = family.to_plain()
    states = [v.states[code] for v, code in zip(family.variables[:-1], case, strict=False)]
    own = [each["row"] for each in plain["rows"] if each["states"] == states]
    return log_or_impossible((own or [plain["default"]])[0][case[-1]])


def log_or_impossible(chance: float) -> float:
    return float(np.log(chance)) if chance > 0 else -np.inf


def curve_twin(family: Any, case: tuple[Any, ...]) -> float:
    """The curve as printed, in the plainest numbers."""
    *parents, child = case
    activation = -family.threshold
    for coefficient, value in zip(family.coefficients, parents, strict=True):
        activation += coefficient * value
    if family.kind == "sigmoid-gaussian":
        answer = 1 / (1 + math.exp(-activation))
    else:
        answer = math.log1p(math.exp(activation))
    return naive.normal_log_density(child, family.base + family.rise * answer, family.sd)


TWINS = {
    "table": table_twin,
    "linear-gaussian": gaussian_twin,
    "conditional-gaussian": conditional_twin,
    "noisy-or": noisy_or_twin,
    "noisy-and": noisy_and_twin,
    "noisy-max": noisy_max_twin,
    "tree-table": tree_twin,
    "default-table": default_twin,
    "sigmoid-gaussian": curve_twin,
    "softplus-gaussian": curve_twin,
}

every_kind = pytest.mark.parametrize("kind", list(KINDS))


def of_kind(network: Network, kind: str) -> list[str]:
    """The variables with such a family; a mixed network has tables too."""
    return [name for name in network if isinstance(network[name], KINDS[kind])]


def sds(family: Any, parents: list[Any], cases: int) -> Any:
    """The sd of every case."""
    if isinstance(family, ConditionalGaussian):
        return family.spread(parents, cases)
    return np.full(cases, family.sd)


def columns_of(network: Network, family: Any, cases: Any) -> list[Any]:
    return [cases[name] for name in (*family.parents, family.child)]


@every_kind
def test_every_family_has_its_battery(kind):
    assert kind in NETWORKS
    assert kind in TWINS


@every_kind
@given(data=st.data())
def test_log_prob_has_a_naive_twin(kind, data):
    network = data.draw(NETWORKS[kind])
    cases = data.draw(strategies.cases_of(network, missing=True))
    for name in of_kind(network, kind):
        family = network[name]
        columns = columns_of(network, family, cases)
        found = family.log_prob(columns)
        assert found.shape == (len(cases),)
        expected = [TWINS[kind](family, case) for case in zip(*columns, strict=True)]
        possible = [value > -700 or value != value for value in expected]
        assert_allclose(found[possible], np.array(expected)[possible], rtol=1e-9, atol=1e-9)


@every_kind
@given(data=st.data())
def test_probabilities_of_the_child_sum_to_one(kind, data):
    network = data.draw(NETWORKS[kind])
    cases = data.draw(strategies.cases_of(network, least=1, most=6))
    for name in of_kind(network, kind):
        family = network[name]
        *parents, _ = columns_of(network, family, cases)
        variable = family.variables[-1]
        if isinstance(variable, Discrete):
            children = [np.full(len(cases), code) for code in range(len(variable.states))]
            total = sum(np.exp(family.log_prob([*parents, child])) for child in children)
        else:
            sd = sds(family, parents, len(cases))
            offsets = np.linspace(-9 * sd, 9 * sd, 301)
            means = family.mean(parents, len(cases))
            curves = np.array(
                [np.exp(family.log_prob([*parents, means + offset])) for offset in offsets]
            )
            total = np.trapezoid(curves, offsets, axis=0)
        assert_allclose(total, 1, rtol=1e-6)


@every_kind
@given(data=st.data())
def test_samples_match_the_family_within_a_few_standard_deviations(kind, data):
    network = data.draw(NETWORKS[kind])
    family = network[data.draw(st.sampled_from(of_kind(network, kind)))]
    one = data.draw(strategies.cases_of(network, least=1, most=1))
    size = 4000
    parents = [np.repeat(one[name], size) for name in family.parents]
    drawn = family.sample(parents, size, np.random.default_rng(20))
    assert len(drawn) == size
    variable = family.variables[-1]
    if isinstance(variable, Discrete):
        for code in range(len(variable.states)):
            column = np.full(1, code)
            chance = float(np.exp(family.log_prob([*(p[:1] for p in parents), column])[0]))
            off = abs(np.mean(drawn == code) - chance)
            assert off <= 4 * np.sqrt(chance * (1 - chance) / size) + 4 / size
            assert off == 0 or 0 < chance < 1
    else:
        mean = family.mean([p[:1] for p in parents], 1)[0]
        sd = sds(family, [p[:1] for p in parents], 1)[0]
        assert abs(drawn.mean() - mean) <= 5 * sd / np.sqrt(size)
        assert abs(drawn.std() / sd - 1) <= 5 / np.sqrt(2 * size)


@every_kind
@given(data=st.data())
def test_a_sample_is_possible_and_missing_where_a_parent_is(kind, data):
    network = data.draw(NETWORKS[kind])
    cases = data.draw(strategies.cases_of(network, least=1, missing=True))
    for name in of_kind(network, kind):
        family = network[name]
        *parents, _ = columns_of(network, family, cases)
        drawn = family.sample(parents, len(cases), np.random.default_rng(5))
        logs = family.log_prob([*parents, drawn])
        gone = np.zeros(len(cases), dtype=bool)
        for parent in parents:
            gone |= np.isnan(parent) if parent.dtype.kind == "f" else parent < 0
        assert (np.isnan(logs) == gone).all()
        assert ((np.isnan(drawn) if drawn.dtype.kind == "f" else drawn < 0) == gone).all()
        assert np.isfinite(logs[~gone]).all()


@every_kind
@given(data=st.data())
def test_one_seed_gives_the_same_bits(kind, data):
    network = data.draw(NETWORKS[kind])
    cases = data.draw(strategies.cases_of(network, least=1))
    for name in of_kind(network, kind):
        family = network[name]
        *parents, _ = columns_of(network, family, cases)
        first, second = (
            family.sample(parents, len(cases), np.random.default_rng(3)) for _ in range(2)
        )
        assert first.tobytes() == second.tobytes()


@every_kind
@given(data=st.data())
def test_plain_data_gives_the_family_back(kind, data):
    network = data.draw(NETWORKS[kind])
    for name in of_kind(network, kind):
        text = json.dumps(network[name].to_plain(), allow_nan=False)
        again = family_from_plain(json.loads(text), network.variables)
        assert again == network[name]
        assert hash(again) == hash(network[name])
        assert json.loads(text)["family"] == kind


@every_kind
@given(data=st.data())
def test_free_parameters_are_as_many_as_can_be_chosen(kind, data):
    network = data.draw(NETWORKS[kind])
    for name in of_kind(network, kind):
        family = network[name]
        if kind == "table":
            rows = naive.rows(family.values)
            assert family.free_parameters == sum(len(row) - 1 for row in rows)
        elif kind == "noisy-max":
            causes = 1 + sum(len(v.states) - 1 for v in family.variables[:-1])
            assert family.free_parameters == causes * (len(family.leak) - 1)
        elif kind in ("tree-table", "default-table"):
            assert family.free_parameters == sum(len(row) - 1 for row in family.values)
        elif kind in CURVED:
            assert family.free_parameters == len(family.coefficients) + 3
        elif kind.startswith("noisy"):
            assert family.free_parameters == len(family.links) + 1
        else:
            numbers = (family.coefficients, family.intercept, family.sd)
            assert family.free_parameters == sum(np.size(each) for each in numbers)


@every_kind
@given(data=st.data())
def test_a_family_names_its_variables_and_prints(kind, data):
    network = data.draw(NETWORKS[kind])
    for name in of_kind(network, kind):
        family = network[name]
        assert family.child == name == family.variables[-1].name
        assert family.parents == network.dag.parents[name]
        assert [variable.name for variable in family.variables] == [*family.parents, name]
        assert all(isinstance(v, Discrete | Continuous) for v in family.variables)
        assert str(family) == str(family.grid())
        assert family._repr_html_().startswith("<table")
        assert "object at 0x" not in repr(family)


def test_rounding_never_draws_an_impossible_state():
    """Rows whose running sum falls short of one by rounding, and a draw at the very top."""

    class Top:
        def random(self, size: int) -> Any:
            return np.full(size, np.nextafter(1.0, 0.0))

    variable = Discrete("X", tuple(map(str, range(12))))
    values = np.array([0.1] * 10 + [0.0, 0.0])
    values /= values.sum()
    from tacit.families.table import Table

    assert np.cumsum(values)[9] < 1
    assert Table((variable,), values).sample([], 3, Top()).tolist() == [9, 9, 9]
