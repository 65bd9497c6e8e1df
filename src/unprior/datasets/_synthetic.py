"""Recipes → samples whose hidden structure is known, so that a map can be judged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._params import Whole, check_value
from unprior._random import as_generator
from unprior._typing import Floats
from unprior.datasets._records import TwoFactorData


def make_two_factor(n: int = 2000, random_state: Any = None) -> TwoFactorData:
    """Make the paper's synthetic data: two independent sets of four clusters, and noise.

    Columns 0 to 7 hold the known clusters A1 to A4, columns 8 to 11 the hidden clusters B1 to B4,
    columns 12 and 13 noise from N(0, 1). The cluster centres are drawn from N(0, 2). A sample
    falls into the four clusters of either factor with probability 0.1, 0.2, 0.3 and 0.4, and lies
    around their centres with standard deviation 0.1, 0.2, 0.3 and 0.4.

    Parameters
    ----------
    n : int, default=2000
        Number of samples.
    random_state : None, int or RandomState, default=None
        Seed: the same seed gives the same data.

    Returns
    -------
    data : TwoFactorData
        The paper's prior is the Euclidean distance of ``data.known_features``, or for methods that
        take labels, ``data.known``.

    Notes
    -----
    The paper does not say whether the 2 of N(0, 2) is a variance or a standard deviation. It is
    read as a standard deviation here, as the paper gives all other spreads of this recipe.

    Examples
    --------
    >>> from unprior.datasets import make_two_factor
    >>> data = make_two_factor(300, random_state=0)
    >>> data
    <two-factor data: 300 samples, 14 features, 4 known and 4 hidden groups>
    >>> data.known_features.shape, data.hidden_features.shape
    ((300, 8), (300, 4))
    """
    check_value("make_two_factor", "n", n, Whole(1))
    rng = as_generator(random_state)
    shares = spreads = np.array([0.1, 0.2, 0.3, 0.4])
    known_centers = rng.normal(0, 2, size=(4, 8))
    hidden_centers = rng.normal(0, 2, size=(4, 4))
    known = rng.choice(4, size=n, p=shares)
    hidden = rng.choice(4, size=n, p=shares)
    return _assemble(
        known_centers[known] + rng.normal(size=(n, 8)) * spreads[known, None],
        hidden_centers[hidden] + rng.normal(size=(n, 4)) * spreads[hidden, None],
        rng.normal(size=(n, 2)),
        known,
        hidden,
    )


def make_tuning(n: int = 1000, random_state: Any = None) -> TwoFactorData:
    """Make the data on which the paper chose its default options: four clusters hide two.

    Columns 0 to 3 hold the known clusters A1 to A4, centred at the four unit vectors; columns 4
    and 5 the hidden clusters B1 and B2, centred at (1/3, 0) and (0, 1/3); columns 6 to 9 noise
    from N(0, 1). All clusters are equally likely, and samples lie around their centres with
    noise from N(0, 0.01).

    Parameters
    ----------
    n : int, default=1000
        Number of samples.
    random_state : None, int or RandomState, default=None
        Seed: the same seed gives the same data.

    Returns
    -------
    data : TwoFactorData
        The paper's prior is the Euclidean distance of ``data.known_features``.

    Notes
    -----
    As in `make_two_factor`, the second number of N(0, 0.01) is read as a standard deviation.

    Examples
    --------
    >>> from unprior.datasets import make_tuning
    >>> make_tuning(random_state=0)
    <two-factor data: 1000 samples, 10 features, 4 known and 2 hidden groups>
    """
    check_value("make_tuning", "n", n, Whole(1))
    rng = as_generator(random_state)
    known = rng.randint(4, size=n)
    hidden = rng.randint(2, size=n)
    return _assemble(
        np.eye(4)[known] + rng.normal(0, 0.01, size=(n, 4)),
        np.eye(2)[hidden] / 3 + rng.normal(0, 0.01, size=(n, 2)),
        rng.normal(size=(n, 4)),
        known,
        hidden,
    )


def _assemble(
    known_features: Floats,
    hidden_features: Floats,
    noise: Floats,
    known: NDArray[np.intp],
    hidden: NDArray[np.intp],
) -> TwoFactorData:
    """Put the columns side by side and give the groups their names."""
    return TwoFactorData(
        X=np.hstack([known_features, hidden_features, noise]),
        known=np.char.add("A", (known + 1).astype(str)),
        hidden=np.char.add("B", (hidden + 1).astype(str)),
        known_features=known_features,
        hidden_features=hidden_features,
    )
