"""`joint_normal`: what all continuous variables of a network do together."""

from __future__ import annotations

from tacit.core.errors import NetworkError
from tacit.core.network import Network, check_network
from tacit.core.variables import Continuous
from tacit.infer.normal.mixtures import NormalAnswer
from tacit.infer.normal.questions import normal_answer


def joint_normal(network: Network) -> NormalAnswer:
    """The joint distribution of all continuous variables: means, covariance, labelled.

    A normal distribution for a network of linear Gaussians. With discrete variables it is a
    mixture of one normal for each of their configurations, whose moments are `mean` and
    `covariance`.
    """
    check_network(network)
    names = [v.name for v in network.variables.values() if isinstance(v, Continuous)]
    if not names:
        raise NetworkError("the network has no continuous variable, so no joint normal")
    return normal_answer(network, f"joint normal of {len(names)} variables", names, ())
