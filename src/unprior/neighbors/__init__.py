"""Distances -> the nearest neighbours of every sample."""

from unprior.neighbors._exact import find_neighbors, smallest
from unprior.neighbors._graph import KNNGraph

__all__ = ["KNNGraph", "find_neighbors", "smallest"]
