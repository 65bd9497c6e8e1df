"""Repulsion by openTSNE's Barnes–Hut tree: O(n log n) time, O(n) memory.

The compiled function of openTSNE is private and called only here. It subtracts
Σ_j w² (y_i − y_j) / Z from the array it is given and returns Z, the sum of w over ordered pairs.
"""

from __future__ import annotations

import numpy as np

from unprior._typing import Floats
from unprior.forces._exact import Field, easy_field

#: openTSNE divides by Z plus this.
EPSILON = float(np.finfo(np.float64).eps)


def barnes_hut_field(Y: Floats, theta: float = 0.5) -> Field:
    """Sum the repulsion over the nodes of a quadtree or octree.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, 3)
        A map, unused columns zero.
    theta : float, default=0.5
        A node counts as one sample if its width is below ``theta`` times its distance; near 0 the
        sum is exact.

    Returns
    -------
    field : Field
        Computed on as many threads as numba's loops use; the bits do not depend on their number.

    Notes
    -----
    The tree does not separate samples within 1e-6 of each other in every coordinate, and omits some
    of their w from the sums.

    Examples
    --------
    >>> import numpy as np
    >>> round(barnes_hut_field(np.eye(3), theta=1e-9).normalizer, 3)
    2.0
    """
    import numba
    from openTSNE import _tsne
    from openTSNE.quad_tree import QuadTree

    if (easy := easy_field(Y)) is not None:
        return easy
    columns = _columns_in_use(Y)
    gradient = np.zeros_like(columns)
    normalizer = _tsne.estimate_negative_gradient_bh(
        QuadTree(columns), columns, gradient, theta, 1.0, numba.get_num_threads()
    )
    force = np.zeros((len(gradient), 3))
    force[:, : gradient.shape[1]] = -(normalizer + EPSILON) * gradient
    return Field(force, float(normalizer))


def _columns_in_use(Y: Floats) -> Floats:
    """Copy the columns up to the last nonzero one, at least one.

    A copy, since the tree crashes on read-only arrays.
    """
    used = [d for d in range(Y.shape[1]) if Y[:, d].any()]
    return np.array(Y[:, : max(used, default=0) + 1], dtype=np.float64, order="C")
