"""Map -> sums over pairs of samples, all of them or the near ones."""

from unprior.forces._soft_neighbors import NeighborSums, SoftNeighbors

__all__ = ["NeighborSums", "SoftNeighbors"]
