"""Map -> value and gradient of what is to be minimised."""

from unprior.objectives._conditional import ConditionalObjective
from unprior.objectives._drawn import (
    AnyPairs,
    ClassMates,
    DrawnAttraction,
    DrawnDivergence,
    MeanAttraction,
    PointPairs,
)
from unprior.objectives._evaluation import Evaluation, Objective
from unprior.objectives._independence import IndependenceObjective
from unprior.objectives._jedi import Attraction, JEDIObjective
from unprior.objectives._jensen_shannon import PriorDivergence
from unprior.objectives._kl import DataDivergence

__all__ = [
    "AnyPairs",
    "Attraction",
    "ClassMates",
    "ConditionalObjective",
    "DataDivergence",
    "DrawnAttraction",
    "DrawnDivergence",
    "Evaluation",
    "IndependenceObjective",
    "JEDIObjective",
    "MeanAttraction",
    "Objective",
    "PointPairs",
    "PriorDivergence",
]
