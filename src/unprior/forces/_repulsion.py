"""Choose how to sum the repulsion: among all samples of a map, or within each class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from unprior._typing import Floats, Indices
from unprior.forces._barnes_hut import barnes_hut_field
from unprior.forces._exact import Field, exact_field
from unprior.forces._fft import fft_field

#: A method to sum the repulsion in a map with three columns, unused ones zero.
Repulsion: TypeAlias = Callable[[Floats], Field]

#: Up to this many samples the sum over all pairs is about as fast, and exact.
EXACT_IN_PLANE, EXACT_IN_SPACE = 4_000, 8_000


def choose_repulsion(n_samples: int, n_components: int) -> Repulsion:
    """Choose the sum over all pairs, a grid in one or two dimensions, or a tree in three.

    Examples
    --------
    >>> [choose_repulsion(n, 2).__name__ for n in (1_000, 100_000)]
    ['exact_field', 'fft_field']
    >>> choose_repulsion(100_000, 3).__name__
    'barnes_hut_field'
    """
    in_space = n_components > 2
    if n_samples <= (EXACT_IN_SPACE if in_space else EXACT_IN_PLANE):
        return exact_field
    return barnes_hut_field if in_space else fft_field


@dataclass(frozen=True, eq=False)
class ClassRepulsion:
    """The repulsion within classes: Σ_j w² (y_i − y_j), with j in the class of i.

    Attributes
    ----------
    small : ndarray
        Samples of the classes that are summed over all pairs, class by class.
    begin, end : ndarray
        Where in ``small`` the class of each of its samples begins and ends.
    large : sequence of (rows, repulsion)
        Samples of each other class, and the method to sum their repulsion.
    """

    small: Indices
    begin: Indices
    end: Indices
    large: Sequence[tuple[Indices, Repulsion]]

    @classmethod
    def of(cls, codes: Indices, choose: Callable[[int], Repulsion]) -> ClassRepulsion:
        """Choose the method for each class by its number of samples.

        Parameters
        ----------
        codes : ndarray of shape (n_samples,)
            The class of each sample, numbered from 0.
        choose : callable
            Number of samples -> method to sum their repulsion.
        """
        sizes = np.bincount(codes)
        classes = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
        chosen = [(rows, choose(len(rows))) for rows in classes if len(rows) > 1]
        small = [rows for rows, repulsion in chosen if repulsion is exact_field]
        lengths = np.array([len(rows) for rows in small], dtype=np.intp)
        ends = np.cumsum(lengths)
        return cls(
            np.concatenate([*small, np.empty(0, dtype=np.intp)]),
            np.repeat(ends - lengths, lengths),
            np.repeat(ends, lengths),
            [(rows, repulsion) for rows, repulsion in chosen if repulsion is not exact_field],
        )

    def __call__(self, Y: Floats) -> Field:
        """Sum the repulsion in a map with three columns."""
        from unprior.kernels._pairs import repel_within

        force = np.zeros_like(Y)
        force[self.small], total = repel_within(Y[self.small], self.begin, self.end)
        normalizer = float(total.sum())
        for rows, repulsion in self.large:
            own = repulsion(Y[rows])
            force[rows] = own.force
            normalizer += own.normalizer
        return Field(force, normalizer)
