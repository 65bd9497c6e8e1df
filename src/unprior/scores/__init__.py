"""Was the prior factored out, and was the rest kept: scores of maps, in numbers and tables.

Scores compare the neighbours that samples have on a map with those they have in a prior or in the
data, and tell what chance would give. For large data they look at a random subset of samples and
give the standard error. Blocks of rows run as ``joblib.parallel_config`` says: on one thread unless
told otherwise, and with the same result on any number.
"""

from unprior.scores._class_purity import class_purity
from unprior.scores._coherence import knn_purity, neighbor_coherence
from unprior.scores._comparison import Comparison, compare
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
    "Measurement",
    "OverlapCurve",
    "Report",
    "TransformReport",
    "class_purity",
    "compare",
    "kept_within",
    "knn_purity",
    "neighbor_coherence",
    "overlap_area",
    "overlap_curve",
    "report",
    "rest_kept",
    "transform_report",
    "trustworthiness",
    "unevenness",
]
