"""Priors of new samples: reading them, and distances in them to the fitted samples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.geometry import METRICS, Curve, RowMetric
from unprior.priors import Combined, Cyclic, Features, Geo, Labels, Prior
from unprior.priors._coerce import name_parts
from unprior.priors._geo import EARTH_RADIUS
from unprior.priors._labels import ClassReader
from unprior.priors._reader import DistanceReader, NoReader, Reader
from unprior.residual import own_names, read_new, single_priors
from unprior.transform._distances import FittedData, FittedPoints, keep_data


@dataclass(frozen=True, eq=False)
class FittedLabels:
    """Labels: the class of every fitted sample.

    Attributes
    ----------
    reader : ClassReader
    codes : ndarray of shape (n_fitted,)
        The class of every fitted sample.
    """

    reader: ClassReader
    codes: Indices

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the class of each new sample; unseen classes get numbers above the seen ones."""
        labels = _one_prior(who, name, value, n_new, self.reader)
        return self.reader.read(who, name, labels, unseen=unseen)

    def distances(self, values: NDArray[Any]) -> Floats:
        """Return distances to the fitted samples: 0 within a class, else 1."""
        return (values[:, None] != self.codes).astype(np.float64)

    def nearest(self, values: NDArray[Any]) -> Indices:
        """Return a fitted sample of the class of each new one; -1 if there is none."""
        n_classes = len(self.reader.classes)
        first = np.full(n_classes + 1, -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        return first[np.minimum(values, n_classes)]


@dataclass(frozen=True, eq=False)
class FittedValues:
    """Features, places on Earth or positions on a circle: the values of the fitted samples.

    Attributes
    ----------
    reader : Reader
    data : FittedData
    """

    reader: Reader
    data: FittedData

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the values of new samples."""
        return self.reader.read(who, name, _one_prior(who, name, value, n_new, self.reader))

    def distances(self, values: NDArray[Any]) -> Floats:
        """Return distances to the fitted samples."""
        return self.data.distances(values)

    def nearest(self, values: NDArray[Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, values)


@dataclass(frozen=True, eq=False)
class FittedDistances:
    """A prior that is given as distances from new samples to the fitted ones; nothing is kept."""

    kind: str
    n_fitted: int

    @property
    def reader(self) -> DistanceReader:
        """What reads the distances as a part of a table."""
        return DistanceReader(self.kind, self.n_fitted)

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the distances of new samples to the fitted ones."""
        takes = (
            f"{who}: {name!r} was a prior of the kind {self.kind!r} in fit; for new samples it "
            f"takes distances to the fitted ones, an array of shape ({n_new}, {self.n_fitted}); got"
        )
        if isinstance(value, Features):
            value = value.values
        if isinstance(value, Prior):
            message = f"{takes} a prior of the kind {value.kind!r}."
            raise TypeError(message)
        D = check_numeric(who, name, value)
        if D.shape != (n_new, self.n_fitted):
            message = f"{takes} shape {D.shape}."
            raise ValueError(message)
        check_finite(who, name, D)
        if (D < 0).any():
            message = f"{takes} a negative number."
            raise ValueError(message)
        return D

    def distances(self, values: NDArray[Any]) -> Floats:
        """Return the distances as they were given."""
        return values

    def nearest(self, values: NDArray[Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, values)


@dataclass(frozen=True, eq=False)
class FittedCombined:
    """Parts of a combined prior or table, by name, with the factors of their distances."""

    parts: Mapping[str, SinglePrior]
    factors: tuple[float, ...]

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> dict[str, Any]:
        """Return the values of new samples, by part."""
        readers = {part: one.reader for part, one in self.parts.items()}
        new = dict(single_priors(read_new(who, {name: value}, n_new, readers)))
        if new.keys() != self.parts.keys():
            message = f"{who}: {name!r} had the parts {[*self.parts]} in fit; got {[*new]}."
            raise ValueError(message)
        return {part: kept.read(who, part, new[part], n_new, unseen) for part, kept in self.items()}

    def items(self) -> Any:
        """Return the parts with their names."""
        return self.parts.items()

    def distances(self, values: Mapping[str, Any]) -> Floats:
        """Return the weighted sum of the parts' distances."""
        found = [
            factor * np.asarray(kept.distances(values[part]), dtype=np.float64)
            for factor, (part, kept) in zip(self.factors, self.items(), strict=True)
        ]
        return np.asarray(sum(found[1:], start=found[0]))

    def nearest(self, values: Mapping[str, Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, values)


SinglePrior = FittedLabels | FittedValues | FittedDistances
FittedPrior = SinglePrior | FittedCombined


@dataclass(frozen=True, eq=False)
class NewPriors:
    """Priors of a block of new samples, as their placement needs them.

    Attributes
    ----------
    alike : dict of str to ndarray of shape (n_new,)
        By prior, the fitted sample most like each new one; -1 if there is none. Empty if the priors
        are not known.
    fitted : dict of str to FittedPrior
        The priors of the fitted samples.
    values : dict
        Those of the new ones, from `read_values`.
    potentials : ndarray of shape (n_new, n_fitted) or None
        From `learn_potentials`, for classes that were not fitted.
    """

    alike: Mapping[str, Indices]
    fitted: Mapping[str, FittedPrior]
    values: Mapping[str, Any]
    potentials: Floats | None = None

    @classmethod
    def of(
        cls,
        fitted: Mapping[str, FittedPrior],
        values: Mapping[str, Any],
        rows: slice,
        potentials: Mapping[int, Floats] | None = None,
    ) -> NewPriors:
        """Select rows of the values; ``potentials`` are by class."""
        some = {name: rows_of(one, rows) for name, one in values.items()}
        alike = {name: fitted[name].nearest(one) for name, one in some.items()}
        if not potentials:
            return cls(alike, fitted, some)
        (codes,) = some.values()
        nothing = np.zeros_like(next(iter(potentials.values())))
        learnt = np.stack([potentials.get(code, nothing) for code in codes.tolist()])
        return cls(alike, fitted, some, learnt)

    def distances(self, name: str) -> Floats:
        """Return distances to the fitted samples in a prior."""
        return self.fitted[name].distances(self.values[name])


def keep_prior(name: str, prior: Prior) -> FittedPrior:
    """Return what is kept of a prior to compute distances from new samples to the fitted ones."""
    if isinstance(prior, Labels):
        return FittedLabels(prior.reader(), prior.codes)
    if isinstance(prior, Features):
        return FittedValues(prior.reader(), keep_data(prior))
    if isinstance(prior, Geo):
        return FittedValues(prior.reader(), _on_sphere(prior.vectors, METRICS["euclidean"]))
    if isinstance(prior, Cyclic):
        metric = RowMetric("euclidean", prior.reader().points)
        rows = _on_sphere(metric.prepare(prior.values), metric, prior.period / (2 * np.pi))
        return FittedValues(prior.reader(), rows)
    if isinstance(prior, Combined):
        flat = dict(single_priors({name: prior}))
        parts = {part: cast("SinglePrior", keep_prior(part, one)) for part, one in flat.items()}
        return FittedCombined(parts, tuple(_factors(prior)))
    return FittedDistances(prior.kind, prior.n_samples)


def read_values(
    who: str, kept: Mapping[str, FittedPrior], prior: Any, n_new: int, unseen: str
) -> dict[str, Any]:
    """Read the priors of new samples, given under the names that they had in ``fit``."""
    several = {"prior": prior} if [*kept] == ["prior"] else name_parts(who, "prior", prior)
    if several is None or several.keys() != kept.keys():
        got = "a single one" if several is None else str([*several])
        message = f"{who}: 'prior' takes the priors that fit was given, {[*kept]}; got {got}."
        raise ValueError(message)
    return {name: one.read(who, name, several[name], n_new, unseen) for name, one in kept.items()}


def new_classes(
    kept: Mapping[str, FittedPrior], values: Mapping[str, Any]
) -> Iterator[tuple[str, ClassReader, Indices]]:
    """Yield the priors with classes that were not fitted: name, reader and codes."""
    for name, one in values.items():
        fitted = kept[name]
        if isinstance(fitted, FittedCombined):
            yield from new_classes(fitted.parts, one)
        elif isinstance(fitted, FittedLabels) and (one >= len(fitted.reader.classes)).any():
            yield name, fitted.reader, one


def rows_of(values: Any, rows: Any) -> Any:
    """Return the prior values of some of the new samples."""
    if isinstance(values, Mapping):
        return {name: rows_of(part, rows) for name, part in values.items()}
    return values[rows]


def _one_prior(who: str, name: str, value: Any, n_new: int, reader: Reader) -> Prior:
    found = read_new(who, {name: value}, n_new, {name: reader})
    if [*found] != [name]:
        message = f"{who}: {name!r} was a single prior in fit; got {[*found]}."
        raise ValueError(message)
    return found[name]


def _nearest(kept: FittedPrior, values: Any) -> Indices:
    return np.asarray(kept.distances(values).argmin(axis=1))


def _on_sphere(vectors: Floats, metric: RowMetric, unit: float = EARTH_RADIUS) -> FittedPoints:
    center = np.zeros(vectors.shape[1])
    return FittedPoints(vectors.astype(np.float32), metric, center, 1.0, int(Curve.ARC), unit)


def _factors(prior: Combined) -> list[float]:
    """Return the factors of a combined prior's parts, and of parts within parts."""
    factors = []
    for part, weight, scale in zip(prior.parts.values(), prior.weights, prior.scales, strict=True):
        inner = _factors(part) if isinstance(part, Combined) else [1.0]
        factors += [float(weight / scale) * factor for factor in inner]
    return factors


def residual_of_new(residual: Any, X: Floats, values: Mapping[str, Any], unseen: str) -> Floats:
    """Return what a fitted `unprior.Residual` leaves of new samples, given their priors' values."""
    flat: dict[str, Any] = {}
    for name, one in values.items():
        flat |= one if isinstance(one, Mapping) else {name: one}
    flat |= own_names(flat)
    readers = residual._model.readers
    for name, reader in readers.items():
        if isinstance(reader, NoReader):
            reader.refuse("Residual", name)
    return residual._left_of_new(X, {name: flat[name] for name in readers}, learn=unseen == "fit")
