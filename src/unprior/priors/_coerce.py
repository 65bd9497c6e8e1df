"""Converting what the caller passes as ``prior`` to priors: `as_prior`, `parts_of`, `combine`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.sparse import issparse

from unprior._forms import plain
from unprior._frames import align, first_index
from unprior._typing import Floats
from unprior._validation import check_numeric
from unprior.priors._base import Prior
from unprior.priors._combined import Combined, Several, join
from unprior.priors._features import read_features
from unprior.priors._registry import recognize, square_calls
from unprior.priors._row_names import name_rows
from unprior.priors._table import column_prior, is_table, read_table


def as_prior(anything: Any, n_samples: int | None = None, *, who: str = "as_prior") -> Prior:
    """Convert an array, table, graph or several of them to a prior.

    The rules:

    - a `Prior` is returned unchanged;
    - one-dimensional strings, booleans and pandas categories are labels, floats and dates are
      features; a list of single values is read as an array, a pandas or polars Series by its type,
      an array of objects by the type of its entries;
    - tensors and Arrow data are read as NumPy arrays, a column of vectors as a matrix;
    - a two-dimensional array that is not square is features;
    - a DataFrame is a `table`, a networkx graph a `graph`;
    - a list or dict of any of these is several priors;
    - one-dimensional integers could be labels or features, and a square array could be distances,
      a kernel, features or a graph: these are refused, so say which.

    Parameters
    ----------
    anything : Prior, array-like, DataFrame, graph, or several of them in a list or dict
        The prior.
    n_samples : int, default=None
        Required number of samples, if known.
    who : str, default="as_prior"
        Name that error messages start with.

    Returns
    -------
    prior : Prior
        `Several` for a list or dict.

    Examples
    --------
    >>> from unprior import priors
    >>> priors.as_prior(["a", "b", "b"])
    <prior: labels, 3 samples>
    >>> priors.as_prior({"batch": ["a", "b", "b"], "age": [20.0, 40.0, 30.0]})
    <prior: several, 3 samples>
    >>> priors.as_prior([1, 2, 2])
    Traceback (most recent call last):
    ...
    ValueError: as_prior: 'prior' holds integers, which may be labels or numbers; say which with
    priors.labels(y) or priors.features(y).
    """
    prior = _read(who, "prior", anything)
    _check_length(who, "prior", prior, n_samples, "the data")
    return prior


def parts_of(prior: Any, n_samples: int | None, *, who: str) -> dict[str, Prior]:
    """Return several priors by name, or a single one as {"prior": prior}.

    Parameters
    ----------
    prior : anything `as_prior` takes
        A list gives the names "prior 1", "prior 2", ...; a dict its keys. The result of `combine`
        stays one prior.
    n_samples : int or None
        Required number of samples.
    who : str
        Name that error messages start with.

    Returns
    -------
    parts : dict of str to Prior

    Examples
    --------
    >>> from unprior import priors
    >>> priors.parts_of([["a", "b", "b"], [0.1, 0.2, 0.3]], 3, who="JEDI")
    {'prior 1': <prior: labels, 3 samples>, 'prior 2': <prior: features, 3 samples>}
    """
    several = name_parts(who, "prior", prior)
    if several is not None:
        return read_parts(f"{who}: 'prior'", several, n_samples)
    return {"prior": as_prior(prior, n_samples, who=who)}


def name_parts(who: str, name: str, value: Any) -> dict[str, Any] | None:
    """Return several priors by name, not yet converted; None for a single prior."""
    if isinstance(value, Several):
        return dict(value.parts)
    if isinstance(value, Mapping):
        parts = {str(key): part for key, part in value.items()}
    elif isinstance(value, list | tuple):
        alike = {_is_array_like(part) for part in value}
        if alike == {False}:
            return None
        if len(alike) > 1:
            message = f"{who}: {name!r} mixes arrays and single values; give one or the other."
            raise TypeError(message)
        parts = {f"prior {k}": part for k, part in enumerate(value, start=1)}
    else:
        return None
    if not parts:
        message = f"{who}: {name!r} is empty; give at least one prior, or none at all."
        raise ValueError(message)
    return parts


def read_parts(who: str, parts: Mapping[str, Any], n_samples: int | None) -> dict[str, Prior]:
    """Convert each part to a prior of the same samples; rows are matched by index, if any."""
    priors: dict[str, Prior] = {}
    whose, index = first_index(parts)
    for name, part in parts.items():
        priors[name] = _read(who, name, align(who, name, part, index, whose))
        first = next(iter(priors))
        if n_samples is None:
            _check_length(who, name, priors[name], priors[first].n_samples, repr(first))
        else:
            _check_length(who, name, priors[name], n_samples, "the data")
    return priors


def _read(who: str, name: str, value: Any) -> Prior:
    if isinstance(value, Prior):
        return value
    value = plain(value, who=who, name=name)
    where = f"{who}: {name!r}"
    several = name_parts(who, name, value)
    if several is not None:
        joined = join(where, read_parts(where, several, None), separate=True)
        name_rows(joined, first_index(several)[1])
        return joined
    if is_table(value):
        return read_table(where, value)
    recognized = recognize(value)
    return _read_array(who, name, value) if recognized is None else recognized


def _read_array(who: str, name: str, value: Any) -> Prior:
    n_dims = 2 if issparse(value) else np.ndim(value)
    if n_dims == 1:
        calls = "priors.labels(y) or priors.features(y)"
        return column_prior(who, name, value, repr(name), calls)
    if n_dims != 2:
        message = (
            f"{who}: {name!r} takes a prior, an array in one or two dimensions, a DataFrame, a "
            f"graph, or several of them; got {type(value).__name__}."
        )
        raise TypeError(message)
    shape = np.shape(value)
    if shape[0] == shape[1]:
        message = (
            f"{who}: {name!r} is a square array, which is ambiguous; say which with "
            f"{square_calls()}."
        )
        raise ValueError(message)
    return read_features(who, name, value)


def _is_array_like(value: Any) -> bool:
    if isinstance(value, str | bytes | np.generic):
        return False
    return hasattr(value, "__len__") or hasattr(value, "shape")


def _check_length(who: str, name: str, prior: Prior, n_samples: int | None, whose: str) -> None:
    if n_samples is not None and prior.n_samples != n_samples:
        message = (
            f"{who}: {name!r} has {prior.n_samples} samples, {whose} {n_samples}; it takes one "
            "entry for each sample, in the same order."
        )
        raise ValueError(message)


#: Advice for a constant part: a few new samples may well be equal in it, and ``transform`` takes
#: the parts separately.
ADVICE = "Leave it out; or, if these are new samples to transform, give the list or dict as it is."


def combine(priors: Any, weights: Any = None) -> Combined:
    """Combine several priors into one.

    The distance is d = Σ_k w_k d_k / m_k, where m_k is the mean distance of part k (over all pairs
    of at most 1000 samples) and the weights w_k sum to one. The m_k are computed once: selecting
    samples of the combined prior does not change their distances.

    Parameters
    ----------
    priors : list or dict of anything `as_prior` takes
        The parts. Rows are matched by the index, if several have one.
    weights : list or dict of float, default=None
        One positive number for each part; equal by default.

    Returns
    -------
    prior : Combined

    Examples
    --------
    >>> from unprior import priors
    >>> both = priors.combine({"batch": ["a", "b", "b"], "age": [20.0, 40.0, 30.0]}, weights=[3, 1])
    >>> both.weights
    array([0.75, 0.25])
    """
    several = name_parts("combine", "priors", priors)
    if several is None:
        message = "combine: 'priors' takes several priors in a list or dict; got a single one."
        raise TypeError(message)
    parts = read_parts("combine", several, None)
    combined = join("combine", parts, _read_weights(weights, [*parts]), advice=ADVICE)
    name_rows(combined, first_index(several)[1])
    return combined


def _read_weights(weights: Any, names: list[str]) -> Floats:
    if weights is None:
        return np.ones(len(names))
    if isinstance(weights, Mapping):
        if set(weights) != set(names):
            message = f"combine: 'weights' takes one number for each of {names}; got {[*weights]}."
            raise ValueError(message)
        weights = [weights[name] for name in names]
    array = check_numeric("combine", "weights", weights)
    if array.shape != (len(names),) or not ((array > 0) & (array < np.inf)).all():
        message = (
            f"combine: 'weights' takes {len(names)} positive numbers, one for each prior; got "
            f"{array.tolist()}."
        )
        raise ValueError(message)
    return array
