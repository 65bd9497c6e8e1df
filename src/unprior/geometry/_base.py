"""The base class of distances between samples: of data, maps, residuals and priors."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from unprior._memory import check_square_fits
from unprior._typing import Floats, Indices
from unprior.geometry._points import Points

#: Entries of a block of distances held in memory at a time (32 MB of float64).
BLOCK_ENTRIES = 4_000_000


def as_rows(rows: Any) -> Indices:
    """Return indices of samples as an array; refuse anything but integers."""
    array = np.asarray(rows)
    if array.dtype.kind not in "iu" and array.size:
        message = f"samples are selected by whole numbers; got {array.dtype} values."
        raise TypeError(message)
    return array.astype(np.intp, copy=False)


def power_of_two(values: Floats) -> float:
    """Return a power of two near the largest number: an exact divisor that prevents overflow."""
    largest = float(np.abs(values).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest else 1.0


class SampleDistances(ABC):
    """Distances between samples, computed on demand.

    No n × n array is held unless this was made from one. Indexing selects samples, and both axes
    follow: ``distances[rows]`` are the distances between these samples.

    Attributes
    ----------
    n_samples : int
        Number of samples.
    kind : str
        Name of this kind of distances.
    """

    kind: ClassVar[str]

    # An element is again such an object, so iteration by index would never end.
    __iter__: ClassVar[None] = None

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of samples."""

    @abstractmethod
    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""

    @abstractmethod
    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""

    @abstractmethod
    def _take(self, rows: Indices) -> SampleDistances:
        """Return the distances between the given samples; ``rows`` are valid and not negative."""

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the distance matrix, (n_samples, n_samples)."""
        return (self.n_samples, self.n_samples)

    def __len__(self) -> int:
        return self.n_samples

    def __getitem__(self, rows: Any) -> SampleDistances:
        # scikit-learn indexes as distances[rows, ...]; the second axis follows the first.
        if isinstance(rows, tuple):
            rows = rows[0]
        return self._take(np.atleast_1d(np.arange(self.n_samples)[rows]))

    def __array__(self, dtype: Any = None, copy: Any = None) -> Floats:
        message = (
            f"{type(self).__name__}: distances between samples are not an array of numbers; call "
            "to_array() for all of them."
        )
        raise TypeError(message)

    def blocks(self) -> Iterator[tuple[Indices, Floats]]:
        """Yield all distances in blocks: (rows, distances of these rows to all samples)."""
        n = self.n_samples
        everyone, step = np.arange(n), max(1, BLOCK_ENTRIES // max(n, 1))
        for start in range(0, n, step):
            rows = everyone[start : start + step]
            yield rows, self.block(rows, everyone)

    def largest(self) -> float:
        """Return the largest distance between two samples."""
        return float(max(distances.max() for _, distances in self.blocks()))

    def is_constant(self) -> bool:
        """Whether all pairs of samples are equally far apart, which carries no information."""
        if self.n_samples < 3:
            return True
        everyone = np.arange(self.n_samples)
        first = self.pairs(np.zeros(self.n_samples - 1, dtype=np.intp), everyone[1:])
        if not np.allclose(first, first[0], rtol=1e-12, atol=0):
            return False
        return all(
            np.allclose(distances[rows[:, None] != everyone], first[0], rtol=1e-12, atol=0)
            for rows, distances in self.blocks()
        )

    def describe_constant(self) -> str:
        """Return why `is_constant` holds, for error messages."""
        return "one distance throughout"

    def to_array(self) -> Floats:
        """Return the full n × n matrix, for small n."""
        check_square_fits("to_array", self.n_samples, n_arrays=1)
        everyone = np.arange(self.n_samples)
        return self.block(everyone, everyone)

    @property
    def slow_pairs(self) -> bool:
        """Whether distances of single pairs are too slow to compute at every iteration."""
        return False

    def points(self) -> Points | None:
        """Return points with these distances, for compiled code; None if there are none."""
        return None

    def some_points(self) -> Points | None:
        """Return points, but only the first for stored rows: enough to know their type."""
        return self.points()

    @property
    def euclidean_rows(self) -> Floats | None:
        """Rows in memory that have these as Euclidean distances; None if there are none."""
        return None

    @property
    def class_codes(self) -> Indices | None:
        """The class of each sample as an integer from 0, if distances only depend on classes."""
        return None

    def __repr__(self) -> str:
        return f"<distances: {self.kind}, {self.n_samples} samples>"


def draw_landmarks(n_samples: int, most: int) -> Indices:
    """Return all samples, or a fixed random draw of ``most`` of them, sorted.

    Examples
    --------
    >>> draw_landmarks(4, most=10)
    array([0, 1, 2, 3])
    >>> len(draw_landmarks(100, most=10))
    10
    """
    if n_samples <= most:
        return np.arange(n_samples)
    return np.sort(np.random.default_rng(0).choice(n_samples, most, replace=False))
