"""A prior of fitted samples -> what reads the same prior of new samples.

Reading means: the values that say how far a new sample is from the fitted ones, in the terms of the
fitted prior. Of labels these are the numbers of the classes, of places points of the sphere.
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

#: Why most other priors cannot be read for new samples.
NO_DISTANCES = "has no distances between new samples and the fitted ones"


class Reader(ABC):
    """Reads the prior of new samples in the terms of the fitted one.

    A reader holds settings such as classes or a period, and no samples.

    Attributes
    ----------
    reads : type of Prior
        The kind of prior it takes.
    n_columns : int or None
        Columns that a linear model can take as they are; None if the prior has none.
    can_read : bool
        Whether values of single samples can be read, without their distances to others.
    """

    reads: ClassVar[type[Any]]
    can_read: ClassVar[bool] = True

    @property
    def n_columns(self) -> int | None:
        """Number of columns that a linear model can take as they are."""
        return None

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the values of each sample, or refuse the prior in one sentence."""
        if not isinstance(prior, self.reads):
            message = (
                f"{who}: {name!r} was a prior of {self.reads.kind} in fit; got one of {prior.kind}."
            )
            raise ValueError(message)
        return self._values(who, name, prior)

    @abstractmethod
    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        """Return the values of each sample, of a prior of the right kind."""

    @abstractmethod
    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Distances of new samples to fitted ones, both as they were read."""

    def columns(self, values: NDArray[Any]) -> Floats:
        """Return the columns that a linear model takes; only if there are ``n_columns``."""
        raise NotImplementedError

    def points(self, values: NDArray[Any]) -> Floats:
        """Return points whose nearest neighbours are those of the prior."""
        return values


@dataclass(frozen=True)
class DistanceReader(Reader):
    """Reads distances of new samples to the fitted ones, an array with a column for each.

    Most priors hold distances among their own samples alone, and so cannot be read otherwise.
    """

    kind: str
    n_fitted: int
    can_read: ClassVar[bool] = False

    def read(self, who: str, name: str, prior: Prior) -> NDArray[Any]:
        """Return the distances, or refuse the prior in one sentence."""
        values = np.asarray(getattr(prior, "values", 0.0))
        if values.ndim == 2 and values.shape[1] == self.n_fitted:
            return values
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {NO_DISTANCES}; give "
            f"these distances, an array of shape (n_new, {self.n_fitted}), or fit to all samples "
            "together (those of fit need no prior again)."
        )
        raise ValueError(message)

    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        return self.read(who, name, prior)

    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Distances of new samples to fitted ones: those that were read."""
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
        """Refuse in one sentence that says what to do."""
        message = (
            f"{who}: {name!r} is a prior of the kind {self.kind!r}, which {self.reason}; fit to "
            "all samples together (those of fit need no prior again)."
        )
        raise ValueError(message)

    def _values(self, who: str, name: str, prior: Any) -> NDArray[Any]:
        raise NotImplementedError

    def distances(self, new: NDArray[Any], fitted: NDArray[Any]) -> Floats:
        """Distances of new samples to fitted ones: there are none."""
        raise NotImplementedError
