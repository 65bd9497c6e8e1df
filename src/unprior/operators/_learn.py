"""Data and priors -> factored distances on demand: scales, strengths and an operator are learnt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from scipy.optimize import nnls

from unprior._params import Kind, Number, OneOf, check_value
from unprior._strengths import read_strengths
from unprior._typing import Floats, PairwiseDistances
from unprior.geometry import SampleDistances, draw_landmarks
from unprior.operators._balanced import learn_balanced
from unprior.operators._factored import FactoredDistances, Operator
from unprior.operators._linear import Linear, scaled_prior
from unprior.operators._quantile import learn_quantile
from unprior.operators._sampled_pairs import PairSample
from unprior.operators._strata import strata_of
from unprior.priors import Prior
from unprior.priors._keep import Keep

SCALES = OneOf("max", "quantile")

#: ``scale="quantile"`` divides by the distance that this share of the pairs does not exceed.
HIGH = 0.99

#: Samples whose largest distance is the unit of operators that do not look at scales.
UNIT_SAMPLES = 500

SAYS_NOTHING = "{}: a prior says nothing: all its distances are zero. Leave it out."

#: Strengths, an operator, and what it looks at beside the data.
Learnt: TypeAlias = tuple[Floats, Operator, Sequence[PairwiseDistances]]


@dataclass(frozen=True)
class Asked:
    """What an operator is learnt from, and as whom the learner speaks."""

    who: str
    sample: PairSample
    names: list[str]
    strength: Any
    scale: str
    n_neighbors: int
    exact: bool
    n_jobs: int | None
    verbose: int
    keep: Keep | None = None


def factor_on_demand(
    data: SampleDistances,
    priors: Mapping[str, Prior],
    strength: Any = 1.0,
    *,
    operator: str = "linear",
    scale: str = "max",
    n_neighbors: int = 15,
    exact: bool = False,
    n_jobs: int | None = None,
    verbose: int = 0,
    keep: Keep | None = None,
    who: str = "factor_on_demand",
) -> FactoredDistances:
    """Factor priors out of data without an n × n array.

    Quantiles and "auto" are learnt from all pairs of up to 2000 samples, and from two million drawn
    pairs of more. The draw is the same every time: the result depends on the arguments alone.

    Parameters
    ----------
    data : Prior
        The data as distances, for example from `unprior.geometry.data_distances`.
    priors : dict of str to Prior
        What is known, by name; at least one.
    strength : float, list, dict by name, or "auto", default=1.0
        How strongly; this and the rest as in `unprior.factor_out`.
    operator : {"linear", "quantile", "balanced"}, default="linear"
        The kind of ⊖.
    scale : {"max", "quantile"}, default="max"
        What distances are divided by. To the quantile and the balanced operator it is no more than
        the unit of the result; the largest distance is then that among 500 samples, if there are
        more.
    n_neighbors : int, default=15
        Neighbours of each sample that the balanced operator gives the prior of all.
    exact : bool, default=False
        Whether it looks at all pairs, however many they are.
    n_jobs : int, optional
        Threads, in joblib's meaning. The result does not depend on it.
    verbose : int, default=0
        1 shows progress bars at once.
    keep : Keep, optional
        Kept labels, within whose classes the balanced operator shares neighbours out.
    who : str
        The caller's name, for messages.

    Returns
    -------
    factored : FactoredDistances

    Examples
    --------
    >>> from unprior import priors
    >>> place, side = priors.features([0.0, 1.0, 2.0, 4.0]), priors.labels(["l", "l", "r", "r"])
    >>> factored = factor_on_demand(place, {"side": side})
    >>> factored.pairs([0, 0], [1, 2])
    array([1.25, 1.  ])
    """
    check_value(who, "operator", operator, OPERATORS)
    check_value(who, "scale", scale, SCALES)
    if keep is not None and operator != "balanced":
        message = (
            f"{who}: 'keep' takes operator=\"balanced\", which shares neighbours out within kept "
            f"classes; got operator={operator!r}."
        )
        raise ValueError(message)
    sample = PairSample([data, *priors.values()])
    n_neighbors = min(n_neighbors, data.n_samples - 1)
    asked = Asked(
        who, sample, [*priors], strength, scale, n_neighbors, exact, n_jobs, verbose, keep
    )
    strengths, apply, known = LEARNERS[operator](asked)
    by_name = dict(zip(priors, strengths.tolist(), strict=True))
    return FactoredDistances(data, priors, by_name, apply, known)


def _learn_linear(asked: Asked) -> Learnt:
    given = (
        None
        if _is_auto(asked.strength)
        else read_strengths(asked.who, asked.strength, asked.names, Number(0))
    )
    scales = _scales(asked)
    strengths = _uncorrelated(asked.sample, scales) if given is None else given
    return strengths, Linear(scales[0], scales[1:], strengths), asked.sample.sources[1:]


def _learn_quantile(asked: Asked) -> Learnt:
    strengths = _read_shares(asked, "quantile")
    if (strengths != strengths[0]).any():
        message = (
            f"{asked.who}: 'strength' takes one number for all priors with "
            f'operator="quantile", which looks at them together; got {strengths.tolist()}.'
        )
        raise ValueError(message)
    data_scale = _data_unit(asked)
    data, *known = asked.sample.distances
    operator = learn_quantile(data, known, data_scale=data_scale, strength=strengths[0])
    return strengths, operator, asked.sample.sources[1:]


def _learn_balanced(asked: Asked) -> Learnt:
    strengths = _read_shares(asked, "balanced")
    scale = _data_unit(asked)
    data, *priors = asked.sample.sources
    if not strengths.any():  # the data as they are
        return strengths, Linear(scale, np.ones(len(priors)), strengths), priors
    operator = learn_balanced(
        data,
        [strata_of(prior, asked.keep) for prior in priors],
        scale=scale,
        strengths=strengths.tolist(),
        k=asked.n_neighbors,
        exact=asked.exact,
        n_jobs=asked.n_jobs,
        verbose=asked.verbose,
    )
    return strengths, operator, operator.potentials


LEARNERS = {"linear": _learn_linear, "quantile": _learn_quantile, "balanced": _learn_balanced}
OPERATORS = OneOf(*LEARNERS)


def _read_shares(asked: Asked, operator: str) -> Floats:
    """Return the strengths of an operator that goes all the way at 1, one for each prior."""
    share = Kind(
        f'a number in [0, 1] with operator="{operator}" (a λ above 1 asks for operator="linear")',
        Number(0, 1).accepts,
    )
    given = 1.0 if _is_auto(asked.strength) else asked.strength
    return read_strengths(asked.who, given, asked.names, share)


def _is_auto(strength: Any) -> bool:
    return isinstance(strength, str) and strength == "auto"


def _data_unit(asked: Asked) -> float:
    """Return what to divide the data by, for an operator that does not divide priors.

    It makes no difference to who is near whom. So the largest distance among some samples does,
    where that of all pairs would take as long as a search.
    """
    data, *priors = asked.sample.sources
    some = draw_landmarks(data.n_samples, UNIT_SAMPLES)
    unit = float(data.block(some, some).max()) if asked.scale == "max" else 0.0
    unit = unit or float(_scales(replace(asked, sample=PairSample([data])))[0])
    if any(map(_is_zero, priors)):
        raise ValueError(SAYS_NOTHING.format(asked.who))
    return unit


def _is_zero(prior: SampleDistances) -> bool:
    """Whether all distances are zero; one sample's tell, unless these are no proper distances."""
    everyone = np.arange(prior.n_samples)
    return not prior.pairs(np.zeros_like(everyone), everyone).any() and not prior.largest()


