"""A map and one yardstick (a prior, data, rest, a hidden structure) to its measurements."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from unprior.geometry import PointDistances, SampleDistances
from unprior.priors import Labels, Prior
from unprior.priors._keep import Keep
from unprior.scores._class_purity import estimate_classes
from unprior.scores._coherence import estimate_coherence
from unprior.scores._confounding import Confounding
from unprior.scores._left_within import estimate_left_within
from unprior.scores._map_neighbors import MapNeighbors, is_drawn, search_map
from unprior.scores._overlap import trace_overlap
from unprior.scores._rest import rest_among
from unprior.scores._rows import Estimate, choose_rows
from unprior.scores._trustworthiness import chance_trustworthiness, kept_among
from unprior.scores._unevenness import UNEVEN_NEIGHBORS, chance_unevenness, estimate_unevenness
from unprior.scores._within import estimate_within

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unprior._typing import Indices

#: What each measure is called in tables.
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

#: Overlap areas need all ranks; where only some samples are scored, they are taken among so many.
MOST_RANKED = 20_000

#: Which scores are good; of all other roles high ones are.
WANTS = {"prior": "chance", "prior within": "chance", "confounding": "low", "map": "low"}

#: Between the names of a prior and of the labels within whose classes it is looked at.
WITHIN = " within "


@dataclass(frozen=True)
class Yardstick:
    """What a map is held against; its role is "prior", "data", "rest", "within" or "hidden".

    Within strata of the prior, it is the data that a map is held against. A prior within kept or
    hidden labels has the role "prior within", with how far the two go together.
    """

    role: str
    name: str
    distances: SampleDistances
    strata: Indices | None = None
    keep: Keep | None = None
    confounding: Confounding | None = None


@dataclass(frozen=True)
class Setting:
    """How closely to look: neighbours, rows to score (None: all) and the seed that draws them."""

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
        "prior" if it tells how much of a prior is left; "data", "rest", "within" or "hidden" if it
        tells how much is kept of the data, of what the prior does not explain in them, of the data
        among samples that are alike in the prior, or of a hidden structure; "prior within" if it
        tells how much of a prior is left within kept or hidden classes; "confounding" how far these
        go together with the prior, on whatever map; "map" if it tells of the map alone.
    name : str
        Name of the prior or hidden structure; "data" for the data, "rest" for the rest, "map" for
        the map, and within priors their names.
    measure : str
        "neighbor_purity", "worst_class_purity", "neighbor_coherence", "neighbor_overlap",
        "overlap_area", "trustworthiness", "unevenness", "cramers_v", "correlation_ratio" or
        "distance_correlation".
    score : float
        The score.
    standard_error : float
        Of the score, if only some samples were scored; 0 if all were.
    chance : float
        The score of a map that has nothing to do with it; of unevenness, that of a random scatter.
    detail : str
        The class that is the worst; else empty.

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
        """What was measured, in words: "batch left", "data kept", "kept within batch", "map"."""
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
    """Return what a measure of k neighbours is called in tables, with the class it is of."""
    label = LABELS[measure].format(k=k)
    return f"{label}: {detail}" if detail else label


def search_for(Y: SampleDistances, setting: Setting) -> MapNeighbors:
    """Search a map's neighbours once, as many as any measure looks at."""
    k = max(setting.k, _uneven_neighbors(Y))
    return search_map(setting.who, Y, k, setting.n_rows, setting.seed)


def measure(
    Y: SampleDistances, found: MapNeighbors, yardstick: Yardstick, setting: Setting
) -> Iterator[Measurement]:
    """Yield what one yardstick says about a map, whose neighbours were searched before."""
    role, name, held, k = yardstick.role, yardstick.name, yardstick.distances, setting.k
    who, sampling = setting.who, (setting.n_rows, setting.seed)
    tell = partial(_tell, role, name)
    if yardstick.keep is not None:
        yield from _measure_within(found, yardstick, k)
        return
    if role == "rest":
        yield tell("neighbor_coherence", rest_among(found, held, k))
        return
    if yardstick.strata is not None:
        kept = estimate_within(who, Y, held, yardstick.strata, k, *sampling)
        # That there is nothing to keep does not depend on the map: all maps lack the row.
        if not math.isnan(kept.value):
            yield tell("neighbor_coherence", kept)
        return
    if isinstance(held, Labels) and role != "data":
        yield tell("neighbor_purity", estimate_coherence(found, held, k))
        classes = estimate_classes(Y, found, held, k, setting.seed)
        worst = classes.worst(lowest=role == "hidden")
        if worst is not None:
            detail = str(held.classes[worst[0]])
            yield tell("worst_class_purity", worst[1], detail=detail)
    elif role != "data":
        yield tell("neighbor_coherence", estimate_coherence(found, held, k))
    curve = trace_overlap(who, *thin(Y, held, setting), *sampling)
    yield tell("overlap_area", Estimate(curve.area, curve.standard_error))
    if role == "data":
        n, (trust, shared) = Y.n_samples, kept_among(found, held, k)
        yield tell("neighbor_overlap", shared, k / (n - 1))
        yield tell("trustworthiness", trust, chance_trustworthiness(n, k))


def _measure_within(found: MapNeighbors, yardstick: Yardstick, k: int) -> Iterator[Measurement]:
    """Yield what is left of a prior within classes, and how far both go together, if known."""
    held, keep, together = yardstick.distances, yardstick.keep, yardstick.confounding
    if keep is None or not isinstance(held, Prior):
        return
    word = "neighbor_purity" if isinstance(held, Labels) else "neighbor_coherence"
    yield _tell(yardstick.role, yardstick.name, word, estimate_left_within(found, held, keep, k))
    if together is not None:
        named = yardstick.name.replace(WITHIN, " and ", 1)
        value = Estimate(together.value, 0.0)
        yield _tell("confounding", named, together.measure, value, together.chance)


def thin(
    Y: SampleDistances, held: SampleDistances, setting: Setting
) -> tuple[SampleDistances, SampleDistances]:
    """Return some samples of very many, if only some are scored: an area is of shares of them."""
    if setting.n_rows is None or Y.n_samples <= MOST_RANKED:
        return Y, held
    chosen = choose_rows(setting.who, np.arange(Y.n_samples), MOST_RANKED, setting.seed)
    return Y[chosen], held[chosen]


def measure_map(Y: SampleDistances, found: MapNeighbors) -> Iterator[Measurement]:
    """Yield what is to be said of a map alone, if it is one: coordinates that can be drawn."""
    k = _uneven_neighbors(Y)
    if k and isinstance(Y, PointDistances):
        chance = chance_unevenness(Y.values.shape[1], k)
        yield _tell("map", "map", "unevenness", estimate_unevenness(found, k), chance)


def _uneven_neighbors(Y: SampleDistances) -> int:
    """Return how many neighbours the unevenness of a map takes; 0 if it is not asked for."""
    return UNEVEN_NEIGHBORS if is_drawn(Y) and Y.n_samples > UNEVEN_NEIGHBORS else 0


def _tell(
    role: str, name: str, word: str, estimate: Estimate, chance: float = 0.0, detail: str = ""
) -> Measurement:
    value, error = estimate.value, estimate.standard_error
    return Measurement(role, name, word, value, error, chance, detail)
