"""Priors -> columns of numbers that a linear model can take out of the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from unprior._typing import Floats
from unprior.distances import principal_coordinates
from unprior.priors import Combined, Features, Labels, Prior
from unprior.priors._metrics import RowMetric

#: Of distances, as many principal axes as hold this share of the positive spectrum, at most some.
SHARE, MOST_AXES = 0.95, 10


class Regressors(Protocol):
    """How a prior is told in columns, learnt from the fitted samples."""

    def of_new(self, who: str, name: str, prior: Prior) -> Floats:
        """Columns of other samples, or an error in one sentence."""


@dataclass(frozen=True, eq=False)
class ClassIndicators:
    """Labels as columns: 1 in the column of the sample's class, 0 elsewhere."""

    classes: tuple[Any, ...]

    def of_new(self, who: str, name: str, prior: Prior) -> Floats:
        """Columns of other samples; classes that ``fit`` has not seen are refused."""
        if not isinstance(prior, Labels):
            raise ValueError(_other_kind(who, name, Labels.kind, prior))
        numbers = {value: number for number, value in enumerate(self.classes)}
        found = [numbers.get(value) for value in prior.classes.tolist()]
        if None in found:
            message = (
                f"{who}: {name!r} has the class {prior.classes.tolist()[found.index(None)]!r}, "
                "which no sample had in fit; what is typical of it is not known."
            )
            raise ValueError(message)
        return indicators(np.array(found)[prior.codes], len(self.classes))


@dataclass(frozen=True, eq=False)
class FeatureColumns:
    """Features as the columns that their metric looks at."""

    row_metric: RowMetric
    n_columns: int

    def of_new(self, who: str, name: str, prior: Prior) -> Floats:
        """Columns of other samples."""
        if not isinstance(prior, Features):
            raise ValueError(_other_kind(who, name, Features.kind, prior))
        if prior.values.shape[1] != self.n_columns:
            message = (
                f"{who}: {name!r} had {self.n_columns} columns in fit; got {prior.values.shape[1]}."
            )
            raise ValueError(message)
        return np.asarray(self.row_metric.prepare(prior.values), dtype=np.float64)


@dataclass(frozen=True)
class PrincipalAxes:
    """Anything else as its principal coordinates, which are those of the fitted samples alone."""

    kind: str

    def of_new(self, who: str, name: str, _: Prior) -> Floats:
        """Refuse: a prior holds distances among its own samples, none to the fitted ones."""
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which tells nothing of how far "
            "new samples are from the fitted ones; fit to all samples together (those of fit need "
            "no prior again)."
        )
        raise ValueError(message)


def learn_regressors(prior: Prior) -> tuple[Regressors, Floats]:
    """Tell a prior in columns; return how, and the columns of its samples."""
    if isinstance(prior, Labels):
        columns = indicators(prior.codes, len(prior.classes))
        return ClassIndicators(tuple(prior.classes.tolist())), columns
    if isinstance(prior, Features):
        columns = np.asarray(prior.row_metric.prepare(prior.values), dtype=np.float64)
        return FeatureColumns(prior.row_metric, prior.values.shape[1]), columns
    return PrincipalAxes(prior.kind), principal_coordinates(prior, share=SHARE, most=MOST_AXES)


def single_priors(priors: Mapping[str, Prior]) -> Iterator[tuple[str, Prior]]:
    """Walk through priors by name; in place of what was combined of several, its parts."""
    for name, prior in priors.items():
        if isinstance(prior, Combined):
            yield from single_priors({f"{name}: {part}": p for part, p in prior.parts.items()})
        else:
            yield name, prior


def indicators(codes: Any, n_classes: int) -> Floats:
    """Return one column for each class, 1 for its members and 0 for others."""
    columns = np.zeros((len(codes), n_classes))
    columns[np.arange(len(codes)), codes] = 1
    return columns


def _other_kind(who: str, name: str, kind: str, prior: Prior) -> str:
    return f"{who}: {name!r} was a prior of {kind} in fit; got one of {prior.kind}."
