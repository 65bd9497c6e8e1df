"""The prior of labels: distance 0 within a class, 1 between classes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from unprior._remarks import Advice, remark_on_classes
from unprior._typing import Floats, Indices
from unprior.geometry import as_rows
from unprior.priors._base import Kind, Prior, Source
from unprior.priors._reader import Reader
from unprior.priors._row_names import keeps_names


@dataclass(frozen=True, eq=False, repr=False)
class Labels(Prior):
    """Labels as a prior: distance 0 within a class, 1 between classes.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        The class of each sample, as its position in ``classes``.
    classes : ndarray of shape (n_classes,)
        The classes present, sorted.
    counts : ndarray of shape (n_classes,)
        Number of samples in each class.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.labels(["a", "b", "a"]).counts
    array([2, 1])
    """

    kind: ClassVar[str] = "labels"

    codes: Indices
    classes: NDArray[Any]

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.codes)

    @property
    def class_codes(self) -> Indices:
        """The class of each sample as an integer from 0."""
        return self.codes

    @property
    def counts(self) -> Indices:
        """Number of samples in each class."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def block(self, rows: Indices, cols: Indices) -> Floats:
        """Distances of every row to every column, shape (len(rows), len(cols))."""
        apart = self.codes[as_rows(rows)][:, None] != self.codes[as_rows(cols)]
        return apart.astype(np.float64)

    def pairs(self, i: Indices, j: Indices) -> Floats:
        """Distances of the pairs (i[0], j[0]), (i[1], j[1]), ..."""
        apart = self.codes[as_rows(i)] != self.codes[as_rows(j)]
        return apart.astype(np.float64)

    def largest(self) -> float:
        """Return the largest distance: 1, or 0 if there is one class only."""
        return float(len(self.classes) > 1)

    def is_constant(self) -> bool:
        """Whether there is only one class, or every sample is a class of its own."""
        return len(self.classes) in {0, 1, self.n_samples}

    def describe_constant(self) -> str:
        """Return why `is_constant` holds, for error messages."""
        if len(self.classes) == 1:
            return f"one class only, {self.classes.tolist()[0]!r}"
        return "every sample is a class of its own"

    def reader(self) -> ClassReader:
        """Return the reader of labels of new samples, as codes of these classes."""
        return ClassReader(tuple(self.classes.tolist()))

    def column(self) -> tuple[Any, None]:
        """Return the label of each sample."""
        return self.classes[self.codes], None

    def remarks(self, advice: Advice | None = None) -> Iterator[str]:
        """Yield a warning if the classes leave little to factor out.

        Examples
        --------
        >>> from unprior import priors
        >>> print(*priors.labels(["a"] * 99 + ["b"]).remarks())
        one class, 'a', has 99 % of the samples: there is little to factor out.
        """
        remark = remark_on_classes(self.counts, self.classes.tolist()[int(self.counts.argmax())])
        if remark:
            yield remark

    def _take(self, rows: Indices) -> Labels:
        present, codes = np.unique(self.codes[rows], return_inverse=True)
        return Labels(codes.astype(np.intp, copy=False), self.classes[present])


@dataclass(frozen=True, eq=False)
class ClassReader(Reader):
    """Reads labels as codes of the classes of ``fit``; new classes are refused."""

    reads: ClassVar[type[Labels]] = Labels
    classes: tuple[Any, ...]

    @property
    def n_columns(self) -> int:
        """One column for each class."""
        return len(self.classes)

    def read(self, who: str, name: str, prior: Prior, unseen: str = "error") -> Indices:
        """Return the code of each sample's class.

        New classes are refused if ``unseen`` is "error"; otherwise they get the codes after those
        of ``fit``.
        """
        if unseen == "error" or not isinstance(prior, Labels):
            return super().read(who, name, prior)
        return self._number(prior)

    def _values(self, who: str, name: str, prior: Labels) -> Indices:
        new = [value for value in prior.classes.tolist() if value not in self.classes]
        if new:
            message = (
                f"{who}: {name!r} has the class {new[0]!r}, which no sample had in fit, so its "
                "mean is not known; unseen='mean' removes nothing from its samples, unseen='fit' "
                "estimates it from the new samples."
            )
            raise ValueError(message)
        return self._number(prior)

    def _number(self, prior: Labels) -> Indices:
        codes = {value: code for code, value in enumerate(self.classes)}
        in_fit = [codes.setdefault(value, len(codes)) for value in prior.classes.tolist()]
        return np.array(in_fit, dtype=np.intp)[prior.codes]

    def distances(self, new: Indices, fitted: Indices) -> Floats:
        """Return distances of new samples to fitted ones: 0 in the same class, else 1."""
        return (new[:, None] != fitted).astype(np.float64)

    def columns(self, values: Indices) -> Floats:
        """Return the one-hot encoding of the classes."""
        columns = np.zeros((len(values), len(self.classes)))
        columns[np.arange(len(values)), values] = 1
        return columns


