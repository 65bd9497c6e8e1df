"""The warnings unprior gives; each class can be filtered on its own."""

import sys

#: Whose code a warning does not point to: the call is the caller's.
NOT_THE_CALLER = ("unprior", "sklearn", "umap")


class UnpriorWarning(UserWarning):
    """Any warning of this library."""


class PriorMissingWarning(UnpriorWarning):
    """A method was fitted without a prior, or a map scored without the prior it was drawn with."""


class InterruptedFitWarning(UnpriorWarning):
    """A fit was stopped from the keyboard; the map so far is kept."""


class CheckpointWarning(UnpriorWarning):
    """A checkpoint could not be written; the run goes on, and the one before is whole."""


class DivergenceWarning(UnpriorWarning):
    """A descent diverged and began anew with smaller steps."""


class OverRemovalWarning(UnpriorWarning):
    """A map has lost more than the prior: little is kept of what the prior does not explain."""


class ConstraintWarning(UnpriorWarning):
    """A map shows more or less of a prior than it was asked to."""


class ConfoundingWarning(UnpriorWarning):
    """A prior goes with kept labels, or its groups differ in composition: what they share stays."""


class DataWarning(UnpriorWarning):
    """Data or a prior look as if a map of them would mislead: ids, unscaled columns, copies."""


class BalanceWarning(UnpriorWarning):
    """Neighbours could not be balanced over a prior, so that it is not factored out."""


def caller_level() -> int:
    """Stack level, for whoever calls this, of the nearest code that is not the library's."""
    frame, level = sys._getframe(1), 1
    while frame.f_back and frame.f_globals.get("__name__", "").split(".")[0] in NOT_THE_CALLER:
        frame, level = frame.f_back, level + 1
    return level
