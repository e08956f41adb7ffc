"""Why our figures differ from those of Zhou et al. (2015): what the floor and the check do, other
sources, and the other edition of Insurance. `python benchmarks/zhou_readings.py FOLDER_OF_DATA`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

import tacit as tc
from tacit.estimate.transfer.metric import row_divergences
from tacit.experiments.zhou import methods, networks, runs
from tacit.experiments.zhou.worlds import World, draw_counts

SMALL, LARGE = 60, 6
"""Repetitions."""


def by_row(world: World, estimate: np.ndarray) -> np.ndarray:
    """(rows,) distances from the truth."""
    return np.concatenate(
        [
            row_divergences(world.table(world.theta, number), world.table(estimate, number))
            for number in range(len(world.shapes))
        ]
    )


def seen_in_one_state(world: World) -> str:
    """MPL-TC+5, split by whether all cases of the borrowed row are in one state."""
    found = []
    for number in range(LARGE):
        rng = np.random.default_rng([3, number])
        trial = runs.Trial.of(runs.draw(world, 100, rng))
        counts = trial.search.loan(trial.given.limits(5)).counts
        total = np.bincount(world.row, counts)
        one = (total > 0) & (np.maximum.reduceat(counts, world.rows_at[:-1]) == total)
        line = [one.mean()]
        for floor in (0.01, 0.1):
            apart = by_row(world, trial.transferred(5, rng, methods.PAPER.floored(floor)))
            line += [apart[one].sum() / apart.size, apart[~one].sum() / apart.size]
        found.append(line)
    share, *parts = np.mean(found, axis=0)
    low, high = (f"{parts[at]:.3f} + {parts[at + 1]:.3f}" for at in (0, 2))
    return f"{share:.0%} of rows seen in one state; theirs + others: floor .01 {low}, .1 {high}"


def learned_and_drawn_again(world: World) -> str:
    """MPL-TC+0 where sources are networks learned from 200, 300 and 400 cases, then sampled."""
    found = []
    for number in range(SMALL if world.name in networks.SMALL else LARGE):
        rng = np.random.default_rng([17, number])
        given = runs.draw(world, 100, rng)
        again = tuple(
            draw_counts(world, methods.smoothed(world, counts), size, rng)
            for counts, size in zip(given.sources, runs.SOURCES, strict=True)
        )
        other = runs.Draw(world, given.target, again, given.free)
        found.append(
            [
                methods.distance(world, runs.Trial.of(each).transferred(0, rng))
                for each in (given, other)
            ]
        )
    direct, redrawn = np.mean(found, axis=0)
    return f"sources drawn from the truth {direct:.3f}, learned and drawn again {redrawn:.3f}"


def refused(world: World) -> str:
    """Tables that no fragment is left for, under five rules."""
    found = []
    for number in range(SMALL if world.name in networks.SMALL else LARGE):
        trial = runs.Trial.of(runs.draw(world, 100, np.random.default_rng([17, number])))
        limits = trial.given.limits(5)
        loans = [trial.search.loan(limits, check) for check in ("strict", "tolerant")]
        found.append([(loan.child < 0).mean() for loan in loans])
    strict, tolerant = np.mean(found, axis=0)
    return (
        f"tables without a source: {strict:.0%} by the strict check, {tolerant:.1%} by the tolerant"
    )


def without_a_million() -> World:
    """Insurance where OtherCarCost has the three states that ever occur: 984 parameters."""
    network = tc.textbook("insurance")
    kept = tc.Discrete("OtherCarCost", network.variables["OtherCarCost"].states[:3])
    families = []
    for name in network:
        family, values = network[name], network[name].values
        variables = list(family.variables)
        for axis, variable in enumerate(variables):
            if variable.name == kept.name:
                values, variables[axis] = np.take(values, range(3), axis), kept
        values = values / values.sum(axis=-1, keepdims=True)
        families.append(tc.table(variables[-1], variables[:-1], values))
    return World.of("Insurance", tc.Network.of(families))


def main(data: Path) -> None:
    """All of it, network by network."""
    for line in networks.TABLE:
        world = networks.world(line.name, data)
        if world is None:
            continue
        print(f"{line.name}: {learned_and_drawn_again(world)}; paper {line.mean[4]}")
        print(f"{line.name}: {refused(world)}")
        if line.name in ("Alarm", "Hailfinder", "Hepar2", "Sachs"):
            print(f"{line.name}: {seen_in_one_state(world)}")
    other, found = without_a_million(), []
    for number in range(LARGE):
        rng = np.random.default_rng([1, number])
        trial = runs.Trial.of(runs.draw(other, 100, rng))
        found.append(runs.distances(other, runs.estimates(trial, rng)))
    told = ", ".join(f"{name} {np.mean([each[name] for each in found]):.3f}" for name in found[0])
    print(f"Insurance with {other.free_parameters} parameters: {told}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
