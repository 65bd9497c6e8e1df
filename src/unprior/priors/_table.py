"""The prior of a DataFrame, whose columns are labels or features."""

from __future__ import annotations

from typing import Any

import numpy as np

from unprior._forms import plain
from unprior.priors._base import Prior
from unprior.priors._columns import read_column
from unprior.priors._combined import join
from unprior.priors._features import read_features
from unprior.priors._labels import read_labels
from unprior.priors._row_names import keeps_names


def is_table(value: Any) -> bool:
    """Whether this is a DataFrame, without importing pandas."""
    return all(hasattr(value, name) for name in ("columns", "dtypes", "shape", "__getitem__"))


@keeps_names
def table(df: Any) -> Prior:
    """Make a prior from a DataFrame.

    Parameters
    ----------
    df : DataFrame
        One row for each sample. Columns of strings, booleans and categories are labels, columns of
        floats and dates are features. Integers may be either: say which with
        ``df.astype({"column": "category"})`` or ``df.astype({"column": float})``.

    Returns
    -------
    prior : Combined, Labels or Features
        The columns combined with equal weights, as by `combine`; for a single column, its prior.

    Examples
    --------
    >>> import pandas as pd
    >>> from unprior import priors
    >>> df = pd.DataFrame({"batch": ["a", "a", "b"], "age": [20.0, 40.0, 30.0]})
    >>> priors.table(df).parts
    {'batch': <prior: labels, 3 samples>, 'age': <prior: features, 3 samples>}
    """
    return read_table("table", df)


def read_table(who: str, df: Any) -> Prior:
    """Check a DataFrame for `who` and combine its columns."""
    if not is_table(df):
        message = f"{who}: takes a DataFrame; got {type(df).__name__}."
        raise TypeError(message)
    names = [str(name) for name in df.columns]
    if not names:
        message = f"{who}: takes a table with at least one column; got none."
        raise ValueError(message)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        message = f"{who}: two columns are called {twice!r}; rename one."
        raise ValueError(message)
    parts = {str(name): _read_part(who, str(name), df[name]) for name in df.columns}
    return join(who, parts) if len(parts) > 1 else parts[names[0]]


def _read_part(who: str, name: str, column: Any) -> Prior:
    column = plain(column, who=who, name=name)
    if column.ndim == 2:
        return read_features(who, name, column)
    calls = f'df.astype({{"{name}": "category"}}) or df.astype({{"{name}": float}})'
    return column_prior(who, name, column, f"column {name!r}", calls)


def column_prior(who: str, name: str, column: Any, what: str, calls: str) -> Prior:
    """Return the prior of one-dimensional values: labels or features, according to their type.

    Integers are refused with the calls that say which they are; ``what`` names the values in
    messages.
    """
    meaning, values = read_column(column)
    if meaning == "labels":
        return read_labels(f"{who}: {what}", values)
    if meaning == "features":
        return read_features(who, name, values)
    if meaning == "integers":
        message = (
            f"{who}: {what} holds integers, which may be labels or numbers; say which with {calls}."
        )
    else:
        dtype = getattr(column, "dtype", None) or np.asarray(column).dtype
        message = f"{who}: {what} takes labels, numbers or dates; got {dtype} values."
    raise ValueError(message)
