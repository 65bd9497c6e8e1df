"""The warnings of unprior; each class can be filtered separately."""

import sys

#: Packages that a warning does not point to: it points to their caller.
NOT_THE_CALLER = ("unprior", "sklearn", "umap")


class UnpriorWarning(UserWarning):
    """Any warning of this library."""


class PriorMissingWarning(UnpriorWarning):
    """A method was fitted without a prior, or a map scored without the prior it was drawn with."""


class InterruptedFitWarning(UnpriorWarning):
    """A fit was interrupted by Ctrl-C; the map so far is kept."""


class CheckpointWarning(UnpriorWarning):
    """A checkpoint could not be written; the run continues, and the previous one is intact."""


class DivergenceWarning(UnpriorWarning):
    """A descent diverged and restarted with a smaller step size."""


class OverRemovalWarning(UnpriorWarning):
    """A map has lost more than the prior: little is kept of what the prior does not explain."""


class ConstraintWarning(UnpriorWarning):
    """More or less of a prior is left in a map than requested."""


class ConfoundingWarning(UnpriorWarning):
    """A prior is associated with kept labels, or its groups differ in composition."""


class DataWarning(UnpriorWarning):
    """Data or a prior would make a map misleading: ids, unscaled columns, copies."""


class BalanceWarning(UnpriorWarning):
    """Neighbours could not be balanced over a prior, which is therefore not factored out."""


class RecallWarning(UnpriorWarning):
    """An index found too few of the nearest neighbours of very many samples."""


def caller_level() -> int:
    """Return the ``stacklevel`` with which a warning points to the nearest code outside unprior."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in NOT_THE_CALLER:
        frame, level = frame.f_back, level + 1
    return level
