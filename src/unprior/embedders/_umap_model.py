"""umap-learn's UMAP with a reproducible, parallel layout; importing this loads umap-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._warnings import InterruptedFitWarning, caller_level
from unprior.embedders._embedders import has_own_layout
from unprior.optimize import Checkpoint
from unprior.optimize._umap_layout import LayoutCallback, LayoutSettings, lay_out

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)
    import umap

__all__ = ["UMAP", "umap"]

#: umap-learn's number of epochs up to FEW samples, and beyond.
EPOCHS_OF_FEW, EPOCHS_OF_MANY, FEW = 500, 200, 10_000


class UMAP(umap.UMAP):
    """umap-learn's estimator with a layout that gives the same map on any number of threads.

    Graph, initial map and settings are those of umap-learn. So is the layout for densMAP,
    non-Euclidean output metrics, and maps of several epochs.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.RandomState(0).normal(size=(50, 3))
    >>> UMAP(random_state=0, n_jobs=1).fit(X, n_jobs=2).embedding_.shape
    (50, 2)
    """

    def _fit_embed_data(
        self,
        X: Any,
        n_epochs: Any,
        init: Any,
        random_state: np.random.RandomState,
        *,
        n_jobs: int | None = None,
        callbacks: Sequence[LayoutCallback] = (),
        every: int = 50,
        progress: int = 0,
        checkpoint: Checkpoint | None = None,
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Lay out the graph; umap-learn provides this method for subclasses."""
        if not has_own_layout(self.get_params()):
            return super()._fit_embed_data(X, n_epochs, init, random_state)
        start, _ = super()._fit_embed_data(X, 0, init, random_state)
        if n_epochs is None:
            n_epochs = EPOCHS_OF_FEW if len(start) <= FEW else EPOCHS_OF_MANY
        settings = LayoutSettings(
            n_epochs,
            self._a,
            self._b,
            self.repulsion_strength,
            self.negative_sample_rate,
            self._initial_alpha,
        )
        layout = lay_out(
            self.graph_,
            start,
            settings,
            seed=random_state.randint(2**31 - 1),
            callbacks=callbacks,
            every=every,
            n_jobs=n_jobs,
            verbose=progress,
            checkpoint=checkpoint,
        )
        if layout.stopped_by == "keyboard":
            warnings.warn(
                f"UMAP: stopped from the keyboard after {layout.n_epochs} of {n_epochs} epochs; "
                "the map so far is kept in embedding_.",
                InterruptedFitWarning,
                stacklevel=caller_level(),
            )
        return layout.embedding, {}
