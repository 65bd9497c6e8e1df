"""Scores of maps: how much of the prior is left, and how much of everything else is kept.

Scores compare the neighbours of samples on a map with their neighbours in a prior or in the data,
and state the value expected by chance. For large data they use a random subset of samples and give
the standard error. Blocks of rows are scored in parallel as set by ``joblib.parallel_config``: on
one thread by default, and with the same result on any number.
"""

import warnings
from typing import Any

from unprior._warnings import caller_level
from unprior.scores._class_purity import class_purity
from unprior.scores._coherence import neighbor_coherence, neighbor_purity
from unprior.scores._comparison import Comparison, compare
from unprior.scores._confounding import Confounding, confounding
from unprior.scores._left_within import left_within
from unprior.scores._measurement import Measurement
from unprior.scores._overlap import OverlapCurve, overlap_area, overlap_curve
from unprior.scores._report import Report, report
from unprior.scores._rest import rest_kept
from unprior.scores._transform_report import TransformReport, transform_report
from unprior.scores._trustworthiness import trustworthiness
from unprior.scores._unevenness import unevenness
from unprior.scores._within import kept_within

__all__ = [
    "Comparison",
    "Confounding",
    "Measurement",
    "OverlapCurve",
    "Report",
    "TransformReport",
    "class_purity",
    "compare",
    "confounding",
    "kept_within",
    "left_within",
    "neighbor_coherence",
    "neighbor_purity",
    "overlap_area",
    "overlap_curve",
    "report",
    "rest_kept",
    "transform_report",
    "trustworthiness",
    "unevenness",
]

#: Deprecated names and their replacements.
_RENAMED = {"knn_purity": "neighbor_purity"}


def __getattr__(name: str) -> Any:
    if name not in _RENAMED:
        message = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(message)
    message = f"scores.{name} is now called scores.{_RENAMED[name]}; the old name will be removed."
    warnings.warn(message, FutureWarning, stacklevel=caller_level())
    return globals()[_RENAMED[name]]
