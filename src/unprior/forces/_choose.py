"""Size of a map -> the quickest way to sum its repulsion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from unprior._typing import Floats
from unprior.forces._barnes_hut import barnes_hut_field
from unprior.forces._exact import Field, exact_field
from unprior.forces._fft import fft_field

#: A way to sum the repulsion in a map with three columns, unused ones zero.
Repulsion: TypeAlias = Callable[[Floats], Field]

#: Up to so many samples all pairs are visited: about as quick there, and exact.
EXACT_IN_PLANE, EXACT_IN_SPACE = 4_000, 8_000


def choose_repulsion(n_samples: int, n_components: int) -> Repulsion:
    """Choose how to sum the repulsion: all pairs, a grid on the line or plane, a tree in space.

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
