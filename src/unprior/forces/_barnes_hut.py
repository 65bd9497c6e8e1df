"""Repulsion with far samples taken together, by openTSNE's compiled tree.

The kernel is private by name and called in this one place, where its quirks are dealt with. It
subtracts Σ_j w² (y_i − y_j) / Z from the array it is given and returns Z, the sum of w over ordered
pairs.
"""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats
from unprior.forces._exact import Field, easy_field

# The kernel divides by Z plus this.
_EPSILON = float(np.finfo(np.float64).eps)


def descend_tree(Y: Floats, theta: float, n_threads: int) -> Field:
    """Repulsion with far samples taken together by the cells of a tree."""
    from openTSNE import _tsne
    from openTSNE.quad_tree import QuadTree

    if (easy := easy_field(Y)) is not None:
        return easy
    columns = _columns_in_use(Y)
    gradient = np.zeros_like(columns)
    normalizer = _tsne.estimate_negative_gradient_bh(
        QuadTree(columns), columns, gradient, theta, 1.0, n_threads
    )
    force = np.zeros((len(gradient), 3))
    force[:, : gradient.shape[1]] = -(normalizer + _EPSILON) * gradient
    return Field(force, float(normalizer))


def _columns_in_use(Y: Floats) -> Floats:
    """Copy the columns up to the last that is not all zero, and at least one.

    A copy, since the tree crashes on an array that it may not write to.
    """
    used = [d for d in range(Y.shape[1]) if Y[:, d].any()]
    return np.array(Y[:, : max(used, default=0) + 1], dtype=np.float64, order="C")


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
