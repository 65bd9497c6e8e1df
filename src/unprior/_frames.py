"""DataFrames -> data and priors: columns by name, and rows matched by the index."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unprior._forms import are_vectors, is_pandas, plain
from unprior._ids import are_ids
from unprior._params import suggest
from unprior._warnings import DataWarning, caller_level

#: Largest number of columns named in a message.
MOST_NAMED = 5

#: Attribute of a prior that holds the index it was made with.
ROW_NAMES = "_row_names"


def index_of(X: Any) -> Any:
    """Return the index of a pandas object; None for others."""
    return X.index if is_pandas(X) else None


def names_of_rows(value: Any) -> Any:
    """Return the index of a pandas object, or that of a prior made from one; None for others."""
    return value.index if is_pandas(value) else getattr(value, ROW_NAMES, None)


def first_index(sides: Mapping[str, Any]) -> tuple[str, Any]:
    """Return the name and the index of the first side with an index; "" and None without one.

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
            index = names_of_rows(side)
        if index is not None:
            return name, index
    return "", None


def match(who: str, **sides: Any) -> tuple[Any, ...]:
    """Align all sides with the first one that has an index, by `align`."""
    whose, index = first_index(sides)
    return tuple(align(who, name, side, index, whose) for name, side in sides.items())


def is_square(metric: Any) -> bool:
    """Whether the metric says that data are distances."""
    return isinstance(metric, str) and metric == "precomputed"


def align(who: str, name: str, value: Any, index: Any, whose: str = "X") -> Any:
    """Reorder a prior like the rows of the data, if both have an index.

    Parameters
    ----------
    who, name : str
        The function and its argument, for messages.
    value : Any
        A prior, colours, or several of them in a list or dict; returned unchanged without an index.
    index : pandas Index or None
        Index of the data.
    whose : str
        Name of the argument with that index.

    Returns
    -------
    value : Any
        With the rows of ``index``, in its order.

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
    own = names_of_rows(value)
    if own is None or own.equals(index):
        return value
    found = _are_among(index, own)
    if own.is_unique and index.is_unique and found.all():
        return value.loc[index] if is_pandas(value) else value[own.get_indexer(index)]
    lacking = index[~found]
    why = f"it lacks {lacking.tolist()[0]!r}" if len(lacking) else "some names are not unique"
    message = (
        f"{who}: the index of {name!r} does not match that of {whose!r} ({why}), so rows "
        "cannot be matched; give both the same index, or pass "
        f"{name}.to_numpy() if the order is the same."
    )
    raise ValueError(message)


def _are_among(index: Any, own: Any) -> NDArray[np.bool_]:
    """Return which names of an index occur in another one; none if the types differ."""
    try:
        return np.asarray(index.isin(own))
    except (TypeError, ValueError):  # for example, a MultiIndex on one side only
        return np.zeros(len(index), dtype=bool)


def split_frame(
    who: str, X: Any, *, square: bool = False, **known: Any
) -> tuple[Any, dict[str, Any]]:
    """Separate the columns named as priors from a table of data, and drop ids.

    Parameters
    ----------
    who : str
        Name of the function, for messages.
    X : Any
        The data; anything but a DataFrame is returned unchanged.
    square : bool
        Whether the table holds distances, where no column can be ids.
    **known : Any
        By argument, such as "prior": values, the name of a column, a list of names, or a dict of
        names or values. A name may include the kind of prior, as on the command line:
        "hour:cyclic=24".

    Returns
    -------
    X : Any
        The table without the named columns and without ids, which cause a warning.
    known : dict of str to Any
        By argument, named columns as a dict of priors; other values unchanged.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0], "city": ["Rome", "Oslo"]})
    >>> X, known = split_frame("embed", table, prior="city")
    >>> [*X.columns], {name: [*values] for name, values in known["prior"].items()}
    (['a', 'b'], {'city': ['Rome', 'Oslo']})
    """
    X = X if is_pandas(X) else plain(X, who=who)
    if not is_pandas(X) or X.ndim != 2:
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
    """Replace names of columns by priors, and return the columns used."""
    from unprior.priors._spelled import names_of, read_spelled

    parts = names_of(known, [str(name) for name in X.columns], len(X))
    if parts is None:
        return known, []
    labels = {str(label): label for label in X.columns}
    taken: list[Any] = []

    def find(name: str) -> Any:
        if name not in labels:
            hint = suggest(name, labels)
            message = f"{who}: {argument!r} names {name!r}, which is not a column of 'X'.{hint}"
            raise ValueError(message)
        if labels[name] not in taken:
            taken.append(labels[name])
        return X[labels[name]]

    def read(part: Any) -> Any:
        if not isinstance(part, str):
            return part
        if argument == "keep":  # always labels, possibly with missing ones
            return find(part if part in labels else part.removesuffix(":labels"))
        return read_spelled(who, part, [*labels], find)

    return {name: read(part) for name, part in parts.items()}, taken


def _refuse_names(who: str, argument: str, known: Any) -> None:
    if isinstance(known, str):
        message = (
            f"{who}: {argument!r} names a column, {known!r}, but 'X' is not a DataFrame; pass the "
            "values themselves."
        )
        raise TypeError(message)


def _only_numbers(who: str, frame: Any) -> Any:
    """Drop ids, with a warning; extract a column of vectors; refuse text."""
    vectors = [name for name in frame.columns if are_vectors(frame[name])]
    if len(vectors) == 1:
        others = [str(name) for name in frame.columns if name != vectors[0]]
        if others:
            _warn(who, f"the data are the vectors in column {vectors[0]!r}; {_few(others)} dropped")
        return frame[vectors[0]]
    if vectors:
        message = (
            f"{who}: 'X' has several columns of vectors, {_few(map(str, vectors))}; pass one of "
            f"them, for example X[{vectors[0]!r}]."
        )
        raise ValueError(message)
    ids = [name for name in frame.columns if are_ids(str(name), _values(frame[name]))]
    if ids and len(ids) < frame.shape[1]:
        which = _few(str(name) for name in ids)
        _warn(who, f"{which} dropped from the data: it looks like ids, which carry no information")
        frame = frame.drop(columns=ids)
    text = [str(name) for name in frame.columns if not _is_numeric(frame[name])]
    if text:
        message = (
            f"{who}: 'X' takes numbers; got other values in {_few(text)}. Name such a column as "
            f"prior, or drop it with X.drop(columns={text[:MOST_NAMED]})."
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
    """Return the first few names in quotes, and the number of others."""
    names = [*names]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return ", ".join(repr(name) for name in names[:MOST_NAMED]) + more


def read_frame(who: str, name: str, X: Any) -> tuple[Any, Any]:
    """Return data as a NumPy or pandas object, and their index."""
    X = X if is_pandas(X) else plain(X, who=who, name=name)
    return plain(X, who=who, name=name), index_of(X)
