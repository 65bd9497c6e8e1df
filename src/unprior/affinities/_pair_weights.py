"""Labels and one weight -> a weight for every pair, by whether its labels are the same."""

from __future__ import annotations

from dataclasses import dataclass

from unprior.priors import Labels


@dataclass(frozen=True)
class PairWeights:
    """Weights of pairs with the same label and of pairs with different ones, 1 on average.

    Both rivals that condition t-SNE on labels weigh pairs like this: ct-SNE in the map (A same, B
    other), revised ct-SNE in the data (α same, β other). One weight gives the other.

    Examples
    --------
    >>> from unprior import priors
    >>> PairWeights.from_other(priors.labels(["a", "a", "b", "b"]), 0.5)
    PairWeights(same=2.0, other=0.5)
    """

    same: float
    other: float

    @classmethod
    def from_other(cls, labels: Labels, other: float) -> PairWeights:
        """Weigh pairs with different labels as told."""
        share = same_label_share(labels)
        return cls((1 - other * (1 - share)) / share, float(other))

    @classmethod
    def from_same(cls, labels: Labels, same: float) -> PairWeights:
        """Weigh pairs with the same label as told."""
        share = same_label_share(labels)
        return cls(float(same), (1 - same * share) / (1 - share))


def same_label_share(labels: Labels) -> float:
    """Share of all pairs that have the same label (ρ)."""
    n = labels.n_samples
    return float((labels.counts * (labels.counts - 1)).sum() / (n * (n - 1)))
