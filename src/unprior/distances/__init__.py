"""Data and priors -> distances with the prior factored out: the operator ⊖ of CONFETTI."""

from unprior.distances._factor_out import factor_out
from unprior.distances._factored import FactoredDistances
from unprior.distances._on_demand import OPERATORS, SCALES, factor_on_demand
from unprior.distances._principal import positive_axes, principal_coordinates
from unprior.distances._supervised import push_classmates

__all__ = [
    "OPERATORS",
    "SCALES",
    "FactoredDistances",
    "factor_on_demand",
    "factor_out",
    "positive_axes",
    "principal_coordinates",
    "push_classmates",
]
