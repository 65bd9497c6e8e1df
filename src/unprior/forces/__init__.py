"""Map -> sums over pairs of samples: all of them, near ones by cell lists, or by a grid or tree."""

from unprior.forces._barnes_hut import barnes_hut_field
from unprior.forces._exact import Field, exact_field
from unprior.forces._fft import fft_field
from unprior.forces._repulsion import ClassRepulsion, Repulsion, choose_repulsion
from unprior.forces._soft_neighbors import NeighborSums, SoftNeighbors

__all__ = [
    "ClassRepulsion",
    "Field",
    "NeighborSums",
    "Repulsion",
    "SoftNeighbors",
    "barnes_hut_field",
    "choose_repulsion",
    "exact_field",
    "fft_field",
]
