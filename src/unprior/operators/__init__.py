"""Data and priors -> distances with the prior factored out: the operator ⊖ of CONFETTI."""

from unprior.operators._balanced import Balanced, learn_balanced
from unprior.operators._balanced_rows import BalancedRows, keep_balance
from unprior.operators._factor_out import factor_out
from unprior.operators._factored import FactoredDistances
from unprior.operators._learn import OPERATORS, SCALES, factor_on_demand
from unprior.operators._strata import strata_of

__all__ = [
    "OPERATORS",
    "SCALES",
    "Balanced",
    "BalancedRows",
    "FactoredDistances",
    "factor_on_demand",
    "factor_out",
    "keep_balance",
    "learn_balanced",
    "strata_of",
]
