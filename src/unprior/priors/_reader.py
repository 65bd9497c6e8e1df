"""Readers, which encode the prior of new samples as in ``fit``, or say why they cannot.

The encoded values determine the distances of new samples to fitted ones: class codes for labels,
points on the sphere for places on Earth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from unprior._typing import Floats

if TYPE_CHECKING:
    from unprior.priors._base import Prior

#: Why most kinds of priors cannot be read for new samples.
NO_DISTANCES = "has no distances between new samples and the fitted ones"


class Reader(ABC):
    """Encodes the prior of new samples in the same way as the prior of the fitted samples.

    A reader holds parameters such as classes or a period, but no samples.

    Attributes
    ----------
    reads : type of Prior
        The kind of prior it takes.
    n_columns : int or None
        Number of columns for a linear model; None if the prior has none.
    can_read : bool
        Whether values of single samples can be read, without their distances to others.
    """

    reads: ClassVar[type[Any]]
    can_read: ClassVar[bool] = True

    @property
    def n_columns(self) -> int | None:
        """Number of columns for a linear model."""
        return None

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the encoded values of each sample, or refuse the prior."""
        if not isinstance(prior, self.reads):
            message = (
                f"{who}: {name!r} was a prior of {self.reads.kind} in fit; got one of {prior.kind}."
            )
            raise ValueError(message)
        return self._values(who, name, prior)

    @abstractmethod
    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        """Return the encoded values of each sample of a prior of the right kind."""

    @abstractmethod
    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Return distances of new samples to fitted ones, both encoded by ``read``."""

    def columns(self, values: NDArray[Any]) -> Floats:
        """Return the columns for a linear model; only if ``n_columns`` is not None."""
        raise NotImplementedError

    def points(self, values: NDArray[Any]) -> Floats:
        """Return points that have the same nearest neighbours as the prior."""
        return values


@dataclass(frozen=True)
class DistanceReader(Reader):
    """Reads distances of new samples to the fitted ones, an array with a column for each.

    This is the only way for priors that hold distances between their own samples alone.
    """

    kind: str
    n_fitted: int
    can_read: ClassVar[bool] = False

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the distances, or refuse the prior."""
        values = np.asarray(getattr(prior, "values", 0.0))
        if values.ndim == 2 and values.shape[1] == self.n_fitted:
            return values
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {NO_DISTANCES}; give "
            f"these distances, an array of shape (n_new, {self.n_fitted}), or fit to all samples "
            "together (the samples of fit need no prior again)."
        )
        raise ValueError(message)

    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        return self.read(who, name, prior)

    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Return the distances that were read."""
        return new


@dataclass(frozen=True)
class NoReader(Reader):
    """Refuses new samples."""

    kind: str
    reason: str = NO_DISTANCES
    can_read: ClassVar[bool] = False

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Refuse."""
        self.refuse(who, name)

    def refuse(self, who: str, name: str) -> NoReturn:
        """Refuse new samples, and say what to do instead."""
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {self.reason}; fit to "
            "all samples together (the samples of fit need no prior again)."
        )
        raise ValueError(message)

    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        raise NotImplementedError

    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Not available."""
        raise NotImplementedError
