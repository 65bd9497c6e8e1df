"""Find the columns that command-line options name: priors, kept labels, colours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from unprior.files import NamedPrior, Samples, find_prior, gaps, make_prior, named_columns
from unprior.priors import Cyclic
from unprior.priors._columns import as_dates


def find_all(option: str, texts: Sequence[str], samples: Samples) -> list[NamedPrior]:
    """Find the priors that an option names; refuse duplicates."""
    found = [find_prior(option, text, samples) for text in texts]
    names = [part.name for part in found]
    for name in names:
        if names.count(name) > 1:
            message = f"{option}: {name!r} is given twice."
            raise ValueError(message)
    return found


def kept_columns(samples: Samples, texts: Sequence[str]) -> list[str]:
    """Return the columns of ``--keep``; a redundant ":labels" after a name is allowed."""
    names = [text if text in samples else text.removesuffix(":labels") for text in texts]
    return named_columns("--keep", samples, names, single=True)


def kept_labels(samples: Samples, names: Sequence[str], rows: Any) -> dict[str, Any]:
    """Return kept labels by column, for some rows of a file; None where a label is missing."""
    return {name: _labels(samples[name][rows]) for name in names}


def colors_of(samples: Samples, texts: Sequence[str], rows: Any) -> dict[str, Any]:
    """Return the values to colour by, by name, for some rows of a file."""
    taken = np.arange(samples.n_samples)[rows]
    return {part.name: _color(part.take(taken)) for part in find_all("--color", texts, samples)}


def _color(part: NamedPrior) -> Any:
    """Return the values to colour by, read by the given kind; missing values are allowed."""
    columns, kind = [*part.columns.values()], part.spec.kind
    if len(columns) != 1 or part.is_square:
        return make_prior(part)
    column = as_dates(columns[0]) if kind != "labels" else columns[0]
    missing = gaps(columns[0])
    if kind == "labels":
        return _labels(column)
    if kind != "cyclic" or missing.all():
        return column
    made = make_prior(part.take(np.flatnonzero(~missing)))
    assert isinstance(made, Cyclic)
    values = np.full(len(missing), np.nan)
    values[~missing] = made.values
    return Cyclic(values, made.period)


def _labels(column: Any) -> Any:
    """Return labels as text, None where one is missing."""
    missing = gaps(column)
    return np.array([None if gap else str(v) for v, gap in zip(column, missing, strict=True)])
