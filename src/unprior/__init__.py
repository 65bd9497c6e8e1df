"""unprior: maps of what your data hold beyond what you already know.

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

# Public name -> module that holds it, if that is neither the estimators nor the warnings; None for
# the submodules. All are loaded on first use, so that `import unprior` and `unprior --help` do not
# wait for numba, umap or matplotlib.
_HOMES = {
    **dict.fromkeys(("datasets", "pl", "plot", "priors", "scores", "tl")),
    "EmbedReport": "_embed_report",
    "WithPrior": "estimators._with_prior",
    "embed": "_embed",
    "explore": "explorer",
    "factor_out": "operators",
    "load_model": "models._files",
    "save_model": "models._files",
    "tune": "tuning",
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
    if name not in __all__:
        message = f"module 'unprior' has no attribute {name!r}"
        raise AttributeError(message)
    home = _HOMES.get(name, "_warnings" if name.endswith("Warning") else "estimators")
    module = importlib.import_module(f"unprior.{home or name}")
    return module if home is None else getattr(module, name)


def __dir__() -> list[str]:
    return sorted(__all__)
