"""The perplexity a user asked for, or the paper's share of n, held within what n samples allow."""

from __future__ import annotations

import warnings
from typing import Literal

from unprior._warnings import UnpriorWarning, caller_level

#: The least neighbourhood "auto" asks for, whatever the share of n.
LEAST = 2.0


def resolve_perplexity(
    who: str, name: str, perplexity: float | Literal["auto"], n_samples: int, share: float
) -> float:
    """Return a perplexity that n samples can have.

    "auto" is the given share of n. More than a third of the other samples is cut to that, with a
    warning, since a neighbourhood of everyone tells nothing.

    Examples
    --------
    >>> resolve_perplexity("JEDI", "perplexity", "auto", 1000, share=1 / 5)
    200.0
    """
    most = (n_samples - 1) / 3
    if perplexity == "auto":
        return min(max(LEAST, n_samples * share), max(1.0, most))
    if perplexity > most:
        most = max(1.0, most)
        warnings.warn(
            f"{who}: {name!r} of {perplexity:g} is too large for {n_samples} samples; "
            f"{most:.3g} is used instead.",
            UnpriorWarning,
            stacklevel=caller_level(),
        )
        return most
    return float(perplexity)
