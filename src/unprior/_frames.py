"""Tables with named rows and columns -> data and priors, rows matched by name, not by place."""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._forms import are_vectors, is_pandas, plain
from unprior._ids import are_ids
from unprior._warnings import DataWarning, caller_level

#: Columns that a message names.
MOST_NAMED = 5


def index_of(X: Any) -> Any:
    """Return the names of the rows of a pandas table or column; None for what has none."""
    return X.index if is_pandas(X) else None


def first_index(sides: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and the index of the first side whose rows have names; "" and None of none.

    Examples
    --------
    >>> import pandas as pd
    >>> first_index({"Y": [1, 2], "labels": pd.Series(["a", "b"], index=["x", "y"])})
    ('labels', Index(['x', 'y'], dtype=...))
    """
    for name, side in sides.items():
        if isinstance(side, Mapping):
            inner, index = first_index({str(key): part for key, part in side.items()})
            name = inner or name
        else:
            index = side.index if is_pandas(side) else getattr(side, "_row_names", None)
        if index is not None:
            return name, index
    return "", None


def match(who: str, **sides: Any) -> tuple[Any, ...]:
    """Put all sides in the order of the first whose rows have names, as `align` does."""
    whose, index = first_index(sides)
    return tuple(align(who, name, side, index, whose) for name, side in sides.items())


def is_frame(X: Any) -> bool:
    """Whether this is a pandas table."""
    return is_pandas(X) and getattr(X, "ndim", 0) == 2


def is_square(metric: Any) -> bool:
    """Whether data are distances, by what is said of the metric."""
    return isinstance(metric, str) and metric == "precomputed"


def align(who: str, name: str, value: Any, index: Any, whose: str = "X") -> Any:
    """Put what is known in the order of the data's rows, if both have named rows.

    Parameters
    ----------
    who, name : str
        Whose argument it is, for the message.
    value : Any
        A prior, colours, or several of them in a list or dict; what has no index stays.
    index : pandas Index or None
        Names of the data's rows.
    whose : str
        What the index is of.

    Returns
    -------
    value : Any
        With the rows of ``index``, in this order.

    Examples
    --------
    >>> import pandas as pd
    >>> batch = pd.Series(["a", "b", "b"], index=["x", "y", "z"])
    >>> align("embed", "prior", batch, pd.Index(["z", "x"])).tolist()
    ['b', 'a']
    """
    if index is None:
        return value
    if isinstance(value, Mapping):
        return {key: align(who, str(key), part, index, whose) for key, part in value.items()}
    if isinstance(value, list | tuple) and any(is_pandas(part) for part in value):
        return [align(who, name, part, index, whose) for part in value]
    named = is_pandas(value)
    own = value.index if named else getattr(value, "_row_names", None)
    if own is None or own.equals(index):
        return value
    found = _are_among(index, own)
    if own.is_unique and index.is_unique and found.all():
        return value.loc[index] if named else value[own.get_indexer(index)]
    lacking = index[~found]
    why = (
        f"it lacks {lacking.tolist()[0]!r}" if len(lacking) else "some names stand for several rows"
    )
    message = (
        f"{who}: the index of {name!r} does not match that of {whose!r} ({why}), so that it is not "
        "known which rows belong together; give both the same index, or give "
        f"{name}.to_numpy() if the order is the same."
    )
    raise ValueError(message)


def _are_among(index: Any, own: Any) -> NDArray[np.bool_]:
    """Whether each name of an index is among others; of another type, none is."""
    try:
        return np.asarray(index.isin(own))
    except (TypeError, ValueError):  # of several levels on one side alone, for example
        return np.zeros(len(index), dtype=bool)


def split_frame(
    who: str, X: Any, *, square: bool = False, **known: Any
) -> tuple[Any, dict[str, Any]]:
    """Take columns that are named as priors out of a table of data, and what are ids.

    Parameters
    ----------
    who : str
        Who speaks in messages.
    X : Any
        The data; anything but a table stays as it is.
    square : bool
        Whether the table holds distances, of which no column is ids.
    **known : Any
        By argument, such as "prior": what is known, the name of a column, a list of names, or a
        dict of names or values. A name may say what kind of prior the column is, as in the shell:
        "hour:cyclic=24".

    Returns
    -------
    X : Any
        The table without the columns that were named, and without ids, of which a warning tells.
    known : dict of str to Any
        By argument, what was named as a dict of priors; all else as it was.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "city": ["Rome", "Oslo"]})
    >>> X, known = split_frame("embed", table, prior="city")
    >>> [*X.columns], {name: [*values] for name, values in known["prior"].items()}
    (['a', 'b'], {'city': ['Rome', 'Oslo']})
    """
    X = X if is_pandas(X) else plain(X, who=who)
    if not is_frame(X):
        for argument, value in known.items():
            _refuse_names(who, argument, value)
        return X, known
    found, taken = {}, []
    for argument, value in known.items():
        found[argument], used = find_named(who, argument, X, value)
        taken += used
    X = X.drop(columns=taken)
    return X if square else _only_numbers(who, X), found


def find_named(who: str, argument: str, X: Any, known: Any) -> tuple[Any, list[Any]]:
    """Return priors in place of the names of columns, and the columns that were used."""
    from unprior.priors._spelled import names_of, read_spelled

    parts = names_of(known, [str(name) for name in X.columns], len(X))
    if parts is None:
        return known, []
    labels = {str(label): label for label in X.columns}
    taken: list[Any] = []

    def find(name: str) -> Any:
        if name not in labels:
            close = difflib.get_close_matches(name, [*labels], n=1)
            hint = f" Did you mean {close[0]!r}?" if close else ""
            message = f"{who}: {argument!r} names {name!r}, which is no column of 'X'.{hint}"
            raise ValueError(message)
        if labels[name] not in taken:
            taken.append(labels[name])
        return X[labels[name]]

    def read(part: Any) -> Any:
        if not isinstance(part, str):
            return part
        if argument == "keep":  # always labels, of which some may be missing
            return find(part if part in labels else part.removesuffix(":labels"))
        return read_spelled(who, part, [*labels], find)

    return {name: read(part) for name, part in parts.items()}, taken


def _refuse_names(who: str, argument: str, known: Any) -> None:
    if isinstance(known, str):
        message = (
            f"{who}: {argument!r} names a column, {known!r}, which takes a DataFrame as 'X'; give "
            "the values themselves."
        )
        raise TypeError(message)


def _only_numbers(who: str, frame: Any) -> Any:
    """Leave ids out, with a warning; take the vectors of a column of vectors; refuse text."""
    vectors = [name for name in frame.columns if are_vectors(frame[name])]
    if len(vectors) == 1:
        others = [str(name) for name in frame.columns if name != vectors[0]]
        if others:
            _warn(
                who, f"the data are the vectors in column {vectors[0]!r}; {_few(others)} left out"
            )
        return frame[vectors[0]]
    if vectors:
        message = (
            f"{who}: 'X' has several columns of vectors, {_few(map(str, vectors))}; give one of "
            f"them, for example X[{vectors[0]!r}]."
        )
        raise ValueError(message)
    ids = [name for name in frame.columns if are_ids(str(name), _values(frame[name]))]
    if ids and len(ids) < frame.shape[1]:
        which = _few(str(name) for name in ids)
        _warn(who, f"{which} left out of the data: it looks like ids, which say nothing of samples")
        frame = frame.drop(columns=ids)
    text = [str(name) for name in frame.columns if not _is_numeric(frame[name])]
    if text:
        message = (
            f"{who}: 'X' takes numbers; got other values in {_few(text)}. Name such a column as "
            f"prior, or leave it out with X.drop(columns={text[:MOST_NAMED]})."
        )
        raise ValueError(message)
    return frame


def _values(column: Any) -> Any:
    kind = getattr(column.dtype, "kind", "O")
    if kind in "iu" and column.isna().any():
        return np.asarray(column.astype(object).where(column.notna(), None))
    return np.asarray(column)


def _is_numeric(column: Any) -> bool:
    if hasattr(column.dtype, "categories"):
        return False
    return getattr(column.dtype, "kind", "O") in "iufb"


def _warn(who: str, text: str) -> None:
    warnings.warn(f"{who}: {text}.", DataWarning, stacklevel=caller_level())


def _few(names: Any) -> str:
    """Return names in quotes, the first few of many."""
    names = [*names]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(repr(name) for name in names[:MOST_NAMED]) + more


def read_frame(who: str, name: str, X: Any) -> tuple[Any, Any]:
    """Return data in the form NumPy or pandas has them, and the names of their rows."""
    X = X if is_pandas(X) else plain(X, who=who, name=name)
    return plain(X, who=who, name=name), index_of(X)
