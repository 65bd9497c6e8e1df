"""Warn of priors and kept labels that go together: what stays on the map, and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from unprior._warnings import ConfoundingWarning, caller_level
from unprior.priors import Prior
from unprior.priors._keep import Keep
from unprior.scores._confounding import Confounding, confounding_of

#: Designs in which every kept class lies in one class of the prior: estimators warn of these.
NOTHING_WITHIN = ("same", "second in first")


def warn_of_confounding(
    who: str, priors: Mapping[str, Prior], keep: Keep | None
) -> dict[str, Confounding]:
    """Return how far kept labels and each prior go together; warn of those that do so strongly."""
    found = confounding_with(priors, keep)
    for together in found.values():
        if together.is_strong and together.design not in NOTHING_WITHIN:
            message = f"{who}: {together.sentence()} {_advice(together)}"
            warnings.warn(message, ConfoundingWarning, stacklevel=caller_level())
    return found


def confounding_with(priors: Mapping[str, Prior], keep: Keep | None) -> dict[str, Confounding]:
    """Return how far kept labels and each prior go together; nothing without kept labels."""
    if keep is None:
        return {}
    return {
        name: confounding_of((name, prior), (keep.name, keep)) for name, prior in priors.items()
    }


def _advice(together: Confounding) -> str:
    prior, keep = map(repr, together.names)
    return (
        f"What they share stays on the map: {prior} is removed only within classes of {keep}. If "
        "that is too little, give coarser labels as 'keep'; scores.confounding shows which classes "
        "lack which."
    )
