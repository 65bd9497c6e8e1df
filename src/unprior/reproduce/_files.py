"""A folder and the name of a file → the arrays in it, or one sentence on what is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


class BrokenFileError(ValueError):
    """A file of measured data that does not hold what it should."""


def read_arrays(folder: Path | None, file: str, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Read some arrays of an npz file; without the file, raise FileNotFoundError."""
    if folder is None or not (folder / file).exists():
        message = f"there is no {file} in the folder --data."
        raise FileNotFoundError(message)
    try:
        with np.load(folder / file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in names}
    except (KeyError, ValueError, OSError) as error:
        message = (
            f"reproduce: {folder / file} is no npz file with the arrays {', '.join(names)} "
            f"({error}); take it out of the folder, or put the right one there."
        )
        raise BrokenFileError(message) from error
