"""Read the priors of new samples in the terms of the fitted ones, or refuse them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, NoReturn, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from unprior._forms import plain
from unprior._frames import index_of
from unprior._typing import Floats
from unprior._warnings import DataWarning, caller_level
from unprior.priors import Features, Prior
from unprior.priors._coerce import name_parts, read_parts
from unprior.priors._columns import read_column
from unprior.priors._features import METRIC_OF_FIT, FeatureReader, read_features
from unprior.priors._labels import ClassReader, read_labels
from unprior.priors._reader import DistanceReader, Reader
from unprior.priors._row_names import name_rows
from unprior.priors._table import is_table
from unprior.residual._regressors import flat_priors, own_names
from unprior.storage import fingerprint

#: Readers of priors that are given as an array of several columns.
TAKES_ROWS = (FeatureReader, DistanceReader)

#: Mean and spread of a new class with fewer samples are unreliable.
FEW = 30


T = TypeVar("T")


class Model(Protocol):
    """What a residual has learnt, applied to new samples."""

    @property
    def readers(self) -> Mapping[str, Reader]:
        """The reader of each prior, by name."""

    def explained(
        self, X: Floats, read: Mapping[str, NDArray[Any]], *, learn: bool = False
    ) -> Floats:
        """Return what the priors, as read, explain of new samples.

        With ``learn``, classes that ``fit`` has not seen are learnt from these samples.
        """


def read_new(
    who: str, prior: Any, n_samples: int, readers: Mapping[str, Reader]
) -> dict[str, Prior]:
    """Make priors for new samples, under the names that their parts had in ``fit``.

    The parts of a table or list are read one by one: `combine` refuses parts that are the same for
    all samples, which is normal for a few new ones. ``readers`` say what each was in ``fit``.
    """
    several = name_parts(who, "prior", prior)
    if several is None:
        several = {"prior": prior}
    pairs = (pair for name, part in several.items() for pair in _single_parts(who, name, part))
    single = dict(pairs)
    owned = zip(own_names(single), single.items(), strict=True)
    told = {
        name: _as_in_fit(who, name, part, readers.get(name, readers.get(own)))
        for own, (name, part) in owned
    }
    read = read_parts(who, told, n_samples)
    return {name: _metric_of_fit(single[name], prior) for name, prior in read.items()}


def read_like_fitted(
    readers: Mapping[str, Reader], prior: Any, n_samples: int, unseen: str = "error"
) -> dict[str, NDArray[Any]]:
    """Read the priors of new samples by the readers of the fitted ones."""
    parts = flat_priors(read_new("Residual", prior, n_samples, readers))
    if parts.keys() != readers.keys():
        message = f"Residual: 'prior' takes what fit was given, {[*readers]}; got {[*parts]}."
        raise ValueError(message)
    found = {}
    for name, reader in readers.items():
        if isinstance(reader, ClassReader):
            found[name] = reader.read("Residual", name, parts[name], unseen)
            if unseen == "fit":
                warn_of_small_classes("Residual", name, reader, found[name])
        else:
            found[name] = reader.read("Residual", name, parts[name])
    return found


def warn_of_small_classes(who: str, name: str, reader: ClassReader, codes: NDArray[Any]) -> None:
    """Warn about new classes with too few samples to learn from."""
    sizes = np.bincount(codes)[len(reader.classes) :]
    if sizes.size and sizes.min() < FEW:
        message = (
            f"{who}: a new class of {name!r} has only {sizes.min()} samples to learn its mean "
            f"and spread from; give at least {FEW}, or use unseen='mean'."
        )
        warnings.warn(message, DataWarning, stacklevel=caller_level())


def refuse_new(metric: str) -> NoReturn:
    """Say what is missing for new samples: a prior, or features."""
    message = (
        "Residual: 'transform' of distances knows only the samples it was fitted to; fit to "
        "all samples together."
        if metric == "precomputed"
        else "Residual: 'transform' needs the prior of new samples; call transform(X, prior=...)."
    )
    raise ValueError(message)


def recognize(prior: Prior) -> str:
    """Return a fingerprint of a prior, to recognise it; "" if it cannot be read for new samples."""
    reader = prior.reader()
    return fingerprint(reader.read("Residual", "prior", prior)) if reader.can_read else ""


def _single_parts(who: str, name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of nested tables and lists."""
    parts = _columns(value) if is_table(value) else name_parts(who, name, value)
    if parts is None:
        yield name, value
        return
    for part, inner in parts.items():
        yield from _single_parts(who, f"{name}: {part}", inner)


def _as_in_fit(who: str, name: str, value: Any, reader: Reader | None) -> Any:
    """Return bare integers and square arrays as the prior that they were in ``fit``.

    Without that, whether they can be told from other priors would depend on the batch: on whether
    ages have decimals, and on the number of rows.
    """
    if isinstance(value, Prior) or reader is None:
        return value
    value = plain(value, who=who, name=name)
    if is_table(value):
        if len(value.columns) != 1:
            return value
        value = value.iloc[:, 0]
    found: Prior | None = None
    shape = _shape(value)
    if len(shape) == 2 and shape[0] == shape[1] and isinstance(reader, TAKES_ROWS):
        found = read_features(who, name, value)
    elif len(shape) == 1 and read_column(value)[0] == "integers":
        if isinstance(reader, ClassReader):
            found = read_labels(f"{who}: {name!r}", value)
        elif isinstance(reader, FeatureReader):
            found = read_features(who, name, value)
    if found is None:
        return value
    name_rows(found, index_of(value))
    return found


def _shape(value: Any) -> tuple[int, ...]:
    """Return the shape of a dense array, or () for what is none."""
    try:
        return () if issparse(value) else np.shape(value)
    except ValueError:  # rows of unequal lengths, which are refused where they are read
        return ()


def _metric_of_fit(given: Any, prior: Prior) -> Prior:
    """Return a prior that was given as an array with the metric that ``fit`` used."""
    if isinstance(prior, Features) and not isinstance(given, Prior):
        return replace(prior, metric=METRIC_OF_FIT)
    return prior


def _columns(df: Any) -> dict[str, Any] | None:
    """Return columns by name; None if there is only one, or if names are not unique."""
    columns = {str(name): df[name] for name in df.columns}
    return columns if 1 < len(columns) == len(df.columns) else None
