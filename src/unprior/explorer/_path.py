"""Data, priors and strengths -> maps that lead from one to the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from unprior._strengths import read_strengths
from unprior._typing import Floats
from unprior.explorer._draw import DrawSettings, Request, draw
from unprior.priors import parts_of


def strength_path(
    X: Any,
    prior: Any,
    strengths: Sequence[float | Mapping[str, float]] = (0.0, 0.25, 0.5, 0.75, 1.0),
    *,
    keep: Any = None,
    metric: str = "euclidean",
    n_iter: int = 500,
    n_jobs: int | None = None,
    random_state: int = 0,
) -> list[Floats]:
    """Draw maps at several strengths, each started from the one before and turned towards it.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        The data.
    prior : Prior, array-like, or several of them in a list or dict
        What is known.
    strengths : sequence of float or dict, default=(0.0, 0.25, 0.5, 0.75, 1.0)
        How much of the prior is removed at each step, for all priors or by name. The first should
        be 0: that map is plain t-SNE, and what it shows of the prior is what shares are taken of.
    keep : array-like of shape (n_samples,), or several of them in a dict, optional
        Labels to protect: the prior is removed within their classes.
    metric : str, default="euclidean"
        Distance between rows of ``X``.
    n_iter : int, default=500
        Steps of each descent.
    n_jobs : int, optional
        Threads.
    random_state : int, default=0
        Seed.

    Returns
    -------
    maps : list of ndarray of shape (n_samples, 2)

    Examples
    --------
    >>> import unprior as up
    >>> from unprior.explorer import strength_path
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> maps = strength_path(data.X, data.known, [0.0, 1.0], n_iter=100)
    >>> len(maps), maps[1].shape
    (2, (150, 2))
    """
    X = np.asarray(X, dtype=np.float64)
    priors = parts_of(prior, len(X), who="strength_path")
    setting = DrawSettings(metric, random_state, n_jobs, n_iter)
    kept = {} if keep is None else dict(keep if isinstance(keep, Mapping) else {"keep": keep})
    maps = [draw(X, Request(), setting, _go_on).Y]
    for strength in [*strengths][1:]:
        read = read_strengths("strength_path", strength, [*priors])
        aims = dict(zip(priors, read.tolist(), strict=True))
        request = Request(priors, aims, maps[0], maps[-1], init=maps[-1], keep=kept)
        maps.append(draw(X, request, setting, _go_on).Y)
    return maps


def _go_on(*_: Any) -> bool:
    return False
