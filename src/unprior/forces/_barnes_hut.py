"""Repulsion with far samples taken together, by a tree over the map."""

from __future__ import annotations

from unprior._typing import Floats
from unprior.forces._field import Field
from unprior.forces._opentsne import descend_tree


def barnes_hut_field(Y: Floats, theta: float = 0.5) -> Field:
    """Sum the repulsion over the cells of a quadtree or octree: O(n log n) time, O(n) memory.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, 3)
        A map, its unused columns zero.
    theta : float, default=0.5
        A cell counts as one sample where its width is below ``theta`` times its distance; near 0
        the sum is exact.

    Returns
    -------
    field : Field
        As many threads compute it as numba's loops use; its bits do not depend on them.

    Notes
    -----
    The tree does not tell samples apart that are within 1e-6 of each other in every coordinate, and
    leaves some of their w out of the sums.

    Examples
    --------
    >>> import numpy as np
    >>> round(barnes_hut_field(np.eye(3), theta=1e-9).normalizer, 3)
    2.0
    """
    import numba

    return descend_tree(Y, theta, numba.get_num_threads())
