"""Means over samples with identical priors, each sum computed once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unprior._typing import Floats, Indices

#: Type of the indices of landmarks.
INDEX = np.dtype(np.int32)


@dataclass(frozen=True, eq=False)
class TiedMeans:
    """Means over the landmarks at distance zero from a sample, without the sample itself.

    Samples with identical priors share one set of landmarks, so no weights are stored. Made by
    `join_ties`.

    Attributes
    ----------
    rows : ndarray of shape (n_tied,)
        The samples.
    own : ndarray of shape (n_tied,)
        Index of each sample among the landmarks, -1 if it is not one.
    groups : ndarray of shape (n_tied,)
        The set of each sample.
    members : sparse array of shape (n_groups, n_landmarks)
        1 for the landmarks in each set, the samples themselves included.
    """

    rows: Indices
    own: Indices
    groups: Indices
    members: csr_array

    @property
    def weight(self) -> Floats:
        """One over the number of landmarks in each mean."""
        return np.asarray(1 / (np.diff(self.members.indptr)[self.groups] - (self.own >= 0)))

    def means(self, memory: Floats) -> Floats:
        """Return the mean of each of these samples."""
        sums = (self.members @ memory)[self.groups]
        among = self.own >= 0
        sums[among] -= memory[self.own[among]]
        return np.asarray(sums * self.weight[:, None])


def find_ties(
    distances: Floats, own: Indices, n_neighbors: int
) -> tuple[NDArray[np.bool_], list[bytes]]:
    """Return which rows have all their neighbours at distance zero, and their sets.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n_landmarks)
        Infinite where a landmark is the sample itself.
    own : ndarray of shape (n_rows,)
        Index of each sample among the landmarks, -1 if it is not one.
    n_neighbors : int
        The number k in `neighbor_weights`.
    """
    same = distances <= 0
    # As in `neighbor_weights`: the (k + 1)-th nearest is at distance zero, too.
    tied = np.count_nonzero(same, axis=1) > min(n_neighbors, distances.shape[1] - 2)
    among = np.flatnonzero(own >= 0)
    same[among, own[among]] = True
    seen: dict[bytes, bytes] = {}
    sets = [_shared(seen, np.flatnonzero(same[row])) for row in np.flatnonzero(tied)]
    # Given distances need not be transitive at zero: then sets overlap and could be very many.
    if sum(map(len, seen)) > INDEX.itemsize * distances.shape[1]:
        return np.zeros(len(tied), dtype=bool), []
    return tied, sets


def join_ties(rows: Indices, own: Indices, sets: Sequence[bytes], n_landmarks: int) -> TiedMeans:
    """Make the means of samples with the sets that `find_ties` found."""
    number = {members: group for group, members in enumerate(dict.fromkeys(sets))}
    groups = np.array([number[members] for members in sets], dtype=np.intp)
    starts = np.cumsum([0, *(len(members) // INDEX.itemsize for members in number)])
    indices = np.frombuffer(b"".join(number), dtype=INDEX)
    shape = (len(number), n_landmarks)
    members = csr_array((np.ones(len(indices)), indices, starts.astype(INDEX)), shape=shape)
    return TiedMeans(rows, own, groups, members)


def _shared(seen: dict[bytes, bytes], indices: Indices) -> bytes:
    """Return a set of indices as bytes; equal sets are the same object."""
    members = indices.astype(INDEX).tobytes()
    return seen.setdefault(members, members)
