"""A map and one yardstick (a prior, data, rest, a hidden structure) to its measurements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from unprior.priors import Labels, Prior
from unprior.scores._coherence import estimate_coherence
from unprior.scores._overlap import trace_overlap
from unprior.scores._rest import estimate_rest
from unprior.scores._rows import Estimate
from unprior.scores._trustworthiness import chance_trustworthiness, estimate_kept

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What each measure is called in tables.
LABELS = {
    "neighbor_purity": "{k}-neighbour purity",
    "neighbor_coherence": "{k}-neighbour coherence",
    "neighbor_overlap": "{k}-neighbour overlap",
    "overlap_area": "overlap area",
    "trustworthiness": "trustworthiness",
}


@dataclass(frozen=True)
class Yardstick:
    """What a map is held against; its role is "prior", "data", "rest" or "hidden"."""

    role: str
    name: str
    distances: Prior


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
        "prior" if it tells how much of a prior is left; "data", "rest" or "hidden" if it tells how
        much is kept of the data, of what the prior does not explain in them, or of a hidden
        structure.
    name : str
        Name of the prior or hidden structure; "data" for the data, "rest" for the rest.
    measure : str
        "neighbor_purity", "neighbor_coherence", "neighbor_overlap", "overlap_area" or
        "trustworthiness".
    score : float
        The score.
    standard_error : float
        Of the score, if only some samples were scored; 0 if all were.
    chance : float
        The score of a map that has nothing to do with it.

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

    @property
    def what(self) -> str:
        """What was measured, in words: "batch left", "data kept"."""
        return f"{self.name} {'left' if self.role == 'prior' else 'kept'}"

    @property
    def want(self) -> str:
        """Which scores are good: those at "chance", or "high" ones."""
        return "chance" if self.role == "prior" else "high"


def label_measure(measure: str, k: int) -> str:
    """Return what a measure of k neighbours is called in tables."""
    return LABELS[measure].format(k=k)


def measure(Y: Prior, yardstick: Yardstick, setting: Setting) -> Iterator[Measurement]:
    """Yield what one yardstick says about a map."""
    for name, (estimate, chance) in _estimates(Y, yardstick, setting).items():
        yield Measurement(
            yardstick.role, yardstick.name, name, estimate.value, estimate.standard_error, chance
        )


def _estimates(
    Y: Prior, yardstick: Yardstick, setting: Setting
) -> dict[str, tuple[Estimate, float]]:
    """Return each measure's estimate and its value by chance."""
    held = yardstick.distances
    who, k, sampling = setting.who, setting.k, (setting.n_rows, setting.seed)
    if yardstick.role == "rest":
        return {"neighbor_coherence": (estimate_rest(who, Y, held, k, *sampling), 0.0)}
    curve = trace_overlap(who, Y, held, *sampling)
    area = Estimate(curve.area, curve.standard_error), 0.0
    if yardstick.role != "data":
        word = "neighbor_purity" if isinstance(held, Labels) else "neighbor_coherence"
        coherence = estimate_coherence(who, Y, held, k, *sampling)
        return {word: (coherence, 0.0), "overlap_area": area}
    trust, shared = estimate_kept(who, held, Y, k, *sampling)
    n = Y.n_samples
    return {
        "overlap_area": area,
        "neighbor_overlap": (shared, k / (n - 1)),
        "trustworthiness": (trust, chance_trustworthiness(n, k)),
    }
