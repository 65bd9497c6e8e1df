"""A call with some inputs -> a finite result and inputs as they were, or an error of our own."""

import re
import warnings

import numpy as np
import pandas as pd
from scipy.sparse import issparse

import unprior as up

#: Errors that are meant for the caller; all others are faults of the library.
OUR_OWN = (ValueError, TypeError, FloatingPointError, MemoryError, ImportError)

#: How our messages begin: with who raises them, or as scikit-learn's estimator checks require.
SPOKEN = re.compile(r"^(\[Errno \d+\] )?[\w.]+: .*|.*(required by|passed to|expecting) .*")
RESHAPE = "Expected 2D array, got"  # the words that scikit-learn demands of all estimators

#: Further warnings for the caller; any other warning is a fault.
TOLD = (up.UnpriorWarning,)


class Fault(AssertionError):
    """A fault that no caller should see."""


def judge(who, call, *inputs):
    """Call, and raise `Fault` unless the result is finite or the error is one of ours."""
    before = [_copy(one) for one in inputs]
    with warnings.catch_warnings():
        warnings.resetwarnings()
        warnings.filterwarnings("error")
        for category in TOLD:
            warnings.filterwarnings("ignore", category=category)
        try:
            result = call()
        except OUR_OWN as error:
            _check_message(who, error)
            return None
        except Exception as error:
            raise Fault(f"{who}: {type(error).__name__}: {error}") from error
    for one, copy in zip(inputs, before, strict=True):
        if not _same(one, copy):
            raise Fault(f"{who}: an input was changed")
    return result


def _check_message(who, error):
    message = str(error)
    if message.startswith(RESHAPE):
        return
    unlike = isinstance(error, np.linalg.LinAlgError) or not SPOKEN.match(message)
    if unlike or "\n" in message:
        raise Fault(f"{who}: {type(error).__name__}: {message}") from error


def check_finite(who, result, shape):
    """Raise `Fault` unless an array has a shape and no NaN."""
    array = np.asarray(result)
    if array.shape != shape or not np.isfinite(array).all():
        raise Fault(f"{who}: a result of shape {array.shape} that should be {shape}, and finite")


def _copy(value):
    if isinstance(value, np.ndarray | pd.DataFrame | pd.Series) or issparse(value):
        return value.copy()
    if isinstance(value, list):
        return [_copy(part) for part in value]
    return {key: _copy(part) for key, part in value.items()} if isinstance(value, dict) else value


def _same(one, other):
    if issparse(one):
        one, other = one.toarray(), other.toarray()
    if isinstance(one, np.ndarray):
        # NaN and objects too, which their text distinguishes.
        return one.tobytes() == other.tobytes() if one.dtype.kind != "O" else str(one) == str(other)
    if isinstance(one, pd.DataFrame | pd.Series):
        return one.equals(other) and one.index.equals(other.index)
    if isinstance(one, list):
        return all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, dict):
        return all(_same(one[key], other[key]) for key in one)
    return True
