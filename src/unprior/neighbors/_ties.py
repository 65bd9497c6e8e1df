"""Pairs of samples -> a pseudorandom number for each, to break ties of distances.

With few distinct values, duplicates, or ⊖ under labels, many samples are at the same distance. If
the first in the data were chosen, a few early samples would be neighbours of very many, and many
late ones of none. The number is a hash of the pair, the same in both directions, as if infinitely
small symmetric noise were added to the distances. So pairs tend to choose each other, which makes
neighbours more even than random choices of each sample would. The choice does not depend on the
order, thread or direction in which pairs are visited, and the nearest 10 of the nearest 30 are the
nearest 10.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Indices
from unprior.kernels._splitmix import FACTORS, STEP, TIES_SEED


def tie_order(i: Indices, j: Indices) -> NDArray[np.uint64]:
    """Return a number for each pair of samples; of equally distant ones, the lowest is nearer.

    Parameters
    ----------
    i, j : ndarray of int
        Numbers of samples, of shapes that broadcast.

    Returns
    -------
    numbers : ndarray of uint64
        The same for (i, j) and (j, i), the same every time.

    Examples
    --------
    >>> import numpy as np
    >>> bool(tie_order(np.array(3), np.array(8)) == tie_order(np.array(8), np.array(3)))
    True
    """
    one, other = np.asarray(i, dtype=np.uint64), np.asarray(j, dtype=np.uint64)
    first = np.asarray(np.minimum(one, other), dtype=np.uint64)
    second = np.asarray(np.maximum(one, other), dtype=np.uint64)
    with np.errstate(over="ignore"):  # of scalars; overflow is intended
        return _scramble(_scramble(first * STEP + TIES_SEED) + second * STEP)


def _scramble(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64 bits (the finaliser of splitmix64)."""
    bits = (bits ^ (bits >> np.uint64(30))) * FACTORS[0]
    bits = (bits ^ (bits >> np.uint64(27))) * FACTORS[1]
    return bits ^ (bits >> np.uint64(31))
