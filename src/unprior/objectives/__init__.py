"""Map -> value and gradient of an objective."""

from unprior.objectives._conditional import ConditionalObjective
from unprior.objectives._divergences import DataDivergence, PriorDivergence
from unprior.objectives._evaluation import Evaluation, Objective
from unprior.objectives._independence import IndependenceObjective
from unprior.objectives._jedi import (
    JEDIObjective,
    Problem,
    WeightedPrior,
    exact_objective,
    sampled_objective,
)
from unprior.objectives._views import View, attraction, broad_perplexity

__all__ = [
    "ConditionalObjective",
    "DataDivergence",
    "Evaluation",
    "IndependenceObjective",
    "JEDIObjective",
    "Objective",
    "PriorDivergence",
    "Problem",
    "View",
    "WeightedPrior",
    "attraction",
    "broad_perplexity",
    "exact_objective",
    "sampled_objective",
]
