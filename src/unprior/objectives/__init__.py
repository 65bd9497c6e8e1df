"""Map -> value and gradient of what is to be minimised."""

from unprior.objectives._conditional import ConditionalObjective
from unprior.objectives._drawn import (
    AnyPairs,
    ClassMates,
    DrawnAttraction,
    DrawnDivergence,
    PointPairs,
    estimate_sums,
)
from unprior.objectives._evaluation import Evaluation, Objective
from unprior.objectives._independence import IndependenceObjective
from unprior.objectives._jedi import Attraction, JEDIObjective
from unprior.objectives._jensen_shannon import PriorDivergence
from unprior.objectives._kl import DataDivergence
from unprior.objectives._partners import LikelyPartners, NearPartners
from unprior.objectives._views import (
    FAIR_FROM,
    View,
    attraction,
    broad_perplexity,
)

__all__ = [
    "FAIR_FROM",
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
    "LikelyPartners",
    "NearPartners",
    "Objective",
    "PointPairs",
    "PriorDivergence",
    "View",
    "attraction",
    "broad_perplexity",
    "estimate_sums",
]
