"""unprior: maps of what your data holds beyond what you already know.

Give it data and prior knowledge; it draws the map with that knowledge factored out and says in
numbers how much of it is gone and how much of the rest is kept.

>>> import unprior as up
>>> sorted(name for name in up.__all__ if name.isupper())
['JEDI']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from unprior._version import __version__

if TYPE_CHECKING:
    from unprior import datasets, pl, plot, priors, scores, tl
    from unprior._embed import embed
    from unprior._embed_report import EmbedReport
    from unprior._warnings import (
        BalanceWarning,
        CheckpointWarning,
        ConfoundingWarning,
        ConstraintWarning,
        DataWarning,
        DivergenceWarning,
        InterruptedFitWarning,
        OverRemovalWarning,
        PriorMissingWarning,
        RecallWarning,
        UnpriorWarning,
    )
    from unprior.estimators import (
        JEDI,
        ConditionalTSNE,
        Confetti,
        ConfettiNeighbors,
        IndependentTSNE,
        InverseSLLE,
        Residual,
        RevisedConditionalTSNE,
    )
    from unprior.estimators._with_prior import WithPrior
    from unprior.explorer import explore
    from unprior.models._files import load_model, save_model
    from unprior.operators import factor_out
    from unprior.tuning import tune

# Public name -> module that holds it; None for the submodules themselves. Loaded on first use, so
# that `import unprior` and `unprior --help` do not wait for numba, umap or matplotlib.
_HOMES = {
    "IndependentTSNE": "unprior.estimators",
    "JEDI": "unprior.estimators",
    "Confetti": "unprior.estimators",
    "ConfettiNeighbors": "unprior.estimators",
    "ConditionalTSNE": "unprior.estimators",
    "RevisedConditionalTSNE": "unprior.estimators",
    "InverseSLLE": "unprior.estimators",
    "Residual": "unprior.estimators",
    "WithPrior": "unprior.estimators._with_prior",
    "factor_out": "unprior.operators",
    "EmbedReport": "unprior._embed_report",
    "embed": "unprior._embed",
    "explore": "unprior.explorer",
    "load_model": "unprior.models._files",
    "save_model": "unprior.models._files",
    "tune": "unprior.tuning",
    "BalanceWarning": "unprior._warnings",
    "CheckpointWarning": "unprior._warnings",
    "ConfoundingWarning": "unprior._warnings",
    "ConstraintWarning": "unprior._warnings",
    "DataWarning": "unprior._warnings",
    "DivergenceWarning": "unprior._warnings",
    "InterruptedFitWarning": "unprior._warnings",
    "OverRemovalWarning": "unprior._warnings",
    "PriorMissingWarning": "unprior._warnings",
    "RecallWarning": "unprior._warnings",
    "UnpriorWarning": "unprior._warnings",
    "datasets": None,
    "pl": None,
    "plot": None,
    "priors": None,
    "scores": None,
    "tl": None,
}

__all__ = [
    "JEDI",
    "BalanceWarning",
    "CheckpointWarning",
    "ConditionalTSNE",
    "Confetti",
    "ConfettiNeighbors",
    "ConfoundingWarning",
    "ConstraintWarning",
    "DataWarning",
    "DivergenceWarning",
    "EmbedReport",
    "IndependentTSNE",
    "InterruptedFitWarning",
    "InverseSLLE",
    "OverRemovalWarning",
    "PriorMissingWarning",
    "RecallWarning",
    "Residual",
    "RevisedConditionalTSNE",
    "UnpriorWarning",
    "WithPrior",
    "__version__",
    "datasets",
    "embed",
    "explore",
    "factor_out",
    "load_model",
    "pl",
    "plot",
    "priors",
    "save_model",
    "scores",
    "tl",
    "tune",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        message = f"module 'unprior' has no attribute {name!r}"
        raise AttributeError(message)
    home = _HOMES[name]
    if home is None:
        return importlib.import_module(f"unprior.{name}")
    return getattr(importlib.import_module(home), name)


def __dir__() -> list[str]:
    return sorted(__all__)
