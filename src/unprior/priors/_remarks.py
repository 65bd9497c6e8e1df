"""A prior -> what in it would make a map mislead, one sentence each."""

from __future__ import annotations

from collections.abc import Iterator

from unprior._remarks import Advice, remark_on_classes, remarks_on_codes
from unprior.priors._base import Prior
from unprior.priors._features import Features
from unprior.priors._labels import Labels


def remarks_on_prior(prior: Prior, advice: Advice | None = None) -> Iterator[str]:
    """Yield that classes leave little to factor out, or that a number may stand for a gap.

    Examples
    --------
    >>> from unprior import priors
    >>> print(*remarks_on_prior(priors.labels(["a"] * 99 + ["b"])))
    one class, 'a', has 99 % of the samples: there is little to factor out.
    """
    if isinstance(prior, Labels):
        counts = prior.counts
        remark = remark_on_classes(counts, prior.classes.tolist()[int(counts.argmax())])
        if remark:
            yield remark
    elif type(prior) is Features:
        for remark in remarks_on_codes(prior.values, None, advice):
            single = prior.values.shape[1] == 1
            yield remark.replace("column 0", "the value", 1) if single else remark
