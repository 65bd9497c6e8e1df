"""How data were scaled and reduced before a fit -> new samples scaled and reduced the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from unprior._typing import Floats


@dataclass(frozen=True, eq=False)
class Projection:
    """Centre and scale columns, then project rows onto axes; every row by itself, to the bit.

    Attributes
    ----------
    center, scale : ndarray of shape (n_columns,)
        Subtracted from the columns, and what they are then divided by.
    axes : ndarray of shape (n_columns, n_components) or None
        The principal axes; None if columns are only scaled.
    unit_rows : bool
        Whether rows are scaled to length 1 first.
    """

    center: Floats
    scale: Floats
    axes: Floats | None = None
    unit_rows: bool = False

    def __call__(self, X: Any) -> Floats:
        """Return the rows of a dense or sparse matrix as the fit has seen its own."""
        from unprior.kernels._to_fitted import multiply_rows

        if self.unit_rows:
            from sklearn.preprocessing import normalize

            X = normalize(X)
        if issparse(X) and self.axes is not None:
            # The product goes row by row, so none depends on the others.
            axes = self.axes / self.scale[:, None]
            return np.asarray(csr_array(X) @ axes - (self.center / self.scale) @ self.axes)
        X = X.toarray() if issparse(X) else np.asarray(X, dtype=np.float64)
        scaled = (X - self.center) / self.scale
        if self.axes is None:
            return np.asarray(scaled)
        return np.asarray(multiply_rows(scaled, np.ascontiguousarray(self.axes)))
