"""A fitted estimator <-> an entry of ``uns``: text and arrays, as files hold them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from unprior._version import __version__
from unprior.estimators._new_samples import PlacingEstimator
from unprior.models._checks import check_model
from unprior.models._files import NUMBER
from unprior.models._records import Arrays, decode, encode_estimator

#: The entry that is text.
TEXT = "json"


def model_in_uns(who: str, fitted: Any) -> dict[str, Any]:
    """Return a fitted estimator as text and arrays."""
    if not isinstance(fitted, PlacingEstimator) or isinstance(fitted._new, str):
        message = (
            f"{who}: 'keep_model' takes maps that can place new samples, by the methods "
            "'independent', 'tsne', 'jedi' and 'confetti' of data in memory."
        )
        raise ValueError(message)
    arrays: Arrays = {}
    model = encode_estimator(fitted, arrays)
    held = {"number": NUMBER, "version": __version__, "model": model}
    return {TEXT: json.dumps(held), **arrays}


def model_from_uns(who: str, told: Any) -> Any:
    """Return the fitted estimator that was kept."""
    held = json.loads(str(told[TEXT]))
    if held["number"] != NUMBER:
        message = (
            f"{who}: the map was drawn by unprior {held['version']}, whose models this version "
            "does not read; draw it again with tl.embed(adata_ref, ..., keep_model=True)."
        )
        raise ValueError(message)
    arrays = {name: np.asarray(value) for name, value in told.items() if name != TEXT}
    estimator = decode(held["model"], arrays)
    check_model(estimator)
    return estimator
