"""Samples that a prior does not tell apart -> means over all of them, each sum made once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from unprior._typing import Floats, Indices

#: What the places of a set of references are held in.
PLACE = np.dtype(np.int32)


@dataclass(frozen=True, eq=False)
class TiedMeans:
    """Means over the references at distance zero of a sample, itself left out.

    Samples that are the same have the same references there, but for themselves. So one set for all
    of them is kept, and no weights. Made by `join_ties`.

    Attributes
    ----------
    rows : ndarray of shape (n_tied,)
        The samples.
    own : ndarray of shape (n_tied,)
        Place of each sample among the references, -1 if it is none of them.
    groups : ndarray of shape (n_tied,)
        Number of each sample's set.
    members : sparse array of shape (n_groups, n_references)
        1 for the references in each set, the samples themselves among them.
    """

    rows: Indices
    own: Indices
    groups: Indices
    members: csr_array

    @property
    def weight(self) -> Floats:
        """One over the number of references in each mean."""
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
    """Return which rows have all their neighbours at distance zero, and the set of each of these.

    Parameters
    ----------
    distances : ndarray of shape (n_rows, n_references)
        Infinite where a reference is the sample itself.
    own : ndarray of shape (n_rows,)
        Place of each sample among the references, -1 if it is none of them.
    n_neighbors : int
        The number k in `neighbor_weights`.
    """
    same = distances <= 0
    # As in `neighbor_weights`: the first beyond the k nearest is at distance zero, too.
    tied = np.count_nonzero(same, axis=1) > min(n_neighbors, distances.shape[1] - 2)
    among = np.flatnonzero(own >= 0)
    same[among, own[among]] = True
    known: dict[bytes, bytes] = {}
    sets = [_once(known, np.flatnonzero(same[row])) for row in np.flatnonzero(tied)]
    # Sets overlap if a is the same as b and b as c, but not a as c, which given distances may say.
    # They could be as many as samples.
    if sum(map(len, known)) > PLACE.itemsize * distances.shape[1]:
        return np.zeros(len(tied), dtype=bool), []
    return tied, sets


def join_ties(rows: Indices, own: Indices, sets: Sequence[bytes], n_references: int) -> TiedMeans:
    """Make the means of samples, each with the set that `find_ties` found."""
    number = {members: group for group, members in enumerate(dict.fromkeys(sets))}
    groups = np.array([number[members] for members in sets], dtype=np.intp)
    starts = np.cumsum([0, *(len(members) // PLACE.itemsize for members in number)])
    places = np.frombuffer(b"".join(number), dtype=PLACE)
    shape = (len(number), n_references)
    members = csr_array((np.ones(len(places)), places, starts.astype(PLACE)), shape=shape)
    return TiedMeans(rows, own, groups, members)


def _once(known: dict[bytes, bytes], places: Indices) -> bytes:
    """Return a set of places; if it is known, the same object again."""
    members = places.astype(PLACE).tobytes()
    return known.setdefault(members, members)
