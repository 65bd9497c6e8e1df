"""A way to draw a map: what is taken out of the data before, and of the map itself."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from unprior._typing import Floats, Metric
from unprior._warnings import PriorMissingWarning
from unprior.estimators import JEDI, Confetti, Residual
from unprior.priors import Prior
from unprior.selection._steering import SteeredJEDI

#: Effective number of neighbours of every map.
PERPLEXITY = 30.0


@dataclass(frozen=True)
class Setting:
    """What every way of drawing is told alike."""

    metric: Metric
    n_components: int
    n_jobs: int | None
    random_state: Any
    verbose: int = 0

    @property
    def has_residual(self) -> bool:
        """Whether `unprior.Residual` takes data of this metric."""
        return self.metric in ("euclidean", "l2", "precomputed")


@dataclass(frozen=True)
class Composition:
    """One way to draw a map with a prior factored out.

    Attributes
    ----------
    residual : str or None
        Kind of `unprior.Residual` that goes first, if any.
    strength : float or "auto"
        Strength of `unprior.JEDI`; 0 draws plain t-SNE, "auto" is found while the map is drawn: the
        one that leaves nothing of the prior to be seen.
    contrast : float
        Strength of `unprior.Confetti` with t-SNE instead of JEDI, if not 0.
    beside : bool
        Whether the data as they are stand beside their residual, where a strength is found: who is
        near in either of both is drawn near.

    Examples
    --------
    >>> str(Composition("aligned", 0.5)), str(Composition()), str(Composition(contrast=1.0))
    ('Residual (aligned), then JEDI (strength 0.5)', 't-SNE', 'CONFETTI (strength 1) with t-SNE')
    >>> str(Composition("aligned", "auto", beside=True))
    'Residual (aligned) beside the data, then JEDI (strength auto)'
    """

    residual: str | None = None
    strength: float | Literal["auto"] = 0.0
    contrast: float = 0.0
    beside: bool = False

    def draw(self, X: Floats, prior: Mapping[str, Prior], setting: Setting) -> Floats:
        """Draw the map of these samples."""
        return self.draw_rest(X, self.rest(X, prior, setting), prior, setting)

    def rest(self, X: Floats, prior: Mapping[str, Prior], setting: Setting) -> Floats:
        """Return what is left of the data when the residual has been taken out."""
        if self.residual is None:
            return X
        if not setting.has_residual:
            message = (
                "embed: method 'residual' takes the metric 'euclidean' or 'precomputed'; got "
                f"{setting.metric!r}. Use method='jedi'."
            )
            raise ValueError(message)
        return Residual(self.residual, metric=str(setting.metric))._fit_residual(X, prior)

    def __str__(self) -> str:
        if self.contrast:
            return f"CONFETTI (strength {self.contrast:g}) with t-SNE"
        strength = self.strength if self.strength == "auto" else f"{self.strength:g}"
        drawn = f"JEDI (strength {strength})" if self.strength else "t-SNE"
        if self.residual is None:
            return drawn
        beside = " beside the data" if self.beside else ""
        return f"Residual ({self.residual}){beside}, then {drawn}"

    def draw_rest(
        self, X: Floats, rest: Floats, prior: Mapping[str, Prior], setting: Setting
    ) -> Floats:
        """Draw the map, knowing what is left of the data."""
        options: dict[str, Any] = {
            "metric": setting.metric,
            "n_components": setting.n_components,
            "n_jobs": setting.n_jobs,
            "random_state": setting.random_state,
            "verbose": setting.verbose,
        }
        if self.contrast:
            confetti = Confetti(
                strength=self.contrast, operator="linear", embedder="tsne", **options
            )
            return confetti.fit(rest, prior=prior).embedding_
        options["perplexity"] = min(PERPLEXITY, (len(X) - 1) / 3)
        if self.strength == "auto":
            views = [rest, X] if self.beside else [rest]
            return SteeredJEDI(**options).fit_views(views, prior=prior).embedding_
        jedi = JEDI(strength=self.strength, **options)
        if self.strength:
            return jedi.fit(rest, prior=prior).embedding_
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=PriorMissingWarning)
            return jedi.fit(rest).embedding_
