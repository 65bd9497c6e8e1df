"""Data and prior -> data without what the prior predicts: what `unprior.Residual` and maps use."""

from unprior.residual._automatic import fit_residual
from unprior.residual._check import warn_of_more
from unprior.residual._composition import find_shared
from unprior.residual._kept_labels import complete_labels, transfer_labels
from unprior.residual._learn import WITH_RESIDUAL, FittedResidual, learn_residual, subtract
from unprior.residual._new_samples import (
    Model,
    read_like_fitted,
    read_new,
    recognize,
    refuse_new,
    warn_of_small_classes,
)
from unprior.residual._regressors import flat_priors, own_names, single_priors

__all__ = [
    "WITH_RESIDUAL",
    "FittedResidual",
    "Model",
    "complete_labels",
    "find_shared",
    "fit_residual",
    "flat_priors",
    "learn_residual",
    "own_names",
    "read_like_fitted",
    "read_new",
    "recognize",
    "refuse_new",
    "single_priors",
    "subtract",
    "transfer_labels",
    "warn_of_more",
    "warn_of_small_classes",
]
