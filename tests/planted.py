"""Networks with a variable that is then hidden, for tests that look for it."""

from __future__ import annotations

import tacit as tc

SIGNS = {  # P(sign=yes | mild, medium, severe)
    "Cough": [0.1, 0.7, 0.8],
    "Fever": [0.1, 0.2, 0.9],
    "Fatigue": [0.2, 0.8, 0.9],
    "Breath": [0.05, 0.3, 0.8],
    "Pain": [0.1, 0.6, 0.3],
}


def severity() -> tc.Network:
    """A cause of five signs, one of which has a consequence of its own."""
    cause = tc.Discrete("Severity", ("mild", "medium", "severe"))
    signs = {name: tc.Discrete(name, ("no", "yes")) for name in SIGNS}
    stay = tc.Discrete("Stay", ("short", "long"))
    return tc.Network(
        tc.Dag.parse("Severity -> Cough, Fever, Fatigue, Breath, Pain; Breath -> Stay"),
        {"Severity": cause, **signs, "Stay": stay},
        {
            "Severity": tc.table(cause, [], [0.5, 0.3, 0.2]),
            **{
                name: tc.table(sign, [cause], [[1 - p, p] for p in SIGNS[name]])
                for name, sign in signs.items()
            },
            "Stay": tc.table(stay, [signs["Breath"]], [[0.8, 0.2], [0.3, 0.7]]),
        },
    )


def hidden(network: tc.Network, name: str, many: int, seed: int) -> tc.Dataset:
    """Cases of the network without one of its columns."""
    data = tc.sample(network, many, seed=seed)
    return data.select([each for each in data.names if each != name])


def patients(many: int = 2000, seed: int = 1) -> tc.Dataset:
    """Cases whose cause was not measured."""
    return hidden(severity(), "Severity", many, seed)
