"""What was asked for → number of samples, draws and steps, and the arrays of the data files."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Samples, draws and steps of a quick run, which shows that everything runs and nothing else.
QUICK_SAMPLES, QUICK_DRAWS, QUICK_STEPS = 200, 2, 30


class BrokenFileError(ValueError):
    """A data file that does not hold the arrays it should."""


@dataclass(frozen=True)
class Setting:
    """How to run the experiments.

    Attributes
    ----------
    out : Path
        Folder for figures, maps and tables.
    data : Path or None
        Folder with the measured data; experiments whose data are missing are skipped.
    draws : int
        Draws of the synthetic data; every method is run on each.
    quick : bool
        Use few samples, draws and steps.
    n_jobs : int
        Threads; the maps do not depend on it.
    checkpoint : Path or None
        Folder for finished maps, so that an interrupted run can be resumed.
    """

    out: Path
    data: Path | None = None
    draws: int = 10
    quick: bool = False
    n_jobs: int = -1
    checkpoint: Path | None = None

    def samples(self, n: int) -> int:
        """Return the number of samples to use where the paper uses n."""
        return min(n, QUICK_SAMPLES) if self.quick else n

    @property
    def seeds(self) -> range:
        """One seed for each draw."""
        return range(min(self.draws, QUICK_DRAWS) if self.quick else self.draws)

    def steps(self, name: str) -> dict[str, Any]:
        """Return the option that limits the steps of a quick run, else no option."""
        return {name: QUICK_STEPS} if self.quick else {}

    def with_jobs(self, n_jobs: int) -> Setting:
        """Return the same setting with another number of threads."""
        return replace(self, n_jobs=n_jobs)

    def read(self, file: str, names: Sequence[str]) -> list[NDArray[Any]]:
        """Read arrays of an npz file in the data folder.

        Raises
        ------
        FileNotFoundError
            If there is no such file; the experiment is then skipped.
        BrokenFileError
            If the file does not hold the arrays.
        """
        if self.data is None or not (self.data / file).exists():
            message = f"there is no {file} in the folder --data."
            raise FileNotFoundError(message)
        try:
            with np.load(self.data / file, allow_pickle=False) as arrays:
                return [arrays[name] for name in names]
        except (KeyError, ValueError, OSError) as error:
            message = (
                f"reproduce: {self.data / file} is not an npz file with the arrays "
                f"{', '.join(names)} ({error}); remove it or put the right one there."
            )
            raise BrokenFileError(message) from error

    def subset(self, n: int) -> NDArray[np.intp]:
        """Return the rows of measured data to use: all n, or in a quick run a few."""
        chosen = np.random.RandomState(0).choice(n, self.samples(n), replace=False)
        return np.sort(chosen).astype(np.intp)
