"""Coins, alarms and populations: what the estimation tests share."""

from __future__ import annotations

import numpy as np

import naive
import tacit as tc
from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.core.variables import Discrete
from tacit.families.table import table

COIN = Discrete("Coin", ("tails", "heads"))
BINARY = ("no", "yes")


def tosses(heads: int, tails: int) -> Dataset:
    """One case per toss."""
    return Dataset({"Coin": COIN}, {"Coin": np.repeat([1, 0], [heads, tails])})


def weighted(heads: float, tails: float) -> Dataset:
    """Two cases that count as often as said."""
    return Dataset({"Coin": COIN}, {"Coin": np.array([1, 0])}, weights=np.array([heads, tails]))


def heads(fit) -> float:
    return fit.network["Coin"].row()["heads"]


def beta(ones: float, zeros: float):
    return tc.Dirichlet({"Coin": [zeros, ones]})


def population(network: Network, size: float) -> Dataset:
    """Every configuration of the variables, counting as often as `size` draws would on average."""
    names = list(network.dag.names)
    joint = naive.joint(network, names)
    columns = {name: np.array([cell[at] for cell in joint]) for at, name in enumerate(names)}
    return Dataset(network.variables, columns, weights=size * np.array(list(joint.values())))


BURGLARY, QUAKE, ALARM, CALL = (
    Discrete(name, BINARY) for name in ("Burglary", "Earthquake", "Alarm", "Call")
)
ALARM_NETWORK = Network.of(
    [
        table(BURGLARY, [], [0.7, 0.3]),
        table(QUAKE, [], [0.8, 0.2]),
        table(ALARM, [BURGLARY, QUAKE], [0.95, 0.05, 0.4, 0.6, 0.1, 0.9, 0.05, 0.95]),
        table(CALL, [ALARM], [0.9, 0.1, 0.3, 0.7]),
    ]
)

GAP = Dataset(
    {"Alarm": ALARM, "Call": CALL}, {"Alarm": np.array([0, 0, 0]), "Call": np.array([1, 0, 1])}
)
