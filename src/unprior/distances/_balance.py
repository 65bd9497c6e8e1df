"""Squared distances and cells of landmarks -> potentials that give every cell its share.

Sinkhorn's iteration, between each two cells of a prior; several priors take turns.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices

Booleans: TypeAlias = NDArray[np.bool_]

#: Rounds between two turns at which exponentials are taken anew, turns at most, and the relative
#: error of a share at which they end. More turns would match the last samples of each cell, and
#: so draw together what is alike in nothing else.
ROUNDS, MOST_TURNS, TOLERANCE = 10, 10, 0.02

#: Turns at most of several priors, each of which undoes some of what the others did.
MOST_SHARED_TURNS = 30

#: Turns at each of the broader widths, where they go before.
BROAD_TURNS = 2

#: Mean relative error of shares from which on neighbours are not balanced. Mostly it is below .1, a
#: few samples that are far from all others do not matter, and a cell that is not seen has 1.
FAILED = 0.25

#: Least relative share that is told from none, and largest exponent: no turn must leave the range
#: of numbers, however far it is from the goal.
TINY, LARGE = 1e-12, 300


def balance(
    squared: Floats, cells: Indices, twins: Booleans, weights: Floats, width: float, level: int
) -> tuple[Floats, float]:
    """Return potentials at which the mean nearness to the others of a cell is 1 / ``level``.

    Twins are no others. Means are weighted. Also returned is the mean relative error of shares.
    """
    values = np.zeros((len(squared), int(cells.max()) + 1))
    for own in cells:
        values[:, own.min() : own.max() + 1] += _nearest(squared, own) / (2 * len(cells))
    most = MOST_TURNS if len(cells) == 1 else MOST_SHARED_TURNS
    task = squared, cells, twins, weights
    error = _settle(*task, values, (width, level), most)
    if error > FAILED:
        # Samples that are far from a cell see too little of it to come nearer. At a large width
        # everything is near, and its potentials are not far from those of half the width.
        values[:] = 0
        for broader in _widths_above(width, float(squared.max())):
            _settle(*task, values, (broader, level), BROAD_TURNS)
        error = _settle(*task, values, (width, level), most)
    return values, error


def _widths_above(width: float, largest: float) -> Floats:
    """Widths from one at which everything is near, each half of the one before."""
    halvings = int(np.ceil(np.log2(largest / width))) if largest > width else 0
    return width * 2.0 ** np.arange(halvings, 0, -1)


def _settle(
    squared: Floats,
    cells: Indices,
    twins: Booleans,
    weights: Floats,
    values: Floats,
    units: tuple[float, int],
    most_turns: int,
) -> float:
    """Balance at one width, prior after prior, in place; the mean relative error of shares."""
    for _ in range(most_turns):
        worst = mean_error = 0.0
        for number, own in enumerate(cells):
            rest = squared.copy()
            for other in np.delete(cells, number, axis=0):
                rest -= values[:, other] + values[:, other].T
            potentials = values[:, own.min() : own.max() + 1]
            members = np.eye(potentials.shape[1])[own - own.min()] * weights[:, None]
            before, after, mean = _take_turn(rest, members, twins, potentials, units)
            # What one of several meets is what the others have undone since.
            worst = max(worst, after if len(cells) == 1 else before)
            mean_error = max(mean_error, mean)
        if worst <= TOLERANCE:
            break
    return mean_error


def _nearest(squared: Floats, cells: Indices) -> Floats:
    """Least squared distance of every sample to each cell of one prior."""
    return np.column_stack([squared[:, cells == cell].min(axis=1) for cell in np.unique(cells)])


def _take_turn(
    squared: Floats,
    members: Floats,
    twins: Booleans,
    potentials: Floats,
    units: tuple[float, int],
) -> tuple[float, float, float]:
    """Balance the potentials of one prior, in place.

    Returns how far off the worst share was, first and last, and all on average, last.

    Members are the weight of each landmark in its cell, and 0 in others.
    """
    width, level = units
    cells = members.argmax(axis=1)
    others = (~twins).astype(float) @ members
    wanted = np.where(others > 0, others, 1) / level
    away = potentials[:, cells]
    nearness = np.exp(np.minimum((away + away.T - squared) / width, LARGE))
    nearness[twins] = 0
    rows = [(cell, nearness[cells == cell]) for cell in range(members.shape[1])]
    factors, errors = np.ones_like(members), []
    for _ in range(ROUNDS):
        shares = np.empty_like(members)
        for cell, own in rows:
            shares[cells == cell] = own @ (members * factors[:, cell, None])
        # A cell that has nobody else is left alone. What is too small for a number grows.
        excess = np.where(others > 0, np.maximum(factors * shares / wanted, TINY), 1)
        errors.append(float(np.abs(excess - 1).max()))
        # Both ends of a pair change, so each goes half the way.
        factors /= np.sqrt(excess)
    potentials += width * np.log(factors)
    return errors[0], errors[-1], float(np.abs(excess - 1).mean())
