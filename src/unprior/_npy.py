"""Read the header of an NPY array, to know its size before it is read."""

from __future__ import annotations

from math import prod
from tokenize import TokenError
from typing import IO, Any

import numpy as np

_READERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
    # Differs from version 2 only in the encoding of field names.
    (3, 0): np.lib.format.read_array_header_2_0,
}


def read_header(stream: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, Fortran order and dtype; raise `ValueError` if this is not an array."""
    version = np.lib.format.read_magic(stream)
    if version not in _READERS:
        message = f"arrays of version {version} are unknown"
        raise ValueError(message)
    try:
        shape, fortran, dtype = _READERS[version](stream)
    except (TokenError, SyntaxError, TypeError, LookupError, RecursionError) as error:
        message = f"the header of the array cannot be read ({error})"
        raise ValueError(message) from error
    if any(side < 0 for side in shape):
        message = f"an array cannot have the shape {shape}"
        raise ValueError(message)
    return shape, fortran, dtype


def count_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    """Return the number of bytes of an array; entries of size 0 count as one byte.

    Examples
    --------
    >>> count_bytes((10**9, 10**9), np.dtype("f4"))
    4000000000000000000
    """
    return prod(shape) * max(dtype.itemsize, 1)
