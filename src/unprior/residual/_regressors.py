"""Priors as columns of numbers, for linear models and for k-means."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior.geometry import principal_coordinates
from unprior.priors import Combined, Prior
from unprior.priors._reader import NO_DISTANCES, NoReader, Reader

#: Principal coordinates of distances: as many as hold this fraction of the positive spectrum, and
#: the most of them.
SHARE, MOST_AXES = 0.95, 10

#: Prefix of the names of parts if a single prior was combined from them.
SINGLE = "prior: "

#: Why new samples are refused although their distances could be computed.
IN_COORDINATES = 'enters kind="linear" by principal coordinates, which only samples of fit have'

Part = TypeVar("Part")


@dataclass(frozen=True, eq=False)
class Regressors:
    """How a prior becomes columns, learnt from the fitted samples.

    Attributes
    ----------
    reader : Reader
        Reads the prior of new samples.
    columns : function
        Turns a prior as read into columns.
    """

    reader: Reader
    columns: Callable[[NDArray[Any]], Floats]


def learn_regressors(prior: Prior) -> tuple[Regressors, Floats]:
    """Return how a prior becomes columns, and the columns of its samples.

    Labels become one-hot columns, features the columns that their metric compares, any other prior
    its principal coordinates.
    """
    reader = prior.reader()
    if reader.n_columns is not None:
        return Regressors(reader, reader.columns), reader.columns(reader.read("", "", prior))
    refusing = NoReader(prior.kind, IN_COORDINATES if reader.can_read else NO_DISTANCES)
    how = Regressors(refusing, np.asarray)
    return how, principal_coordinates(prior, share=SHARE, most=MOST_AXES)


def count_columns(prior: Prior) -> int:
    """Return the most columns that `learn_regressors` makes of a prior."""
    n_columns = prior.reader().n_columns
    return MOST_AXES if n_columns is None else n_columns


def single_priors(priors: Mapping[str, Prior]) -> Iterator[tuple[str, Prior]]:
    """Yield priors by name, combined ones as their parts."""
    for name, prior in priors.items():
        if isinstance(prior, Combined):
            yield from single_priors({f"{name}: {part}": p for part, p in prior.parts.items()})
        else:
            yield name, prior


def flat_priors(priors: Mapping[str, Prior]) -> dict[str, Prior]:
    """Return priors, combined ones as their parts, under the names that parts have alone."""
    return own_names(dict(single_priors(priors)))


def own_names(parts: Mapping[str, Part]) -> dict[str, Part]:
    """Return parts under the names they would have alone.

    So the parts of a combined prior have the same names as in a list or dict of them, and new
    samples may come with either.
    """
    if all(name.startswith(SINGLE) for name in parts):
        return {name.removeprefix(SINGLE): part for name, part in parts.items()}
    return dict(parts)


def codes_of(priors: Mapping[str, Prior]) -> dict[str, Indices]:
    """Return the class of every sample in each prior that has classes."""
    found = {name: prior.class_codes for name, prior in priors.items()}
    return {name: codes for name, codes in found.items() if codes is not None}
