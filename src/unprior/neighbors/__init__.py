"""Distances -> the nearest neighbours of every sample."""

from unprior.neighbors._exact import find_neighbors
from unprior.neighbors._graph import KNNGraph
from unprior.neighbors._rows import smallest, sort_nearest

__all__ = ["KNNGraph", "find_neighbors", "smallest", "sort_nearest"]
