"""Prior -> affinities: what is known, said in the terms of the map."""

from __future__ import annotations

import numpy as np

from unprior.affinities._affinities import Affinities
from unprior.affinities._entropic import dense_affinities
from unprior.priors import Labels, Prior


def prior_affinities(prior: Prior, perplexity: float) -> Affinities:
    """Affinities of a prior: uniform within classes for labels, of a perplexity otherwise."""
    if isinstance(prior, Labels):
        return label_affinities(prior)
    return dense_affinities(prior, perplexity)


def label_affinities(labels: Labels) -> Affinities:
    """Affinities of labels: every other sample of the class alike, and no one else.

    Labels have no scale, so no perplexity applies: this is the limit of a narrow kernel, whatever
    the sizes of the classes. A sample alone in its class knows no neighbour; its row is empty.
    """
    conditional = (labels.codes[:, None] == labels.codes).astype(np.float64)
    np.fill_diagonal(conditional, 0)
    mates = conditional.sum(axis=1, keepdims=True)
    conditional /= np.maximum(mates, 1)
    return Affinities.from_conditional(conditional)
