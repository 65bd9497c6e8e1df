"""`unprior.embed`: data and prior -> map and report, without choosing a method."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from sklearn import config_context
from sklearn.pipeline import Pipeline

from unprior._embed_report import prior_step, report_on
from unprior._frames import is_square, split_frame
from unprior._params import Number, OneOf, check_value
from unprior._typing import Floats, Metric
from unprior._warnings import DataWarning, PriorMissingWarning
from unprior.estimators import JEDI, Confetti, IndependentTSNE, Residual
from unprior.estimators._base import keep_for, read_inputs
from unprior.estimators._checkpoints import kept_seed
from unprior.estimators._new_samples import PlacingEstimator, adopt_columns
from unprior.estimators._options import (
    CHECKPOINT,
    COMPONENTS,
    N_JOBS,
    RANDOM_STATE,
    STRENGTHS,
    VERBOSE,
)
from unprior.geometry import as_counted
from unprior.priors import Keep, Prior
from unprior.residual import WITH_RESIDUAL
from unprior.scores._confounded import confounding_with, warn_of_confounding

METHODS = ("auto", "independent", "tsne", "jedi", "confetti", "residual")

#: Perplexity of all maps, and its largest fraction of the other samples.
PERPLEXITY, MOST_NEIGHBORS = 30.0, 1 / 3


def embed(
    X: Any,
    *,
    prior: Any,
    keep: Any = None,
    strength: Any = 1.0,
    method: str = "auto",
    metric: Metric = "euclidean",
    n_components: int = 2,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    checkpoint: Any = None,
    return_report: bool = False,
) -> Any:
    """Draw a map with a prior factored out.

    This is `unprior.IndependentTSNE` as a function: t-SNE whose map neighbours are no more similar
    in the prior than random samples. The report scores the map that is returned.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, or distances if ``metric="precomputed"``. Also a DataFrame of pandas or polars, a
        table or tensor of another package, or a column of vectors, such as ``df["embedding"]``.
        Columns of ids are dropped, with a `DataWarning`.
    prior : Prior, array-like, or several of them in a list or dict
        Prior knowledge; see `unprior.priors.as_prior`. If ``X`` is a DataFrame, also names of its
        columns, which are then removed from the data: "batch", ["batch", "age"], or with the kind
        of prior as on the command line, "hour:cyclic=24". Rows are matched by the index, if both
        have one.
    keep : array-like of shape (n_samples,), or several of them in a list or dict, optional
        Labels to protect, such as cell types that some batches lack: the map is made independent of
        the prior within their classes. Also names of columns, as for ``prior``. Missing labels
        (None, NaN) are allowed.
    strength : float, list or dict, default=1.0
        How much of the prior is removed: 0 leaves it in, 1 removes it, 0.5 leaves half of what a
        plain map shows. With several priors, one number for all or one for each.
    method : {"auto", "independent", "tsne", "jedi", "confetti", "residual"}, default="auto"
        "auto" is "independent", which is `unprior.IndependentTSNE`. The others are for comparison:
        plain t-SNE, JEDI at perplexity 30, CONFETTI with t-SNE, and plain t-SNE of the aligned
        residual, with ``strength`` the fraction of the predicted part that is subtracted.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``. With "cosine", rows are scaled to length 1, so that
        Euclidean distances have the same neighbours. Metrics other than "euclidean", "l2", "cosine"
        and "precomputed" have no residual.
    n_components : int, default=2
        Dimensions of the map.
    n_jobs : int, optional
        Number of threads: None is one, -1 all. The result does not depend on it.
    random_state : int or RandomState, optional
        Seed: the same seed gives the same map.
    verbose : int, default=0
        0 shows progress in a terminal or notebook, 1 always.
    checkpoint : path-like, optional
        Folder in which the state of the descent is saved while it runs. A call that was stopped or
        killed resumes from it, to the same map. It belongs to one map: other data, priors, options
        or versions are refused. Not with ``method="confetti"``.
    return_report : bool, default=False
        Return a report as well: how much of the prior is left, how much of the data is kept, all
        settings, and an estimator that draws the same map.

    Returns
    -------
    embedding : ndarray of shape (n_samples, n_components)
    report : EmbedReport
        With ``return_report=True``.

    See Also
    --------
    IndependentTSNE : The estimator behind it.
    unprior.scores.report : More scores of a map.

    Notes
    -----
    A `ConfoundingWarning` is given, before the map is drawn, if kept labels and a prior are
    strongly associated, or if groups of a prior differ in composition, also within kept classes
    that are associated with it: then the map is made independent of the prior within clusters that
    the groups share. A `ConstraintWarning` is given if more of a prior is left than requested. An
    `OverRemovalWarning` is given if the map keeps little of the data's neighbours even among
    samples that are similar in the prior, so more than the prior may be lost.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> Y, report = up.embed(data.X, prior=data.known, random_state=0, return_report=True)
    >>> Y.shape, abs(report.left["prior"]) < 0.05
    ((150, 2), True)
    >>> report.estimator
    IndependentTSNE(random_state=0)
    """
    check_value("embed", "method", method, OneOf(*METHODS))
    for name, takes, value in (
        ("strength", STRENGTHS, strength),
        ("n_components", COMPONENTS.takes, n_components),
        ("n_jobs", N_JOBS.takes, n_jobs),
        ("random_state", RANDOM_STATE.takes, random_state),
        ("verbose", VERBOSE.takes, verbose),
        ("checkpoint", CHECKPOINT.takes, checkpoint),
    ):
        check_value("embed", name, value, takes)
    reader = IndependentTSNE(metric=metric)  # reads data and priors for all methods
    X, named = split_frame("embed", X, square=is_square(metric), prior=prior, keep=keep)
    X, priors, kept = read_inputs(reader, X, **named, who="embed")
    confounding = warn_of_confounding("embed", priors, kept)
    as_counted("embed", X, metric)  # refuses rows of length 0
    shared: dict[str, Any] = {
        "metric": metric,
        "n_components": n_components,
        "n_jobs": n_jobs,
        "random_state": kept_seed(random_state, checkpoint),
        "verbose": verbose,
        "checkpoint": checkpoint,
    }
    fitted = _estimator(method, strength, perplexity_of(len(X)), shared)
    Y = _fit_transform(fitted, X, priors, kept)
    if not return_report:
        return Y
    if isinstance(fitted, PlacingEstimator):
        adopt_columns(fitted, reader)
    clusters = getattr(prior_step(fitted)[1], "_shared", None)
    if clusters is not None:
        kept, confounding = clusters, confounding_with(priors, clusters)
    return Y, report_on(method, fitted, Y, X, priors, metric, kept, confounding)


def perplexity_of(n_samples: int) -> float:
    """Return the perplexity: the usual one, or a third of the other samples if there are few."""
    return min(PERPLEXITY, max(1.0, MOST_NEIGHBORS * (n_samples - 1)))


def _estimator(method: str, strength: Any, perplexity: float, shared: Mapping[str, Any]) -> Any:
    """Return the estimator of a method; ``shared`` are the options that all take."""
    if method == "jedi":
        return JEDI(strength=strength, perplexity=perplexity, **shared)
    if method == "confetti":  # with its own perplexity
        return Confetti(strength=strength, embedder="tsne", **shared)
    if method != "residual":
        strength = 0.0 if method == "tsne" else strength
        return IndependentTSNE(strength=strength, perplexity=perplexity, **shared)
    check_value("embed", "strength", strength, Number(0, 1))
    metric = shared["metric"]
    check_value("embed", "metric", metric, OneOf(*WITH_RESIDUAL))
    residual = Residual("aligned", strength=strength, metric=metric)
    if metric == "cosine":  # residuals of directions do not have length 1
        shared = {**shared, "metric": "euclidean"}
    plain = _estimator("tsne", 0.0, perplexity, shared)
    return Pipeline([("residual", residual), ("tsne", plain)])


def _fit_transform(
    estimator: Any, X: Floats, priors: Mapping[str, Prior], keep: Keep | None
) -> Floats:
    """Draw the map, as an array whatever output scikit-learn is configured for."""
    step, taker = prior_step(estimator)
    inputs = {"prior": priors, **keep_for(taker, keep, who="embed")} if priors else {}
    given = {f"{step}__{name}" if step else name: value for name, value in inputs.items()}
    plain = config_context(enable_metadata_routing=False, transform_output="default")
    with warnings.catch_warnings(), plain:
        warnings.filterwarnings("ignore", category=DataWarning)  # given already
        if not priors:  # this too
            warnings.filterwarnings("ignore", category=PriorMissingWarning)
        return estimator.fit_transform(X, **given)
