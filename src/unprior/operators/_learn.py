"""Data and priors -> factored distances on demand, with estimated scales and strengths."""

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
from unprior.priors import Keep, Prior

SCALES = OneOf("max", "quantile")

#: ``scale="quantile"`` divides by this quantile of the distances.
HIGH = 0.99

#: Number of samples whose largest distance is the unit of operators that do not depend on scales.
UNIT_SAMPLES = 500

CONSTANT = "{}: a prior says nothing: all its distances are zero. Leave it out."

#: Strengths, an operator, and its inputs besides the data.
Learnt: TypeAlias = tuple[Floats, Operator, Sequence[PairwiseDistances]]


@dataclass(frozen=True)
class Inputs:
    """What an operator is estimated from, and the caller's name for messages."""

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

    Quantiles and "auto" are estimated from all pairs of up to 2000 samples, and from two million
    random pairs of more, the same ones every time.

    Parameters
    ----------
    data : SampleDistances
        The data, for example from `unprior.geometry.data_distances`.
    priors : dict of str to Prior
        The priors, by name; at least one.
    strength : float, list, dict by name, or "auto", default=1.0
        How strongly priors are factored out; see `unprior.factor_out`.
    operator : {"linear", "quantile", "balanced"}, default="linear"
        The kind of ⊖.
    scale : {"max", "quantile"}, default="max"
        The divisor of distances. For the quantile and the balanced operator it is only the unit of
        the result, and the largest distance is that among 500 samples, if there are more.
    n_neighbors : int, default=15
        Number of neighbours that the balanced operator balances.
    exact : bool, default=False
        Whether it compares all pairs, whatever their number.
    n_jobs : int, optional
        Number of threads, in joblib's sense. The result does not depend on it.
    verbose : int, default=0
        1 always shows progress bars.
    keep : Keep, optional
        Kept labels, within whose classes the balanced operator balances neighbours.
    who : str
        Name of the caller, for messages.

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
            f"{who}: 'keep' takes operator=\"balanced\", which balances neighbours within kept "
            f"classes; got operator={operator!r}."
        )
        raise ValueError(message)
    sample = PairSample([data, *priors.values()])
    n_neighbors = min(n_neighbors, data.n_samples - 1)
    inputs = Inputs(
        who, sample, [*priors], strength, scale, n_neighbors, exact, n_jobs, verbose, keep
    )
    strengths, apply, sources = LEARNERS[operator](inputs)
    by_name = dict(zip(priors, strengths.tolist(), strict=True))
    return FactoredDistances(data, priors, by_name, apply, sources)


def _learn_linear(inputs: Inputs) -> Learnt:
    given = (
        None
        if _is_auto(inputs.strength)
        else read_strengths(inputs.who, inputs.strength, inputs.names, Number(0))
    )
    scales = _scales(inputs)
    strengths = _uncorrelated(inputs.sample, scales) if given is None else given
    return strengths, Linear(scales[0], scales[1:], strengths), inputs.sample.sources[1:]


def _learn_quantile(inputs: Inputs) -> Learnt:
    strengths = _read_shares(inputs, "quantile")
    if (strengths != strengths[0]).any():
        message = (
            f"{inputs.who}: 'strength' takes one number for all priors with "
            f'operator="quantile", which factors them out together; got {strengths.tolist()}.'
        )
        raise ValueError(message)
    data_scale = _data_unit(inputs)
    data, *prior = inputs.sample.distances
    operator = learn_quantile(data, prior, data_scale=data_scale, strength=strengths[0])
    return strengths, operator, inputs.sample.sources[1:]


def _learn_balanced(inputs: Inputs) -> Learnt:
    strengths = _read_shares(inputs, "balanced")
    scale = _data_unit(inputs)
    data, *priors = inputs.sample.sources
    if not strengths.any():  # unchanged data
        return strengths, Linear(scale, np.ones(len(priors)), strengths), priors
    operator = learn_balanced(
        data,
        [strata_of(prior, inputs.keep) for prior in priors],
        scale=scale,
        strengths=strengths.tolist(),
        k=inputs.n_neighbors,
        exact=inputs.exact,
        n_jobs=inputs.n_jobs,
        verbose=inputs.verbose,
    )
    return strengths, operator, operator.potentials


LEARNERS = {"linear": _learn_linear, "quantile": _learn_quantile, "balanced": _learn_balanced}
OPERATORS = OneOf(*LEARNERS)


def _read_shares(inputs: Inputs, operator: str) -> Floats:
    """Return the strengths of an operator that removes all of a prior at 1, one for each prior."""
    share = Kind(
        f'a number in [0, 1] with operator="{operator}" (a λ above 1 needs operator="linear")',
        Number(0, 1).accepts,
    )
    given = 1.0 if _is_auto(inputs.strength) else inputs.strength
    return read_strengths(inputs.who, given, inputs.names, share)


def _is_auto(strength: Any) -> bool:
    return isinstance(strength, str) and strength == "auto"


def _data_unit(inputs: Inputs) -> float:
    """Return the divisor of the data, for an operator that does not divide priors.

    It does not change which samples are neighbours. So the largest distance among a few samples
    suffices; the largest of all pairs would take as long as a search.
    """
    data, *priors = inputs.sample.sources
    samples = draw_landmarks(data.n_samples, UNIT_SAMPLES)
    unit = float(data.block(samples, samples).max()) if inputs.scale == "max" else 0.0
    unit = unit or float(_scales(replace(inputs, sample=PairSample([data])))[0])
    if any(map(_is_zero, priors)):
        raise ValueError(CONSTANT.format(inputs.who))
    return unit


def _is_zero(prior: SampleDistances) -> bool:
    """Whether all distances are zero: first those of one sample, since all take a long time."""
    samples = np.arange(prior.n_samples)
    return not prior.pairs(np.zeros_like(samples), samples).any() and not prior.largest()


def _scales(inputs: Inputs) -> Floats:
    """Return the divisors: that of the data first, then one for each prior."""
    who, sample = inputs.who, inputs.sample
    scales = sample.largest() if inputs.scale == "max" else sample.quantile(HIGH)
    if not scales.all():
        # The quantile is zero if enough pairs have distance zero.
        scales = np.where(scales > 0, scales, sample.largest())
    if not scales[0]:
        message = f"{who}: all data distances are zero; there is nothing to factor out of."
        raise ValueError(message)
    if not scales.all():
        raise ValueError(CONSTANT.format(who))
    return scales


def _uncorrelated(sample: PairSample, scales: Floats) -> Floats:
    data, *priors = sample.distances
    scaled = [scaled_prior(d, s) for d, s in zip(priors, scales[1:], strict=True)]
    return uncorrelated_strengths(data / scales[0], scaled)


def uncorrelated_strengths(data: Floats, priors: Sequence[Floats]) -> Floats:
    """Return the strengths λ at which linear ⊖ leaves data uncorrelated with the priors.

    ``data`` and ``priors`` are scaled distances of the same pairs. For one prior, λ is
    2 cov(D^X, D^Z) / var(D^Z), or 0 where that is negative; for several, the non-negative
    least-squares solution, since a negative λ would add a prior instead of factoring it out.
    """
    regressors = np.column_stack([(distances - distances.mean()) / 2 for distances in priors])
    # The small triangular system has the same solution as the system with a row for every pair.
    q, r = np.linalg.qr(regressors)
    return nnls(r, q.T @ (data - data.mean()))[0]
