"""Priors -> columns of numbers that a linear model can take out of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import principal_coordinates
from unprior.priors import Combined, Features, Labels, Prior
from unprior.residual._new_samples import (
    AMONG_THEMSELVES,
    NoReader,
    Reader,
    Tellable,
    reader_of,
)

#: Of distances, as many principal axes as hold this share of the positive spectrum, at most some.
SHARE, MOST_AXES = 0.95, 10

#: Why new samples have no principal coordinates, even if the prior tells how far they are.
IN_COORDINATES = 'enters kind="linear" by principal coordinates, which only samples of fit have'


@dataclass(frozen=True, eq=False)
class Regressors:
    """How a prior is told in columns, learnt from the fitted samples.

    Attributes
    ----------
    reader : Reader
        Reads the prior of new samples.
    columns : function
        Turns what was read into columns.
    """

    reader: Reader
    columns: Callable[[NDArray[Any]], Floats]


def learn_regressors(prior: Prior) -> tuple[Regressors, Floats]:
    """Tell a prior in columns; return how, and the columns of its samples.

    Labels become a column for each class, 1 for its members and 0 for others; features the columns
    that their metric looks at; anything else its principal coordinates.
    """
    if isinstance(prior, Labels):
        how = Regressors(reader_of(prior), partial(_indicators, len(prior.classes)))
        return how, how.columns(prior.codes)
    if isinstance(prior, Features):
        how = Regressors(reader_of(prior), partial(_seen_by, prior.row_metric.prepare))
        return how, how.columns(prior.values)
    reason = IN_COORDINATES if isinstance(prior, Tellable) else AMONG_THEMSELVES
    how = Regressors(NoReader(prior.kind, reason), np.asarray)
    return how, principal_coordinates(prior, share=SHARE, most=MOST_AXES)


def count_columns(prior: Prior) -> int:
    """Return how many columns `learn_regressors` makes of a prior, at most."""
    if isinstance(prior, Labels):
        return len(prior.classes)
    return prior.values.shape[1] if isinstance(prior, Features) else MOST_AXES


def single_priors(priors: Mapping[str, Prior]) -> Iterator[tuple[str, Prior]]:
    """Walk through priors by name; in place of what was combined of several, its parts."""
    for name, prior in priors.items():
        if isinstance(prior, Combined):
            yield from single_priors({f"{name}: {part}": p for part, p in prior.parts.items()})
        else:
            yield name, prior


def _indicators(n_classes: int, codes: Indices) -> Floats:
    columns = np.zeros((len(codes), n_classes))
    columns[np.arange(len(codes)), codes] = 1
    return columns


def _seen_by(prepare: Callable[[Floats], Any], values: Floats) -> Floats:
    return np.asarray(prepare(values), dtype=np.float64)
