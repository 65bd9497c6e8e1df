"""Warnings about priors that are confounded with the kept labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from unprior._warnings import ConfoundingWarning, caller_level
from unprior.priors import Keep, Prior
from unprior.scores._confounding import Confounding, confounding_of

#: Designs in which the prior is constant within every kept class: estimators warn about these.
CONSTANT_WITHIN = ("same", "second in first")


def warn_of_confounding(
    who: str, priors: Mapping[str, Prior], keep: Keep | None
) -> dict[str, Confounding]:
    """Return the confounding of kept labels with each prior; warn if it is strong."""
    confoundings = confounding_with(priors, keep)
    for each in confoundings.values():
        if each.is_strong and each.design not in CONSTANT_WITHIN:
            message = f"{who}: {each.sentence()} {_advice(each)}"
            warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())
    return confoundings


def confounding_with(priors: Mapping[str, Prior], keep: Keep | None) -> dict[str, Confounding]:
    """Return the confounding of kept labels with each prior; empty without kept labels."""
    if keep is None:
        return {}
    return {
        name: confounding_of((name, prior), (keep.name, keep)) for name, prior in priors.items()
    }


def _advice(confounding: Confounding) -> str:
    prior, keep = map(repr, confounding.names)
    return (
        f"What they share stays on the map: only what differs in {prior} within classes of {keep} "
        "is removed. If that is too little, give coarser labels as 'keep'; scores.confounding "
        "shows which combinations of classes are missing."
    )
