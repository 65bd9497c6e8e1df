"""Distances -> the nearest neighbours of every sample."""

from unprior.neighbors._exact import find_neighbors
from unprior.neighbors._graph import KNNGraph
from unprior.neighbors._lift import Lift
from unprior.neighbors._on_map import map_neighbors
from unprior.neighbors._per_stratum import nearest_per_stratum
from unprior.neighbors._rows import smallest, sort_nearest
from unprior.neighbors._tiled import CandidateFinder, ShiftFinder, TileCandidates
from unprior.neighbors._tiles import (
    EPS,
    BoundedTiles,
    Places,
    Single,
    Tiles,
    bounded_tiles,
    prior_tiles,
)

__all__ = [
    "EPS",
    "BoundedTiles",
    "CandidateFinder",
    "KNNGraph",
    "Lift",
    "Places",
    "ShiftFinder",
    "Single",
    "TileCandidates",
    "Tiles",
    "bounded_tiles",
    "find_neighbors",
    "map_neighbors",
    "nearest_per_stratum",
    "prior_tiles",
    "smallest",
    "sort_nearest",
]
