"""Measurements of a map relative to one yardstick: a prior, the data, the rest, hidden labels."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unprior.geometry import SampleDistances
from unprior.priors import Keep, Labels, Prior
from unprior.scores._class_purity import estimate_classes
from unprior.scores._coherence import estimate_coherence
from unprior.scores._confounding import Confounding
from unprior.scores._left_within import estimate_left_within
from unprior.scores._neighbors import MapNeighbors, map_points, search_map
from unprior.scores._overlap import trace_overlap
from unprior.scores._rest import estimate_rest
from unprior.scores._rows import Estimate, choose_rows
from unprior.scores._trustworthiness import chance_trustworthiness, estimate_kept
from unprior.scores._unevenness import UNEVEN_NEIGHBORS, chance_unevenness, estimate_unevenness
from unprior.scores._within import estimate_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unprior._typing import Indices

#: Names of the measures in tables.
LABELS = {
    "neighbor_purity": "{k}-neighbour purity",
    "neighbor_coherence": "{k}-neighbour coherence",
    "neighbor_overlap": "{k}-neighbour overlap",
    "worst_class_purity": "worst class",
    "overlap_area": "overlap area",
    "trustworthiness": "trustworthiness",
    "unevenness": "unevenness",
    "cramers_v": "Cramér's V",
    "correlation_ratio": "correlation ratio",
    "distance_correlation": "distance correlation",
}

#: Overlap areas need all ranks; if not all rows are scored, they use at most this many samples.
MOST_RANKED = 20_000

#: Which scores are good for each role; "high" for all others.
WANTS = {"prior": "chance", "prior within": "chance", "confounding": "low", "map": "low"}

#: Joins the name of a prior and the name of the labels within whose classes it is scored.
WITHIN = " within "


@dataclass(frozen=True)
class Yardstick:
    """What a map is compared with; its role is "prior", "data", "rest", "within" or "hidden".

    The role "within" compares a map with the data within strata of the prior; "prior within" with
    a prior within the classes of kept or hidden labels, and holds their confounding.
    """

    role: str
    name: str
    distances: SampleDistances
    strata: Indices | None = None
    keep: Keep | None = None
    confounding: Confounding | None = None


@dataclass(frozen=True)
class ScoreSettings:
    """The number of neighbours, of rows to score (None: all), and the seed that draws the rows."""

    who: str
    k: int
    n_rows: int | None
    seed: int


@dataclass(frozen=True)
class Measurement:
    """One score of a map.

    Attributes
    ----------
    role : str
        "prior": how much of a prior is left. "data", "rest", "within" or "hidden": how much is kept
        of the data, of what the prior does not explain in them, of the data among samples with
        similar priors, or of hidden structure. "prior within": how much of a prior is left within
        kept or hidden classes. "confounding": how strongly these are associated with the prior,
        whatever the map. "map": a property of the map alone.
    name : str
        Name of the prior or hidden structure; for "data", "rest" and "map" the role, and for
        "within" the names of the priors.
    measure : str
        "neighbor_purity", "worst_class_purity", "neighbor_coherence", "neighbor_overlap",
        "overlap_area", "trustworthiness", "unevenness", "cramers_v", "correlation_ratio" or
        "distance_correlation".
    score : float
        The score.
    standard_error : float
        Standard error of the score; 0 if all samples were scored.
    chance : float
        Expected score of an unrelated map; for unevenness, that of uniformly scattered samples.
    detail : str
        Name of the worst class; empty for other measures.

    Examples
    --------
    >>> from unprior.scores import Measurement
    >>> row = Measurement("prior", "batch", "overlap_area", 0.02, 0.0, 0.0)
    >>> row.what, row.want
    ('batch left', 'chance')
    """

    role: str
    name: str
    measure: str
    score: float
    standard_error: float
    chance: float
    detail: str = ""

    @property
    def what(self) -> str:
        """What was measured: for example "batch left", "data kept", "kept within batch", "map"."""
        if self.role in ("map", "confounding"):
            return self.name
        if self.role == "within":
            return f"kept within {self.name}"
        if self.role == "prior within":
            return self.name.replace(WITHIN, f" left{WITHIN}", 1)
        return f"{self.name} {'left' if self.role == 'prior' else 'kept'}"

    @property
    def want(self) -> str:
        """Which scores are good: those at "chance", "high" or "low" ones."""
        return WANTS.get(self.role, "high")


def label_measure(measure: str, k: int, detail: str = "") -> str:
    """Return the name of a measure in tables, with the class it belongs to."""
    label = LABELS[measure].format(k=k)
    return f"{label}: {detail}" if detail else label


def search_for(Y: SampleDistances, settings: ScoreSettings) -> MapNeighbors:
    """Search a map's neighbours once, as many as the measures need."""
    k = max(settings.k, _uneven_neighbors(Y))
    return search_map(settings.who, Y, k, settings.n_rows, settings.seed)


