"""umap-learn's UMAP with a layout that is reproducible and parallel; loads umap-learn."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._warnings import InterruptedFitWarning, caller_level
from unprior.embedders._embedders import lays_out
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._umap_layout import LayoutCallback, LayoutSettings, lay_out

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", "Tensorflow not installed", ImportWarning)
    import umap

__all__ = ["UMAP", "umap"]

#: umap-learn's epochs, and up to how many samples there are more of them.
EPOCHS_OF_FEW, EPOCHS_OF_MANY, FEW = 500, 200, 10_000


class UMAP(umap.UMAP):
    """umap-learn's estimator, but for the layout: the same map for a seed on any number of threads.

    Graph, start and settings are umap-learn's. So is the layout where only umap-learn has it:
    densMAP, a map in another metric than the Euclidean, or maps of several epochs.

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
        """Lay out the graph; umap-learn leaves this method to subclasses."""
        if not lays_out(self.get_params()):
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
