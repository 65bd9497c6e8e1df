"""Estimators by the scikit-learn contract: parameters and one readable fit."""

from unprior.estimators._conditional_tsne import ConditionalTSNE
from unprior.estimators._confetti import Confetti
from unprior.estimators._confetti_neighbors import ConfettiNeighbors
from unprior.estimators._independent_tsne import IndependentTSNE
from unprior.estimators._inverse_slle import InverseSLLE
from unprior.estimators._jedi import JEDI
from unprior.estimators._residual import Residual
from unprior.estimators._revised_conditional_tsne import RevisedConditionalTSNE

__all__ = [
    "JEDI",
    "ConditionalTSNE",
    "Confetti",
    "ConfettiNeighbors",
    "IndependentTSNE",
    "InverseSLLE",
    "Residual",
    "RevisedConditionalTSNE",
]
