"""The constraints of `IndependentTSNE`: one for each prior, with its measure and its multiplier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior._warnings import ConstraintWarning, caller_level
from unprior.neighbors import map_neighbors
from unprior.objectives._views import FAIR_FROM, View
from unprior.optimize._dual_ascent import DualAscent
from unprior.priors import Keep, Prior
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin, prepare_left
from unprior.priors._simplified import cap_distances, quick_pairs

#: Map neighbours by which a map is measured, and the largest number of samples measured at the end.
NEIGHBORS, MEASURED_ROWS = 15, 10_000

#: Initial multiplier of a prior that is visible in the data, and the fraction of the steps after
#: which dual ascent begins.
FIRST_MULTIPLIER, ASCENT_BEGINS = 0.5, 0.3

#: A constraint that is off by more than this at the end causes a warning.
MISSED = 0.05


@dataclass(frozen=True, eq=False)
class Constraint:
    """A prior, the fraction of it to remove, its measure, and whether it is visible in the data.

    With kept labels it is measured and removed within their classes.
    """

    name: str
    prior: Prior
    strength: float
    measure: PriorLeft | PriorLeftWithin
    visible: bool
    keep: Keep | None = None


def find_constraints(
    priors: Mapping[str, Prior],
    strengths: Floats,
    data: View,
    rng: np.random.RandomState,
    keep: Keep | None = None,
) -> list[Constraint]:
    """Return a constraint for each prior, including those of strength 0."""
    constraints = []
    for (name, prior), strength in zip(priors.items(), strengths, strict=True):
        prior = cap_distances(quick_pairs(prior))
        measure = prepare_left(prior, keep, min(NEIGHBORS, (prior.n_samples - 1) // 3))
        visible = strength > 0 and data.shows(measure, rng)
        constraints.append(Constraint(name, prior, float(strength), measure, visible, keep))
    return constraints


def fair_view(
    data: View, priors: Mapping[str, Prior], removed: Sequence[Constraint], n_jobs: int | None
) -> View:
    """Balance the neighbours of a large data set over the visible priors without classes.

    Classes are left to the residual, which aligns each of them as a whole.
    """
    visible = [c for c in removed if c.visible and c.prior.class_codes is None]
    if not visible or len(data.X) < FAIR_FROM:
        return data
    strengths = [c.strength for c in visible]
    named = {c.name: priors[c.name] for c in visible}
    return data.balanced(named, strengths, n_jobs, visible[0].keep)


def first_multipliers(removed: Sequence[Constraint], *, from_plain: bool) -> list[float]:
    """Return the initial multipliers: 0 for invisible priors, and after a plain map."""
    return [FIRST_MULTIPLIER if c.visible and not from_plain else 0.0 for c in removed]


def make_ascent(
    removed: Sequence[Constraint],
    plain_left: Mapping[str, float] | None,
    n_iter: int,
    rng: np.random.RandomState,
) -> DualAscent | None:
    """Return the dual ascent of the priors to remove; None if there are none.

    ``plain_left`` is how much of each prior is left in the plain map, if the descent starts there.
    """
    if not removed:
        return None
    return DualAscent(
        [c.measure for c in removed],
        [(1 - c.strength) * (plain_left or {}).get(c.name, 0.0) for c in removed],
        first_multipliers(removed, from_plain=plain_left is not None),
        int(ASCENT_BEGINS * n_iter) if plain_left is None else 0,
        np.random.RandomState(rng.randint(2**31 - 1)),
    )


def measure_left(
    Y: Floats, constraints: Sequence[Constraint], rng: np.random.RandomState
) -> dict[str, float]:
    """Return how much of each prior is left in a map, by name."""
    rows = np.sort(rng.permutation(len(Y))[:MEASURED_ROWS])
    return {
        c.name: c.measure.among(rows, map_neighbors(Y, rows, c.measure.k)[0]) for c in constraints
    }


@dataclass(frozen=True, eq=False)
class PlainMap:
    """A map from which nothing is removed, and how much of each prior is left in it."""

    embedding: Floats
    left: dict[str, float]

    @classmethod
    def measure(cls, Y: Floats, constraints: Sequence[Constraint]) -> PlainMap:
        """Measure an existing map."""
        return cls(Y, measure_left(Y, constraints, np.random.RandomState(0)))


def multipliers_of(
    constraints: Sequence[Constraint], ascent: DualAscent | None
) -> dict[str, float]:
    """Return the multiplier of each prior, by name; 0 for priors of strength 0."""
    found = dict.fromkeys([c.name for c in constraints], 0.0)
    if ascent is not None:
        removed = [c.name for c in constraints if c.strength > 0]
        found |= dict(zip(removed, ascent.multipliers, strict=True))
    return found


def warn_of_misses(
    who: str,
    found: Mapping[str, float],
    removed: Sequence[Constraint],
    ascent: DualAscent | None,
) -> None:
    """Warn about priors of which more or less is left than requested."""
    for c, target in zip(removed, ascent.targets if ascent else (), strict=True):
        left = found[c.name]
        # Less of a partly removed prior may be left where another constraint removes it too.
        shared = target > 0 and len(removed) > 1
        if left - target > MISSED or (target - left > MISSED and not shared):
            message = (
                f"{who}: map neighbours share {left:.2f} of the prior {c.name!r}, instead of the "
                f"{target:.2f} requested (0 is chance, 1 is all); try more steps (n_iter), or "
                "another residual."
            )
            warnings.warn(message, ConstraintWarning, stacklevel=caller_level())
