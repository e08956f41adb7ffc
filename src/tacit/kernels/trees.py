"""Clique trees, contexts and work space as tuples of flat arrays, which kernels can take."""

from __future__ import annotations

from typing import NamedTuple

from tacit.arrays import Floats, Ints


class Program(NamedTuple):
    """Clique trees of several kinds, children before parents, as flat arrays.

    kinds      (kinds + 1,)    the cliques of a kind are kinds[k] .. kinds[k + 1]
    dims       (cliques + 1,)  the dimensions of a clique in `cards`
    cards      (dims,)         how many states each dimension has
    cells      (cliques,)      the product of a clique's cards
    at         (cliques,)      where its potential starts in the work space of its kind
    slots      (cliques + 1,)  its factors in `slot_strides` and `slot_local`
    slot_strides (slots,)      where a factor's strides start in `strides`
    slot_local (slots,)        which of its context's bases a factor starts from
    parent     (cliques,)      the clique above, -1 for the root
    sep_at, sep_cells (cliques,)  the message to it in the work space of messages
    up, down   (cliques,)      where the message's strides over the own and the parent's dimensions
                               start in `strides`
    """

    kinds: Ints
    dims: Ints
    cards: Ints
    cells: Ints
    at: Ints
    slots: Ints
    slot_strides: Ints
    slot_local: Ints
    parent: Ints
    sep_at: Ints
    sep_cells: Ints
    up: Ints
    down: Ints
    strides: Ints


class Batch(NamedTuple):
    """Contexts to run a program on.

    kind     (contexts,)  which clique tree
    base_at  (contexts,)  where its base positions start in `bases`
    weights  (contexts,)  how often it counts
    """

    kind: Ints
    base_at: Ints
    bases: Ints
    weights: Floats


class Room(NamedTuple):
    """Work space of one worker: potentials, messages up and down, digits of the current cell."""

    psi: Floats
    sep: Floats
    fresh: Floats
    digits: Ints
