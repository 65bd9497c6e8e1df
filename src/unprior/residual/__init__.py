"""Data and prior -> data without what the prior predicts: the models behind `unprior.Residual`."""

from unprior.residual._linear import learn_linear, linear_distances
from unprior.residual._model import learn_smooth, smooth_distances
from unprior.residual._new_samples import (
    Model,
    own_names,
    read_told,
    recognize,
    refuse_new,
    single_priors,
)
from unprior.residual._smoothers import reference_rows

__all__ = [
    "Model",
    "learn_linear",
    "learn_smooth",
    "linear_distances",
    "own_names",
    "read_told",
    "recognize",
    "reference_rows",
    "refuse_new",
    "single_priors",
    "smooth_distances",
]
