"""Values that were found for a prior, and its kind → the prior of the library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from unprior import priors
from unprior.files._samples import Column
from unprior.files._values import Known
from unprior.priors._array import read_column
from unprior.priors._cyclic import read_period
from unprior.priors._features import read_features
from unprior.priors._labels import read_labels
from unprior.priors._spelled import as_dates


def make_prior(known: Known) -> priors.Prior:
    """Make the prior, of the kind that was said or by the rule of `priors.as_prior`.

    Examples
    --------
    >>> import numpy as np
    >>> from unprior.files import Samples, find_known
    >>> samples = Samples("a.csv", np.array(["0", "1"]), columns={"hour": np.array([23.0, 1.0])})
    >>> make_prior(find_known("--prior", "hour:cyclic=24", samples)).largest()
    2.0
    """
    prior = _MAKERS[known.spec.kind](known)
    if known.rows is None:
        return prior
    if prior.n_samples != (known.n_samples or prior.n_samples):
        message = (
            f"{known.option} {known.spec.text} has {prior.n_samples} samples, the data "
            f"{known.n_samples}; it takes one for each, in the same order."
        )
        raise ValueError(message)
    return prior[known.rows]


def _infer(known: Known) -> priors.Prior:
    """Apply the rule of `priors.as_prior`; what it would refuse is refused in the shell's words."""
    where, what = f"{known.option} {known.spec.text}", known.spec.what
    if known.matrix is not None:
        if known.matrix.shape[0] == known.matrix.shape[1]:
            ways = " or ".join(
                f"{known.option} {what}:{kind}"
                for kind in ("distances", "kernel", "features", "graph")
            )
            message = f"{where}: a square array may mean several things; say {ways}."
            raise ValueError(message)
        return priors.as_prior(known.matrix, who=where)
    for name, column in known.columns.items():
        if name not in known.categories and read_column(column)[0] == "integers":
            message = (
                f"{where}: {name!r} holds whole numbers, which may be labels or amounts; say "
                f"{known.option} {name}:labels or {known.option} {name}:features."
            )
            raise ValueError(message)
    parts = {
        name: read_labels(f"{where}: {name!r}", column)
        if name in known.categories
        else priors.as_prior(as_dates(column), who=where)
        for name, column in known.columns.items()
    }
    return next(iter(parts.values())) if len(parts) == 1 else priors.combine(parts)


def _labels(known: Known) -> priors.Prior:
    return priors.labels(*_columns(known, 1))


def _features(known: Known) -> priors.Prior:
    where = f"{known.option} {known.spec.text}"
    if known.matrix is not None:
        return read_features(where, known.name, known.matrix)
    parts = [
        read_features(where, name, read_column(as_dates(column))[1]).values
        for name, column in known.columns.items()
    ]
    return priors.features(np.hstack(parts))


def _geo(known: Known) -> priors.Prior:
    return priors.geo(*_columns(known, 2))


def _cyclic(known: Known) -> priors.Prior:
    period = read_period(f"{known.option} {known.spec.text}", known.spec.what, known.spec.value)
    return priors.cyclic(as_dates(_columns(known, 1)[0]), period)


def _tree(known: Known) -> priors.Prior:
    return priors.tree(known.matrix, tips=known.columns.get("tips"))


def _square(make: Callable[[Any], priors.Prior]) -> Callable[[Known], priors.Prior]:
    def of_matrix(known: Known) -> priors.Prior:
        return make(_columns(known, 1)[0] if known.matrix is None else known.matrix)

    return of_matrix


def _columns(known: Known, n: int) -> list[Column]:
    if known.matrix is not None or len(known.columns) != n:
        got = "a matrix" if known.matrix is not None else f"{len(known.columns)}"
        message = (
            f"{known.option} {known.spec.text}: {known.spec.kind!r} takes {n} column"
            f"{'s' if n != 1 else ''}; got {got}."
        )
        raise ValueError(message)
    return [*known.columns.values()]


_MAKERS: dict[str | None, Callable[[Known], priors.Prior]] = {
    None: _infer,
    "labels": _labels,
    "features": _features,
    "geo": _geo,
    "cyclic": _cyclic,
    "tree": _tree,
    "distances": _square(priors.distances),
    "kernel": _square(priors.kernel),
    "graph": _square(priors.graph),
}