def measure(
    Y: SampleDistances, map_neighbors: MapNeighbors, yardstick: Yardstick, settings: ScoreSettings
) -> Iterator[Measurement]:
    """Yield the measurements of a map, given its neighbours, relative to one yardstick."""
    role, name, target, k = yardstick.role, yardstick.name, yardstick.distances, settings.k
    who, sampling = settings.who, (settings.n_rows, settings.seed)
    measurement = partial(_measurement, role, name)
    if yardstick.keep is not None:
        yield from _measure_within(map_neighbors, yardstick, k)
        return
    if role == "rest":
        yield measurement("neighbor_coherence", estimate_rest(map_neighbors, target, k))
        return
    if yardstick.strata is not None:
        kept = estimate_within(who, Y, target, yardstick.strata, k, *sampling)
        # Whether there is anything to keep does not depend on the map.
        if not math.isnan(kept.value):
            yield measurement("neighbor_coherence", kept)
        return
    if isinstance(target, Labels) and role != "data":
        yield measurement("neighbor_purity", estimate_coherence(map_neighbors, target, k))
        classes = estimate_classes(Y, map_neighbors, target, k, settings.seed)
        worst = classes.worst(lowest=role == "hidden")
        if worst is not None:
            detail = str(target.classes[worst[0]])
            yield measurement("worst_class_purity", worst[1], detail=detail)
    elif role != "data":
        yield measurement("neighbor_coherence", estimate_coherence(map_neighbors, target, k))
    curve = trace_overlap(who, *thin(Y, target, settings), *sampling)
    yield measurement("overlap_area", Estimate(curve.area, curve.standard_error))
    if role == "data":
        n, (trust, shared) = Y.n_samples, estimate_kept(map_neighbors, target, k)
        yield measurement("neighbor_overlap", shared, k / (n - 1))
        yield measurement("trustworthiness", trust, chance_trustworthiness(n, k))


def _measure_within(
    map_neighbors: MapNeighbors, yardstick: Yardstick, k: int
) -> Iterator[Measurement]:
    """Yield what is left of a prior within classes, and their confounding if it was measured."""
    target, keep, confounding = yardstick.distances, yardstick.keep, yardstick.confounding
    if keep is None or not isinstance(target, Prior):
        return
    measure_name = "neighbor_coherence" if target.class_codes is None else "neighbor_purity"
    yield _measurement(
        yardstick.role,
        yardstick.name,
        measure_name,
        estimate_left_within(map_neighbors, target, keep, k),
    )
    if confounding is not None:
        name = yardstick.name.replace(WITHIN, " and ", 1)
        value = Estimate(confounding.value, 0.0)
        yield _measurement("confounding", name, confounding.measure, value, confounding.chance)


def thin(
    Y: SampleDistances, target: SampleDistances, settings: ScoreSettings
) -> tuple[SampleDistances, SampleDistances]:
    """Return at most MOST_RANKED samples, unless all are to be scored."""
    if settings.n_rows is None or Y.n_samples <= MOST_RANKED:
        return Y, target
    chosen = choose_rows(settings.who, np.arange(Y.n_samples), MOST_RANKED, settings.seed)
    return Y[chosen], target[chosen]


def measure_map(Y: SampleDistances, map_neighbors: MapNeighbors) -> Iterator[Measurement]:
    """Yield the unevenness of a map with coordinates that can be drawn."""
    k, points = _uneven_neighbors(Y), map_points(Y)
    if k and points is not None:
        chance = chance_unevenness(points.shape[1], k)
        yield _measurement(
            "map", "map", "unevenness", estimate_unevenness(map_neighbors, k), chance
        )


def _uneven_neighbors(Y: SampleDistances) -> int:
    """Return the number of neighbours for the unevenness of a map; 0 if it is not scored."""
    is_drawn = map_points(Y) is not None
    return UNEVEN_NEIGHBORS if is_drawn and Y.n_samples > UNEVEN_NEIGHBORS else 0


def _measurement(
    role: str,
    name: str,
    measure_name: str,
    estimate: Estimate,
    chance: float = 0.0,
    detail: str = "",
) -> Measurement:
    value, error = estimate.value, estimate.standard_error
    return Measurement(role, name, measure_name, value, error, chance, detail)
