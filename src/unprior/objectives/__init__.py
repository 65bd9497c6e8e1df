"""Map -> value and gradient of what is to be minimised."""

from unprior.objectives._evaluation import Evaluation, Objective
from unprior.objectives._jedi import JEDIObjective
from unprior.objectives._jensen_shannon import PriorDivergence
from unprior.objectives._kl import DataDivergence

__all__ = ["DataDivergence", "Evaluation", "JEDIObjective", "Objective", "PriorDivergence"]
