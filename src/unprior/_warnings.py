"""The warnings unprior gives; each class can be filtered on its own."""


class UnpriorWarning(UserWarning):
    """Any warning of this library."""


class PriorMissingWarning(UnpriorWarning):
    """A method was fitted without a prior, so nothing is factored out."""


class InterruptedFitWarning(UnpriorWarning):
    """A fit was stopped from the keyboard; the map so far is kept."""
