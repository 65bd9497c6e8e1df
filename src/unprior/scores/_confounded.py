"""Priors and kept labels that go together -> a warning that says what stays, and what to do."""

from __future__ import annotations

import warnings
from collections.abc import Mapping

from unprior._warnings import ConfoundingWarning, caller_level
from unprior.priors import Prior
from unprior.priors._keep import Keep
from unprior.scores._confounding import Confounding, confounding_of

#: Designs in which every kept class lies in one class of the prior.
NOTHING_WITHIN = ("same", "second in first")


def warn_of_confounding(
    who: str, priors: Mapping[str, Prior], keep: Keep | None
) -> dict[str, Confounding]:
    """Return how far kept labels and each prior go together; warn of those that do so strongly."""
    found = confounding_with(priors, keep)
    for together in found.values():
        if together.design in NOTHING_WITHIN or together.is_strong:
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
    if together.design in NOTHING_WITHIN:
        return (
            f"Within classes of {keep} the prior {prior} does not differ, so that nothing of it is "
            "removed; leave 'keep' out, or give coarser labels."
        )
    return (
        f"What they share stays on the map: only what {prior} shows within classes of {keep} is "
        "removed. If that is too little, give coarser labels as 'keep'; scores.confounding shows "
        "which classes lack which."
    )
