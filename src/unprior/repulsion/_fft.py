"""Repulsion interpolated on a grid, by fast Fourier transforms."""

from __future__ import annotations

from unprior._typing import Floats
from unprior.repulsion._field import Field
from unprior.repulsion._opentsne import interpolate


def fft_field(Y: Floats, *, interval: float = 1.0) -> Field:
    """Sum the repulsion in one or two dimensions: O(n) time, plus the grid.

    Parameters
    ----------
    Y : ndarray of shape (n_samples, 3)
        A map, its unused columns zero.
    interval : float, default=1.0
        Spacing of the grid, in the map's own unit; a narrower one is more precise. The grid has no
        more than 1000 intervals a side, so wide maps get wider ones.

    Returns
    -------
    field : Field
        One thread computes it: its bits depend on the map alone.

    Examples
    --------
    >>> import numpy as np
    >>> Y = np.zeros((3, 3))
    >>> Y[:, 0] = [0.0, 1.0, -1.0]
    >>> round(fft_field(Y).normalizer, 3)
    2.4
    """
    return interpolate(Y, interval)
