"""Classes -> the repulsion among samples of the same class."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from unprior._typing import Floats, Indices
from unprior.forces._choose import Repulsion
from unprior.forces._exact import Field, exact_field


@dataclass(frozen=True, eq=False)
class ClassRepulsion:
    """The repulsion of every sample's own class: Σ_j w² (y_i − y_j), with j of i's class only.

    Attributes
    ----------
    small : ndarray
        Samples of the classes that are summed over all pairs, class by class.
    begin, end : ndarray
        Where in ``small`` the class of each of its samples begins and ends.
    large : sequence of (members, repulsion)
        Samples of every other class, and how to sum their repulsion.
    """

    small: Indices
    begin: Indices
    end: Indices
    large: Sequence[tuple[Indices, Repulsion]]

    @classmethod
    def of(cls, codes: Indices, choose: Callable[[int], Repulsion]) -> ClassRepulsion:
        """Sort the classes by how ``choose`` would sum as many samples.

        Parameters
        ----------
        codes : ndarray of shape (n_samples,)
            The class of each sample, as a number from 0.
        choose : callable
            Number of samples -> how to sum their repulsion.
        """
        sizes = np.bincount(codes)
        classes = np.split(np.argsort(codes, kind="stable"), np.cumsum(sizes)[:-1])
        chosen = [(members, choose(len(members))) for members in classes if len(members) > 1]
        small = [members for members, repulsion in chosen if repulsion is exact_field]
        lengths = np.array([len(members) for members in small], dtype=np.intp)
        ends = np.cumsum(lengths)
        return cls(
            np.concatenate([*small, np.empty(0, dtype=np.intp)]),
            np.repeat(ends - lengths, lengths),
            np.repeat(ends, lengths),
            [(members, repulsion) for members, repulsion in chosen if repulsion is not exact_field],
        )

    def __call__(self, Y: Floats) -> Field:
        """Sum the repulsion in a map with three columns."""
        from unprior.kernels._pairs import repel_within

        force = np.zeros_like(Y)
        force[self.small], total = repel_within(Y[self.small], self.begin, self.end)
        normalizer = float(total.sum())
        for members, repulsion in self.large:
            own = repulsion(Y[members])
            force[members] = own.force
            normalizer += own.normalizer
        return Field(force, normalizer)
