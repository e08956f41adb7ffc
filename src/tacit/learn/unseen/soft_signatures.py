"""How surely two variables are linked, from many dags instead of one."""

from __future__ import annotations

import numpy as np

from tacit.arrays import Ints
from tacit.core.dag import Dag
from tacit.learn.structure.confidence import ArcConfidence


def links_of(dag: Dag, names: tuple[str, ...]) -> tuple[Ints, int]:
    """A link for every arc, whichever way it goes; each is certain."""
    place = {name: at for at, name in enumerate(names)}
    counts = np.zeros((len(names), len(names)), np.int64)
    for tail, head in dag.arcs:
        counts[place[tail], place[head]] = counts[place[head], place[tail]] = 1
    return counts, 1


def expected_links(confidence: ArcConfidence) -> tuple[Ints, int]:
    """In how many of the bootstrap samples each two are linked, and how many samples there are.

    With few cases the children of a hidden variable are joined by few arcs, and by other ones in
    every sample: no single dag has a semi-clique, but the expected number of links inside shows it.
    A chain of variables, in contrast, keeps the same few links in all samples.
    [named as future work, 4.3 and 8.4; HV1 section 12]
    """
    joined = (confidence.shares + confidence.shares.T) * confidence.replicates
    counts = np.rint(joined).astype(np.int64)
    np.fill_diagonal(counts, 0)
    return counts, max(1, confidence.replicates)
