"""Fitted priors, and what is known of new samples -> how near these are to fitted ones in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats, Indices
from unprior._validation import check_finite, check_numeric
from unprior.geometry import Curve
from unprior.geometry._metrics import METRICS, RowMetric
from unprior.priors import Combined, Cyclic, Features, Geo, Labels, Prior
from unprior.priors._coerce import name_parts
from unprior.priors._geo import EARTH_RADIUS
from unprior.priors._labels import ClassReader
from unprior.priors._reader import Reader
from unprior.residual._new_samples import read_new
from unprior.residual._regressors import single_priors
from unprior.transform._rows import FittedRows, PointRows, keep_rows


@dataclass(frozen=True, eq=False)
class KeptLabels:
    """Classes of the fitted samples.

    Attributes
    ----------
    reader : ClassReader
    codes : ndarray of shape (n_fitted,)
        The class of every fitted sample.
    """

    reader: ClassReader
    codes: Indices

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the class of each new sample; from the number of classes on they are new."""
        labels = _one_prior(who, name, value, n_new)
        return self.reader.read(who, name, labels, unseen=unseen)

    def to_fitted(self, told: NDArray[Any]) -> Floats:
        """Return distances to the fitted samples: 0 within a class, else 1."""
        return (told[:, None] != self.codes).astype(np.float64)

    def nearest(self, told: NDArray[Any]) -> Indices:
        """Return a fitted sample of the class of each new one; -1 if there is none."""
        n_classes = len(self.reader.classes)
        first = np.full(n_classes + 1, -1)
        first[self.codes[::-1]] = np.arange(len(self.codes))[::-1]
        return first[np.minimum(told, n_classes)]


@dataclass(frozen=True, eq=False)
class KeptValues:
    """Numbers, places or positions of the fitted samples.

    Attributes
    ----------
    reader : Reader
    rows : FittedRows
    """

    reader: Reader
    rows: FittedRows

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the values of new samples."""
        return self.reader.read(who, name, _one_prior(who, name, value, n_new))

    def to_fitted(self, told: NDArray[Any]) -> Floats:
        """Return distances to the fitted samples."""
        return self.rows.to_fitted(told)

    def nearest(self, told: NDArray[Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, told)


@dataclass(frozen=True, eq=False)
class KeptDistances:
    """Nothing: such a prior is told of new samples by distances to the fitted ones."""

    kind: str
    n_fitted: int

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> NDArray[Any]:
        """Return the distances of new samples to the fitted ones."""
        takes = (
            f"{who}: {name!r} was a prior of the kind {self.kind!r} in fit; of new samples it "
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

    def to_fitted(self, told: NDArray[Any]) -> Floats:
        """Return the distances that were given."""
        return told

    def nearest(self, told: NDArray[Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, told)


@dataclass(frozen=True, eq=False)
class KeptCombined:
    """Parts of a combined prior or table, by name, with the factors of their distances."""

    parts: Mapping[str, KeptPrior]
    factors: tuple[float, ...]

    def read(self, who: str, name: str, value: Any, n_new: int, unseen: str) -> dict[str, Any]:
        """Return what is known of new samples, by part."""
        new = dict(single_priors(read_new(who, {name: value}, n_new)))
        if new.keys() != self.parts.keys():
            message = f"{who}: {name!r} had the parts {[*self.parts]} in fit; got {[*new]}."
            raise ValueError(message)
        return {part: kept.read(who, part, new[part], n_new, unseen) for part, kept in self.items()}

    def items(self) -> Any:
        """Return the parts with their names."""
        return self.parts.items()

    def to_fitted(self, told: Mapping[str, Any]) -> Floats:
        """Return the weighted sum of the parts' distances."""
        found = [
            factor * np.asarray(kept.to_fitted(told[part]), dtype=np.float64)
            for factor, (part, kept) in zip(self.factors, self.items(), strict=True)
        ]
        return np.asarray(sum(found[1:], start=found[0]))

    def nearest(self, told: Mapping[str, Any]) -> Indices:
        """Return the fitted sample that is nearest to each new one."""
        return _nearest(self, told)


KeptPrior = KeptLabels | KeptValues | KeptDistances | KeptCombined


def keep_prior(name: str, prior: Prior) -> KeptPrior:
    """Return what is kept of a fitted prior to tell how near new samples are in it."""
    if isinstance(prior, Labels):
        return KeptLabels(prior.reader(), prior.codes)
    if isinstance(prior, Features):
        return KeptValues(prior.reader(), keep_rows(prior))
    if isinstance(prior, Geo):
        return KeptValues(prior.reader(), _on_sphere(prior.vectors, METRICS["euclidean"]))
    if isinstance(prior, Cyclic):
        metric = RowMetric("euclidean", prior.reader().points)
        rows = _on_sphere(metric.prepare(prior.values), metric, prior.period / (2 * np.pi))
        return KeptValues(prior.reader(), rows)
    if isinstance(prior, Combined):
        flat = dict(single_priors({name: prior}))
        parts = {part: keep_prior(part, one) for part, one in flat.items()}
        return KeptCombined(parts, tuple(_factors(prior)))
    return KeptDistances(prior.kind, prior.n_samples)


def read_known(
    who: str, kept: Mapping[str, KeptPrior], prior: Any, n_new: int, unseen: str
) -> dict[str, Any]:
    """Read what is known of new samples, told as in ``fit``: by the names that fit had."""
    several = {"prior": prior} if [*kept] == ["prior"] else name_parts(who, "prior", prior)
    if several is None or several.keys() != kept.keys():
        got = "a single one" if several is None else str([*several])
        message = f"{who}: 'prior' takes the priors that fit was given, {[*kept]}; got {got}."
        raise ValueError(message)
    return {name: one.read(who, name, several[name], n_new, unseen) for name, one in kept.items()}


def rows_of(told: Any, rows: Any) -> Any:
    """Return what is known of some of the new samples."""
    if isinstance(told, Mapping):
        return {name: rows_of(part, rows) for name, part in told.items()}
    return told[rows]


def _one_prior(who: str, name: str, value: Any, n_new: int) -> Prior:
    found = read_new(who, {name: value}, n_new)
    if [*found] != [name]:
        message = f"{who}: {name!r} takes what it was in fit, one prior; got {[*found]}."
        raise ValueError(message)
    return found[name]


def _nearest(kept: KeptPrior, told: Any) -> Indices:
    return np.asarray(kept.to_fitted(told).argmin(axis=1))


def _on_sphere(vectors: Floats, metric: RowMetric, unit: float = EARTH_RADIUS) -> PointRows:
    center = np.zeros(vectors.shape[1])
    return PointRows(vectors.astype(np.float32), metric, center, 1.0, int(Curve.ARC), unit)


def _factors(prior: Combined) -> list[float]:
    """Return the factors of a combined prior's parts, and of parts within parts."""
    factors = []
    for part, weight, scale in zip(prior.parts.values(), prior.weights, prior.scales, strict=True):
        inner = _factors(part) if isinstance(part, Combined) else [1.0]
        factors += [float(weight / scale) * factor for factor in inner]
    return factors
