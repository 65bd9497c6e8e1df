"""Values that were found for a prior, and its kind → the prior of the library."""

from __future__ import annotations

from unprior import priors
from unprior.files._values import Known
from unprior.priors._array import read_column
from unprior.priors._dates import as_dates
from unprior.priors._kind import Source
from unprior.priors._labels import read_labels
from unprior.priors._registry import KINDS


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
    where, kind = f"{known.option} {known.spec.text}", known.spec.kind
    if kind is None:
        return _infer(where, known)
    source = Source(where, kind, known.columns, known.matrix, known.spec.value)
    prior = KINDS[kind].make(source)
    if known.rows is None:
        return prior
    if prior.n_samples != (known.n_samples or prior.n_samples):
        message = (
            f"{where} has {prior.n_samples} samples, the data "
            f"{known.n_samples}; it takes one for each, in the same order."
        )
        raise ValueError(message)
    return prior[known.rows]


def _infer(where: str, known: Known) -> priors.Prior:
    """Apply the rule of `priors.as_prior`; what it would refuse is refused in the shell's words."""
    if known.matrix is not None:
        if known.matrix.shape[0] == known.matrix.shape[1]:
            ways = " or ".join(
                f"{known.option} {known.spec.what}:{kind.name}"
                for kind in KINDS.values()
                if kind.square_call
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
