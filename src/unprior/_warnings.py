"""The warnings unprior gives; each class can be filtered on its own."""


class UnpriorWarning(UserWarning):
    """Any warning of this library."""


class PriorMissingWarning(UnpriorWarning):
    """A method was fitted without a prior, or a map is scored without that it was drawn with."""


class InterruptedFitWarning(UnpriorWarning):
    """A fit was stopped from the keyboard; the map so far is kept."""


class OverRemovalWarning(UnpriorWarning):
    """A map has lost more than the prior: little is kept of what the prior does not explain."""


class RecallWarning(UnpriorWarning):
    """A search for neighbours found fewer of the true ones than it should."""
