"""Map -> the N-body sum that every objective shares."""

from unprior.repulsion._barnes_hut import barnes_hut_field
from unprior.repulsion._choose import Repulsion, choose_repulsion
from unprior.repulsion._classes import ClassRepulsion
from unprior.repulsion._exact import exact_field
from unprior.repulsion._fft import fft_field
from unprior.repulsion._field import Field

__all__ = [
    "ClassRepulsion",
    "Field",
    "Repulsion",
    "barnes_hut_field",
    "choose_repulsion",
    "exact_field",
    "fft_field",
]
