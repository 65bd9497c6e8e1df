"""What a data set is handed over as: one record for made data, one for measured data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats


@dataclass(frozen=True, eq=False, repr=False)
class TwoFactorData:
    """Samples made from two independent groupings: one is known, the other is to be found.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The data: columns of the known factor, then of the hidden one, then noise.
    known, hidden : ndarray of str, shape (n_samples,)
        Each sample's group by either factor: "A1", "A2", ... and "B1", "B2", ...
    known_features, hidden_features : ndarray of shape (n_samples, n_columns)
        The columns of ``X`` that either factor shaped. The known ones make the prior of the
        paper; a good map of ``X`` without them looks like one of the hidden ones.
    """

    X: Floats
    known: NDArray[np.str_]
    hidden: NDArray[np.str_]
    known_features: Floats
    hidden_features: Floats

    def __repr__(self) -> str:
        return (
            f"<two-factor data: {self.X.shape[0]} samples, {self.X.shape[1]} features, "
            f"{len(np.unique(self.known))} known and {len(np.unique(self.hidden))} hidden groups>"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LabelledData:
    """Measured samples with several labels each.

    Attributes
    ----------
    X : ndarray of shape (n_samples, n_features)
        The measurements, in their own units; no value is missing.
    feature_names : tuple of str
        What each column of ``X`` is, with its unit.
    labels : dict of str to ndarray of str, shape (n_samples,)
        What else is known of each sample, by name.
    """

    X: Floats
    feature_names: tuple[str, ...]
    labels: Mapping[str, NDArray[Any]]

    def __repr__(self) -> str:
        return (
            f"<labelled data: {self.X.shape[0]} samples, {self.X.shape[1]} features, labels "
            f"{', '.join(self.labels)}>"
        )
