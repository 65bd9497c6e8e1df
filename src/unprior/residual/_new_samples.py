"""What is known of new samples -> how it was told of the fitted ones, or why it cannot be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats
from unprior.geometry._metrics import SYNONYMS
from unprior.priors import Cyclic, Features, Geo, Labels, Prior
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._table import is_table
from unprior.storage._fingerprint import fingerprint

#: What the names of parts begin with, if a single prior was combined of them.
LONE = "prior: "

#: The metric of an array, of which nobody has said how to measure it.
UNSAID = "that of fit"

#: Priors that tell of each sample by itself what makes it near to others or far from them.
Tellable = Labels | Features | Geo | Cyclic

#: Why all other priors cannot be told of new samples.
AMONG_THEMSELVES = "tells nothing of how far new samples are from the fitted ones"


class Reader(Protocol):
    """Reads a prior of new samples in the terms of the one that ``fit`` was given."""

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """What the prior tells of each sample, or an error in one sentence."""


class Model(Protocol):
    """What was learnt of features and priors, for samples that were not in ``fit``."""

    @property
    def readers(self) -> Mapping[str, Reader]:
        """What reads each prior, by name."""

    def explained(
        self, X: Floats, told: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what the priors, as they were read, explain of new samples.

        ``learn`` says whether classes that are new are learnt from them.
        """


@dataclass(frozen=True, eq=False)
class ClassReader:
    """Reads labels as numbers of the classes that ``fit`` has seen."""

    classes: tuple[Any, ...]

    def read(self, who: str, name: str, prior: Prior, unseen: str = "error") -> NDArray[Any]:
        """Return the number of each sample's class.

        Classes that are new are refused, unless ``unseen`` says otherwise; they then get the
        numbers after those of ``fit``.
        """
        if not isinstance(prior, Labels):
            raise ValueError(_other_kind(who, name, Labels.kind, prior))
        numbers = {value: number for number, value in enumerate(self.classes)}
        found = []
        for value in prior.classes.tolist():
            if value not in numbers and unseen == "error":
                message = (
                    f"{who}: {name!r} has the class {value!r}, which no sample had in fit; what is "
                    "typical of it is not known. unseen='mean' takes it for nothing in "
                    "particular, unseen='fit' learns it from the new samples."
                )
                raise ValueError(message)
            found.append(numbers.setdefault(value, len(numbers)))
        return np.array(found, dtype=np.intp)[prior.codes]


@dataclass(frozen=True)
class FeatureReader:
    """Reads features as they are, if there are as many and nobody asks for another metric."""

    n_columns: int
    metric: str

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the rows of features."""
        if not isinstance(prior, Features):
            raise ValueError(_other_kind(who, name, Features.kind, prior))
        if prior.values.shape[1] != self.n_columns:
            message = (
                f"{who}: {name!r} had {self.n_columns} columns in fit; got {prior.values.shape[1]}."
            )
            raise ValueError(message)
        metric = _metric_name(prior)
        if metric not in (self.metric, UNSAID):
            message = (
                f"{who}: {name!r} takes features with the metric of fit, {self.metric!r}; got "
                f"{metric!r}; make the prior of new samples with the same metric."
            )
            raise ValueError(message)
        return prior.values


@dataclass(frozen=True)
class PlaceReader:
    """Reads places on Earth as points of the unit sphere."""

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the point of each place."""
        if not isinstance(prior, Geo):
            raise ValueError(_other_kind(who, name, Geo.kind, prior))
        return prior.vectors


@dataclass(frozen=True)
class CycleReader:
    """Reads positions on a circle, if it is the same circle."""

    period: float

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the positions."""
        if not isinstance(prior, Cyclic):
            raise ValueError(_other_kind(who, name, Cyclic.kind, prior))
        if prior.period != self.period:
            message = (
                f"{who}: {name!r} takes positions with the period of fit, {self.period:g}; got "
                f"{prior.period:g}; make the prior of new samples with the same period."
            )
            raise ValueError(message)
        return prior.values


@dataclass(frozen=True)
class DistanceReader:
    """Reads distances of new samples to the fitted ones, an array with a column for each."""

    kind: str
    n_fitted: int

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the distances."""
        if isinstance(prior, Features) and prior.values.shape[1] == self.n_fitted:
            return prior.values
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {AMONG_THEMSELVES}; give "
            f"these distances, an array of shape (n_new, {self.n_fitted}), or fit to all samples "
            "together (those of fit need no prior again)."
        )
        raise ValueError(message)


