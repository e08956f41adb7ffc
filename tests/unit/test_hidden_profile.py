"""What the states of a hidden variable stand for, where no table can hold the whole network."""

from __future__ import annotations

import numpy as np
import pytest

import naive
from planted import SIGNS, patients, severity
from tacit.core.errors import SizeError
from tacit.learn.unseen import profile
from tacit.learn.unseen.profile import profile_of


def test_in_large_networks_the_cases_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    network, cases = severity(), patients(3000, 1)
    exact = profile_of(network, "Severity")

    def too_large(*_: object) -> None:
        raise SizeError("too large")

    monkeypatch.setattr(profile, "query", too_large)
    told = profile_of(network, "Severity", cases)
    assert told.states == exact.states
    assert told.shares == pytest.approx(exact.shares, abs=0.03)
    assert {each.name for each in told.neighbours} == set(SIGNS)
    by_name = {each.name: each for each in exact.neighbours}
    for each in told.neighbours:
        assert each.given == pytest.approx(by_name[each.name].given, abs=0.06)
        assert each.information == pytest.approx(by_name[each.name].information, abs=0.03)
    with pytest.raises(SizeError):
        profile_of(network, "Severity")


def test_what_the_cases_tell_is_the_mean_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    network, cases = severity(), patients(12, 2)
    order = network.dag.names
    shape = [len(network.variables[name].states) for name in order]
    joint = np.array(list(naive.joint(network, order).values())).reshape(shape)
    rows = []
    for case in range(len(cases)):
        index = tuple(slice(None) if n == "Severity" else int(cases[n][case]) for n in order)
        rows.append(joint[index] / joint[index].sum())
    monkeypatch.setattr(profile, "query", _raise)
    told = profile_of(network, "Severity", cases)
    assert told.shares == pytest.approx(np.mean(rows, axis=0))
    fever = next(each for each in told.neighbours if each.name == "Fever")
    ill = np.asarray(cases["Fever"]) == fever.states.index("yes")
    share = np.array(rows)[ill].sum(axis=0) / np.sum(rows, axis=0)
    assert fever.given[:, fever.states.index("yes")] == pytest.approx(share)


def _raise(*_: object) -> None:
    raise SizeError("too large")
