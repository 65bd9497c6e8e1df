"""The scores at one strength <-> plain types that a checkpoint keeps, without loss."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from unprior.optimize._checkpoint import Checkpoint
from unprior.scores import Measurement, Report
from unprior.tuning._path import Step


def plain_step(step: Step) -> dict[str, Any]:
    """Return a step as JSON holds it; its numbers come back to the last bit.

    Examples
    --------
    >>> from unprior import scores
    >>> report = scores.report([0.0, 1.0, 9.0, 11.0], prior=["a", "a", "b", "b"], k=1)
    >>> step = Step(1.0, report, {"prior": 0.5})
    >>> read_step(plain_step(step)) == step
    True
    """
    return asdict(step)


def read_step(kept: Mapping[str, Any]) -> Step:
    """Return the step that was kept."""
    report = {**kept["report"]}
    report["rows"] = tuple(Measurement(**row) for row in report["rows"])
    return Step(kept["strength"], Report(**report), kept["noise"])


def stage_folder(checkpoint: Checkpoint, strength: float) -> Path:
    """Return the folder of the fit at one strength; its scores have the same name."""
    return checkpoint.folder / f"strength-{strength!r}"