def _scales(asked: Asked) -> Floats:
    """Return what to divide by: for the data first, then for each prior."""
    who, sample = asked.who, asked.sample
    scales = sample.largest() if asked.scale == "max" else sample.quantile(HIGH)
    if not scales.all():
        # So many pairs at distance zero that the quantile is zero too.
        scales = np.where(scales > 0, scales, sample.largest())
    if not scales[0]:
        message = f"{who}: all data distances are zero; there is nothing to factor out of."
        raise ValueError(message)
    if not scales.all():
        raise ValueError(SAYS_NOTHING.format(who))
    return scales


def _uncorrelated(sample: PairSample, scales: Floats) -> Floats:
    data, *known = sample.distances
    scaled = [scaled_prior(d, s) for d, s in zip(known, scales[1:], strict=True)]
    return uncorrelated_strengths(data / scales[0], scaled)


def uncorrelated_strengths(data: Floats, known: Sequence[Floats]) -> Floats:
    """Return the strengths λ at which linear ⊖ leaves data uncorrelated with what is known.

    ``data`` and ``known`` are scaled distances of the same pairs. For one prior, λ is
    2 cov(D^X, D^Z) / var(D^Z), or 0 where that is negative; for several, the non-negative
    least-squares solution, since a negative λ would add a prior instead of factoring it out.
    """
    regressors = np.column_stack([(distances - distances.mean()) / 2 for distances in known])
    # The small triangular system has the same solution as the one with a row for every pair.
    q, r = np.linalg.qr(regressors)
    return nnls(r, q.T @ (data - data.mean()))[0]
