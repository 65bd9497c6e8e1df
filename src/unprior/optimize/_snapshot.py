"""A descent between two steps <-> what a checkpoint keeps of it: all that the next step depends on.

Maps, velocities and gains are replaced and never changed in place, so that a snapshot costs no
copy. What changes in place are a few numbers: how often partners were drawn, and where the
multipliers are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from unprior._typing import Floats
from unprior.optimize._checkpoint import Checkpoint
from unprior.optimize._momentum import Motion


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The state of a descent before a step.

    Attributes
    ----------
    n_done : int
        Steps that were taken.
    Y : ndarray of shape (n_samples, n_components)
        The map.
    motion : Motion
        Velocity and gains.
    memory : dict
        What objective and multipliers remember; see `memory_of`.
    """

    n_done: int
    Y: Floats
    motion: Motion
    memory: dict[str, Any]

    def save(self, checkpoint: Checkpoint, stage: str, history: Sequence[float]) -> None:
        """Keep the state, and the objective before every step so far."""
        arrays = {
            "map": self.Y,
            "velocity": self.motion.velocity,
            "gains": self.motion.gains,
            "history": np.array(history[: self.n_done], dtype=np.float64),
        }
        checkpoint.save(stage, {"n_done": self.n_done, "memory": self.memory}, arrays)

    @classmethod
    def load(
        cls, checkpoint: Checkpoint, stage: str, shape: tuple[int, ...]
    ) -> tuple[Snapshot, list[float]] | None:
        """Return the state that was kept, and the objective before every step; None if none was."""
        kept = checkpoint.load(stage)
        if kept is None:
            return None
        facts, arrays = kept
        try:
            n_done, history = int(facts["n_done"]), arrays["history"]
            Y, motion = arrays["map"], Motion(arrays["velocity"], arrays["gains"])
            fits = {a.shape for a in (Y, motion.velocity, motion.gains)} == {shape}
            memory = dict(facts["memory"])
        except (KeyError, TypeError, ValueError):
            fits = False
        if not fits or history.shape != (n_done,):
            message = (
                f"{checkpoint.who}: 'checkpoint' {checkpoint.folder} does not hold a state of this "
                "descent; delete the folder to begin anew, or give another one."
            )
            raise ValueError(message)
        return cls(n_done, Y, motion, memory), history.tolist()


def memory_of(objective: Any, revise: Any) -> dict[str, Any]:
    """Return what an objective and what revises it remember from step to step, as plain types."""
    remembers = hasattr(revise, "remember")
    return {
        "drawn": [part.n_evaluations for part in _drawing(objective)],
        "revise": revise.remember() if remembers else None,
    }


def recall(memory: dict[str, Any], objective: Any, revise: Any) -> None:
    """Put an objective and what revises it where they were."""
    for part, count in zip(_drawing(objective), memory["drawn"], strict=True):
        part.n_evaluations = int(count)
    if memory["revise"] is not None:
        revise.recall(memory["revise"])


def _drawing(objective: Any) -> Iterator[Any]:
    """Yield the parts of an objective that draw, and number their draws."""
    parts = (
        getattr(objective, "data", None),
        getattr(objective, "broad", None),
        *getattr(objective, "priors", ()),
    )
    return (part for part in parts if hasattr(part, "n_evaluations"))
