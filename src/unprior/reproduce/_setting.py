"""What was asked for → how many samples, draws and steps an experiment takes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

#: Samples, draws and steps that show that everything runs, and nothing else.
QUICK_SAMPLES, QUICK_DRAWS, QUICK_STEPS = 200, 2, 30


@dataclass(frozen=True)
class Setting:
    """How to redo the experiments.

    Attributes
    ----------
    out : Path
        Folder for figures, maps and tables; it exists.
    data : Path or None
        Folder with the measured data; experiments on data that are not there are skipped.
    draws : int
        Draws of the synthetic data, each with maps of its own.
    quick : bool
        Few samples, draws and steps.
    n_jobs : int
        Threads; the maps do not depend on it.
    checkpoint : Path or None
        Folder for maps that are drawn already, so that a run that was killed goes on.
    """

    out: Path
    data: Path | None = None
    draws: int = 10
    quick: bool = False
    n_jobs: int = -1
    checkpoint: Path | None = None

    def samples(self, n: int) -> int:
        """Return the number of samples to take where the paper takes n."""
        return min(n, QUICK_SAMPLES) if self.quick else n

    @property
    def seeds(self) -> range:
        """One seed for each draw."""
        return range(min(self.draws, QUICK_DRAWS) if self.quick else self.draws)

    def steps(self, name: str) -> dict[str, Any]:
        """Return the option that cuts a descent short, or none for the method's own number."""
        return {name: QUICK_STEPS} if self.quick else {}

    def with_jobs(self, n_jobs: int) -> Setting:
        """Return the same with another number of threads."""
        return replace(self, n_jobs=n_jobs)
