"""Scores at several strengths → the strength to take, why, and where to look more closely."""

from __future__ import annotations

from collections.abc import Sequence

from unprior.tuning._path import Path, Step

GONE = "the least strength at which no more of the prior is left than luck leaves"
KNEE = (
    "the knee, the least strength beyond which no more of the prior goes than noise; more of it "
    "than luck leaves is left at all strengths"
)


def choose(steps: Sequence[Step], n_samples: int) -> Path:
    """Sort the steps and choose: the least strength at which the prior is gone, or the knee.

    The knee is not where removed and kept balance: the data hold the prior, so that they are kept
    the less the more of it goes, and such a balance may as well be at strength 0.
    """
    steps = sorted(steps, key=lambda step: step.strength)
    gone = [step for step in steps if step.excess <= 0]
    least = min(steps, key=lambda step: step.excess)
    slack = least.excess + least.noise[least.worst]
    enough = gone or [step for step in steps if step.excess <= slack]
    return Path(tuple(steps), enough[0].strength, GONE if gone else KNEE, n_samples)


def closer(path: Path) -> list[float]:
    """Return what might be the best: halfway to the strength below, which is too weak."""
    below = path.strengths[path.strengths < path.best_strength]
    return [(float(below[-1]) + path.best_strength) / 2] if len(below) else []