@keeps_names
def labels(y: Any) -> Labels:
    """Make a prior from a class for each sample.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Strings, booleans, integers, categories or other hashable values. Every sample needs a
        label.

    Returns
    -------
    prior : Labels
        Distance 0 within a class and 1 between classes.

    Examples
    --------
    >>> from unprior import priors
    >>> batch = priors.labels(["monday", "monday", "friday"])
    >>> batch.classes
    array(['friday', 'monday'], dtype='<U6')
    >>> batch.to_array()
    array([[0., 0., 1.],
           [0., 0., 1.],
           [1., 1., 0.]])
    """
    return read_labels("labels", y)


def read_labels(who: str, y: Any) -> Labels:
    """Check labels for `who` and encode their classes."""
    try:
        array = np.asarray(y)
    except (TypeError, ValueError) as error:  # a prior of another kind, or rows of several lengths
        message = (
            f"{who}: takes one label for each sample; got a {type(y).__name__} of other things."
        )
        raise TypeError(message) from error
    if array.ndim != 1:
        message = f"{who}: takes one label for each sample; got an array of shape {array.shape}."
        raise ValueError(message)
    if array.dtype.kind in "UT" and not isinstance(y, np.ndarray):
        array = np.asarray(y, dtype=object)  # NumPy would turn missing labels into "nan"
    if array.dtype.kind in "OT":
        try:
            classes, codes = _number_objects(array)
        except TypeError as error:
            message = f"{who}: takes labels that can be compared; got some that cannot ({error})."
            raise TypeError(message) from error
    else:
        classes, codes = np.unique(array, return_inverse=True)
    missing = np.array([is_missing(value) for value in classes], dtype=bool)
    if missing.any():
        sample = int(np.argmax(missing[codes]))
        message = (
            f"{who}: sample {sample} has no label ({array[sample]}); drop it or give it a name of "
            'its own, for example "unknown".'
        )
        raise ValueError(message)
    return Labels(codes.astype(np.intp, copy=False), classes)


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, NaT or pandas.NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    try:
        return bool(value != value)  # only true for NaN and NaT
    except (TypeError, ValueError):
        return False


def _number_objects(array: NDArray[Any]) -> tuple[NDArray[Any], Indices]:
    """Return the sorted classes and the code of each entry, for entries of any type."""
    seen: dict[Any, int] = {}
    codes = np.array([seen.setdefault(value, len(seen)) for value in array.tolist()], dtype=np.intp)
    values = list(seen)
    try:
        order = sorted(range(len(values)), key=values.__getitem__)
    except TypeError:  # such as strings and numbers together
        order = sorted(range(len(values)), key=lambda k: _kind_and_text(values[k]))
    ranks = np.empty(len(order), dtype=np.intp)
    ranks[order] = np.arange(len(order))
    return _as_array([values[k] for k in order]), ranks[codes]


def _kind_and_text(value: Any) -> tuple[str, str]:
    return type(value).__name__, str(value)


def _as_array(values: list[Any]) -> NDArray[Any]:
    """Return an array of strings if all values are strings, else of objects."""
    if all(isinstance(value, str) for value in values):
        return np.array(values, dtype=str)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _make(source: Source) -> Labels:
    return read_labels(source.where, *source.take(1))


LABELS = Kind("labels", "year:labels", _make)
