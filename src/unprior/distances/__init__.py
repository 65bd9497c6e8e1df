"""Data and priors -> distances with the prior factored out: the operator ⊖ of CONFETTI."""

from unprior.distances._factor_out import factor_out
from unprior.distances._factored import FactoredDistances
from unprior.distances._on_demand import factor_on_demand

__all__ = ["FactoredDistances", "factor_on_demand", "factor_out"]