@dataclass(frozen=True)
class NoReader:
    """Refuses: new samples have no such columns."""

    kind: str
    reason: str = AMONG_THEMSELVES

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Refuse."""
        self.refuse(who, name)

    def refuse(self, who: str, name: str) -> NoReturn:
        """Refuse in one sentence that says what to do."""
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {self.reason}; fit to "
            "all samples together (those of fit need no prior again)."
        )
        raise ValueError(message)


def reader_of(prior: Prior) -> Reader:
    """Return what reads the prior of new samples as this one of the fitted samples."""
    if isinstance(prior, Labels):
        return ClassReader(tuple(prior.classes.tolist()))
    if isinstance(prior, Features):
        return FeatureReader(prior.values.shape[1], _metric_name(prior))
    if isinstance(prior, Geo):
        return PlaceReader()
    if isinstance(prior, Cyclic):
        return CycleReader(prior.period)
    return DistanceReader(prior.kind, prior.n_samples)


def read_new(who: str, prior: Any, n_samples: int) -> dict[str, Prior]:
    """Make priors of what is known of new samples, by the names that parts had in ``fit``.

    Each part of a table or list is read alone: combined, it would be refused if it were the same
    for all samples, which is natural for a few new ones.
    """
    several = name_parts(who, "prior", prior)
    if several is None:
        several = {"prior": prior}
    pairs = (pair for name, part in several.items() for pair in _single_parts(who, name, part))
    single = dict(pairs)
    read = read_parts(who, single, n_samples)
    return {name: _as_said(single[name], prior) for name, prior in read.items()}


def own_names(parts: Mapping[str, Prior]) -> dict[str, Prior]:
    """Return parts by the names they would have alone.

    So the parts of one prior that was combined of them are called the same as a list or dict of
    them, which may hold what `combine` refuses: parts that are the same for all of a few samples.
    """
    if all(name.startswith(LONE) for name in parts):
        return {name.removeprefix(LONE): part for name, part in parts.items()}
    return dict(parts)


def recognize(prior: Prior) -> str:
    """Return what tells a prior from others of the same samples, if new ones can be told at all."""
    return fingerprint(told_by(prior)) if isinstance(prior, Tellable) else ""


def told_by(prior: Tellable) -> NDArray[Any]:
    """Return what a prior tells of its samples, as its reader reads it of new ones."""
    if isinstance(prior, Labels):
        return prior.codes
    return prior.vectors if isinstance(prior, Geo) else prior.values


def _single_parts(who: str, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Walk through what is in a table or list, and in those within it."""
    parts = _columns(value) if is_table(value) else name_parts(who, name, value)
    if parts is None:
        yield name, value
        return
    for part, inner in parts.items():
        yield from _single_parts(who, f"{name}: {part}", inner)


def _as_said(said: Any, prior: Prior) -> Prior:
    """Return a prior without the metric that was chosen for an array."""
    if isinstance(prior, Features) and not isinstance(said, Prior):
        return replace(prior, metric=UNSAID)
    return prior


def _metric_name(prior: Features) -> str:
    """Return the metric by its usual name; functions cannot be told apart."""
    metric = prior.metric
    return SYNONYMS.get(metric, metric) if isinstance(metric, str) else "a function"


def _columns(df: Any) -> dict[str, Any] | None:
    """Return columns by name; None where they are not several, or two have the same name."""
    columns = {str(name): df[name] for name in df.columns}
    return columns if 1 < len(columns) == len(df.columns) else None


def _other_kind(who: str, name: str, kind: str, prior: Prior) -> str:
    return f"{who}: {name!r} was a prior of {kind} in fit; got one of {prior.kind}."
