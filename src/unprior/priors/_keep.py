"""Kept labels: classes whose differences are to be preserved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices


@dataclass(frozen=True, eq=False)
class Keep:
    """Kept labels: a class for each sample, or none where the label is missing.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The kept class of each sample, as its position in ``classes``; -1 if it is missing.
    classes : ndarray of shape (n_classes,)
        The kept classes.
    name : str
        Name of the labels.

    Examples
    --------
    >>> import numpy as np
    >>> Keep(np.array([1, 0, -1, 1]), np.array(["B", "T"])).counts
    array([1, 2])
    """

    codes: Indices
    classes: NDArray[Any]
    name: str = "keep"

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.codes)

    @property
    def count(self) -> int:
        """Number of kept classes."""
        return len(self.classes)

    @property
    def counts(self) -> Indices:
        """Number of samples in each kept class."""
        return np.bincount(self.codes[self.codes >= 0], minlength=self.count)

    @property
    def labeled(self) -> NDArray[np.bool_]:
        """Which samples have a kept label."""
        return np.asarray(self.codes >= 0)

    def determines(self, codes: Indices) -> bool:
        """Whether all samples of each kept class have the same code."""
        pairs = np.unique(np.column_stack([self.codes, codes]), axis=0)
        return len(pairs) == len(np.unique(pairs[:, 0]))

    def __getitem__(self, rows: Any) -> Keep:
        return Keep(self.codes[rows], self.classes, self.name)

    def partner_class(self, i: Indices, j: Indices) -> Indices:
        """Return the class whose chance level applies to each pair: the kept class of j.

        It is ``count``, which stands for all samples, if either label is missing.
        """
        missing = (self.codes[i] < 0) | (self.codes[j] < 0)
        return np.where(missing, self.count, self.codes[j])

    def members(self) -> Iterator[tuple[int, Indices]]:
        """Yield the code and the samples of each kept class that has samples."""
        order = np.argsort(self.codes, kind="stable")
        present, starts = np.unique(self.codes[order], return_index=True)
        for code, rows in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
            if code >= 0:
                yield code, rows

    def permutation(self, rng: np.random.RandomState) -> Indices:
        """Return a permutation that leaves every sample in its kept class."""
        permuted = np.empty(self.n_samples, dtype=np.intp)
        order = np.argsort(self.codes, kind="stable")
        shuffled = rng.permutation(self.n_samples)
        permuted[order] = shuffled[np.argsort(self.codes[shuffled], kind="stable")]
        return permuted

    def part(self, values: Floats) -> Floats:
        """Return the mean of each sample's kept class minus the mean of all labelled samples.

        It is zero for samples without a kept label.
        """
        parts, labeled = np.zeros(values.shape), self.labeled
        overall = values[labeled].mean(axis=0, dtype=np.float64)
        for _, rows in self.members():
            parts[rows] = values[rows].mean(axis=0, dtype=np.float64) - overall
        return parts
