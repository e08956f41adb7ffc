"""The four variables of alarm that nobody sees, and the cases without them. [HV1 X3.6, X3.7]"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from tacit.core.dataset import Dataset
from tacit.core.network import Network
from tacit.experiments.elidan.judged import Judged, bits
from tacit.infer.sampling import sample
from tacit.io.textbook import textbook

HIDDEN = {"HR": 3, "INTUBATION": 3, "LVFAILURE": 2, "VENTLUNG": 4}
"""With their numbers of states. The source says "four central" variables. [HV1 section 6]"""
GOLDEN = "golden"
"""The network that the cases were drawn from."""


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """Cases of a network with variables that they do not show, to learn from and to judge by."""

    truth: Network
    hidden: Mapping[str, int]
    train: Dataset
    test: Dataset
    seed: int

    @staticmethod
    def drawn(seed: int, cases: int, new: int, unseen: int = len(HIDDEN)) -> Unseen:
        """Of alarm, so many variables hidden; the draws depend on the seed alone."""
        truth, hidden = textbook("alarm"), dict(list(HIDDEN.items())[:unseen])
        shown = [name for name in truth.dag.names if name not in hidden]
        parts = (sample(truth, n, seed=2 * seed + at) for at, n in enumerate((cases, new)))
        train, test = (part.select(shown) for part in parts)
        return Unseen(truth, hidden, train, test, seed)

    def golden(self) -> Judged:
        """The truth itself, judged."""
        return Judged(GOLDEN, self.nats(self.truth), bits(self.truth, self.test), 0, 0.0)

    def nats(self, network: Network) -> float:
        """The mean of ln P(what is seen of a case to learn from)."""
        return bits(network, self.train) * log(2)
