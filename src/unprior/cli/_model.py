"""A map that a command drew -> a model file, with the words that say what its data are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from unprior.cli._methods import Drawn
    from unprior.cli._prepare import Prepared

#: Methods whose maps take new samples.
PLACING = ("auto", "independent", "jedi", "confetti", "tsne")


def check_model_target(model: Path, method: str, asked: dict[str, Any], *, force: bool) -> None:
    """Refuse before any work a model that could not be used or written after it."""
    from unprior.files import check_target

    if method not in PLACING:
        message = f"--model takes a method that places new samples, {', '.join(PLACING)}."
        raise ValueError(message)
    if asked["standardize"] or asked["pca"]:
        message = (
            "--model takes data as they are, and new samples would be scaled otherwise: scale or "
            "reduce all files in the same way first, and leave out --standardize and --pca."
        )
        raise ValueError(message)
    check_target(model, (model.suffix,), force=force)


def write_fitted(model: Path, prepared: Prepared, drawn: Drawn, asked: dict[str, Any]) -> bool:
    """Write the model, and what was said of its data."""
    from unprior.cli._results import write_result
    from unprior.models._files import write_model

    fitted = drawn.estimator if drawn.report is None else drawn.report.fitted
    about = {"prior": [*asked["prior"]], "columns": [*prepared.columns]}
    return write_result("Model", model, lambda place: write_model(fitted, place, about))
