"""Where the draws of all blocks are gathered."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats, Ints
from tacit.estimate.bayes.chains import Summary
from tacit.estimate.bayes.draws import Draws, Sampling
from tacit.knowledge.blocks import Blocks


@dataclass(frozen=True, slots=True, eq=False)
class Page:
    """Draws and what they say, over all positions; nan, 1 and inf where nothing was drawn."""

    values: Floats
    mean: Floats
    sd: Floats
    error: Floats
    size: Floats
    rhat: Floats
    sweeps: Ints
    cell_at: Ints

    @staticmethod
    def of(blocks: Blocks, settings: Sampling) -> Page:
        """Empty."""
        size = blocks.cells.size
        values = np.full((settings.chains, per_chain(settings), size), np.nan)
        mean, sd, error = (np.full(size, np.nan) for _ in range(3))
        sweeps = np.zeros(len(blocks), dtype=np.int64)
        return Page(values, mean, sd, error, np.full(size, np.inf), np.ones(size), sweeps,
                    blocks.cell_at)  # fmt: skip

    def span(self, block: int) -> slice:
        """The positions of a block."""
        return slice(int(self.cell_at[block]), int(self.cell_at[block + 1]))

    def write(self, block: int, values: Floats, told: Summary, sweeps: int) -> None:
        """What is known of a block now."""
        at = self.span(block)
        self.values[:, :, at] = values
        self.mean[at], self.sd[at], self.error[at] = told.mean, told.sd, told.error
        self.size[at], self.rhat[at] = told.size, told.rhat
        self.sweeps[block] = sweeps

    def draws(self, *, settled: bool) -> Draws:
        """All of it."""
        return Draws(
            self.values, self.mean, self.sd, self.error, self.size, self.rhat, self.sweeps, settled
        )


def per_chain(settings: Sampling) -> int:
    """Draws that every chain keeps."""
    return -(-settings.draws // settings.chains)
