"""New samples and what is known of them -> places on a fitted map, some rows at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.transform._far import Usual
from unprior.transform._jedi import JEDIMap
from unprior.transform._priors import KeptPrior, rows_of
from unprior.transform._tsne import Placed, TSNEMap
from unprior.transform._umap import UMAPMap

#: Distances to fitted samples that are held at a time (16 MB of float32).
BLOCK_ENTRIES = 4_000_000

#: A fitted map, as new samples meet it.
FittedMap = TSNEMap | UMAPMap | JEDIMap


@dataclass(frozen=True, eq=False)
class NewSamples:
    """What is kept of a fit to place new samples.

    Attributes
    ----------
    map : FittedMap
        The map, the fitted samples in each view, and the forces of the map.
    priors : dict of str to KeptPrior
        The priors, by name.
    usual : Usual
        How far fitted samples are from their neighbours.
    """

    map: FittedMap
    priors: Mapping[str, KeptPrior]
    usual: Usual

    def place(
        self, views: list[Floats], told: Mapping[str, Any]
    ) -> tuple[Placed, NDArray[np.bool_]]:
        """Place new samples, and tell which are far from all fitted ones.

        Parameters
        ----------
        views : list of ndarray of shape (n_new, n_features)
            Data of the new samples and, if there is one, their residual.
        told : dict
            What is known of them, as `read_known` has read it; empty if nothing is.
        """
        n_new = len(views[0])
        step = max(1, BLOCK_ENTRIES // self.map.n_fitted)
        found, far = [], []
        for start in range(0, n_new, step):
            rows = slice(start, start + step)
            known = {name: rows_of(told[name], rows) for name in told}
            pairs = zip(self.map.views, views, strict=False)
            lines = [view.rows.to_fitted(X[rows]) for view, X in pairs]
            found.append(self.map.place(lines, self._nearest(known), self._distances(known)))
            far.append(self.usual.is_far(lines[0]))
        places, medians = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return Placed(places, medians), np.concatenate(far)

    def _nearest(self, known: Mapping[str, Any]) -> dict[str, Indices]:
        return {name: self.priors[name].nearest(known[name]) for name in known}

    def _distances(self, known: Mapping[str, Any]) -> Any:
        """Return what asks for distances of new samples to fitted ones in a prior."""
        return lambda name: self.priors[name].to_fitted(known[name])
