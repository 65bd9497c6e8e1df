"""Priors and strengths -> the constraints of a map, their multipliers, and whether they are met."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats
from unprior._warnings import ConstraintWarning, caller_level
from unprior.neighbors._on_map import map_neighbors
from unprior.objectives._views import FAIR_FROM, View
from unprior.optimize import DualAscent
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.priors._left import PriorLeft
from unprior.priors._left_within import PriorLeftWithin, prepare_left
from unprior.priors._simplified import cap_distances, quick_pairs

#: Map neighbours by which a map is judged, and the samples that are looked at in the end.
NEIGHBORS, JUDGED_ROWS = 15, 10_000

#: The multiplier of a prior that the data show, before the first look at a map; and the share of
#: the steps after which maps are looked at.
FIRST_MULTIPLIER, FIRST_LOOK = 0.5, 0.3

#: A constraint that is off by more than this in the end is warned of.
MISSED = 0.05


@dataclass(frozen=True, eq=False)
class Constraint:
    """A prior, the share of it that is to go, how it is measured, and whether the data show it.

    With kept labels it is measured, and removed, within their classes.
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
    """Return a constraint for each prior, those of strength 0 included, within kept labels."""
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
    """Return the data's view, of many samples with neighbours balanced over what they show.

    Classes are left to the residual, which aligns each as a whole.
    """
    shown = [c for c in removed if c.visible and not isinstance(c.prior, Labels)]
    if not shown or len(data.X) < FAIR_FROM:
        return data
    strengths = [c.strength for c in shown]
    return data.balanced({c.name: priors[c.name] for c in shown}, strengths, n_jobs, shown[0].keep)


def first_multipliers(removed: Sequence[Constraint], *, from_plain: bool) -> list[float]:
    """Return where multipliers start: at 0 for unseen priors, and from a plain map."""
    return [FIRST_MULTIPLIER if c.visible and not from_plain else 0.0 for c in removed]


def make_ascent(
    removed: Sequence[Constraint],
    shown: Mapping[str, float] | None,
    n_iter: int,
    rng: np.random.RandomState,
) -> DualAscent | None:
    """Return what moves the multipliers, if there are any.

    ``shown`` is what a plain map shows of each prior, if the descent starts from one.
    """
    if not removed:
        return None
    return DualAscent(
        [c.measure for c in removed],
        [(1 - c.strength) * (shown or {}).get(c.name, 0.0) for c in removed],
        first_multipliers(removed, from_plain=shown is not None),
        int(FIRST_LOOK * n_iter) if shown is None else 0,
        np.random.RandomState(rng.randint(2**31 - 1)),
    )


def measure_left(
    Y: Floats, constraints: Sequence[Constraint], rng: np.random.RandomState
) -> dict[str, float]:
    """Return what a map shows of every prior, by name."""
    rows = np.sort(rng.permutation(len(Y))[:JUDGED_ROWS])
    return {
        c.name: c.measure.among(rows, map_neighbors(Y, rows, c.measure.k)[0]) for c in constraints
    }


@dataclass(frozen=True, eq=False)
class PlainMap:
    """A map from which nothing is removed, and what it shows of every prior."""

    embedding: Floats
    left: dict[str, float]

    @classmethod
    def measure(cls, Y: Floats, constraints: Sequence[Constraint]) -> PlainMap:
        """Take a map that is there already."""
        return cls(Y, measure_left(Y, constraints, np.random.RandomState(0)))


def multipliers_of(
    constraints: Sequence[Constraint], ascent: DualAscent | None
) -> dict[str, float]:
    """Return the multiplier of every prior, by name; 0 if it is not to be removed."""
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
    """Warn of priors of which more or less is left than was asked for."""
    for c, aim in zip(removed, ascent.aims if ascent else (), strict=True):
        left = found[c.name]
        # Of a prior that is to stay in part, less is left where another constraint removes it.
        shared = aim > 0 and len(removed) > 1
        if left - aim > MISSED or (aim - left > MISSED and not shared):
            message = (
                f"{who}: map neighbours share {left:.2f} of the prior {c.name!r}, not {aim:.2f} as "
                "was asked for (0 is chance, 1 is all); try more steps (n_iter), or another "
                "residual."
            )
            warnings.warn(message, ConstraintWarning, stacklevel=caller_level())
