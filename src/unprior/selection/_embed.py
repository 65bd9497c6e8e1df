"""Data and prior -> map, for people who do not want to choose a method."""

from __future__ import annotations

from typing import Any

from unprior._params import OneOf, check_value
from unprior._typing import Metric
from unprior.estimators import JEDI
from unprior.estimators._base import read_data, read_priors
from unprior.estimators._options import COMPONENTS, N_JOBS, RANDOM_STATE, VERBOSE
from unprior.scores._rows import draw_seed
from unprior.selection._choice import Choice
from unprior.selection._choose import Tried, choose
from unprior.selection._composition import Composition, Setting

METHODS = {
    "tsne": Composition(),
    "jedi": Composition(strength=1.0),
    "confetti": Composition(contrast=1.0),
    "residual": Composition("aligned", 1.0),
}


def embed(
    X: Any,
    *,
    prior: Any,
    method: str = "auto",
    metric: Metric = "euclidean",
    n_components: int = 2,
    n_jobs: int | None = None,
    random_state: Any = None,
    verbose: int = 0,
    return_report: bool = False,
) -> Any:
    """Draw a map with a prior factored out, by the method that suits the data.

    Up to 1000 samples are tried. Where a plain map shows nothing of the prior, that is it.
    Otherwise the prior's means and spreads are taken out of the data, and JEDI draws near each
    other who is near in what remains or in the data as they are, at a strength that rises or falls
    while the map is drawn until nothing of the prior is to be seen. If that map shows half of what
    the prior does not explain, the choice is between it, the same without the first step, and the
    plain map, and mostly falls on it. If it shows less, prior and structure are entangled and
    removing one erases the other; then gentler ways compete, and what a map keeps of the data's
    neighbourhoods counts more than the prior left. An `OverRemovalWarning` says so if the best of
    them still shows next to nothing of the rest and a plain map does, or if there is no rest.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features) or (n_samples, n_samples)
        Features, or distances if ``metric="precomputed"``.
    prior : Prior, array-like, or several of them in a list or dict
        What is known; see `unprior.priors.as_prior`.
    method : {"auto", "tsne", "jedi", "confetti", "residual"}, default="auto"
        "auto" chooses; the others draw plain t-SNE, JEDI, CONFETTI with t-SNE, or JEDI of an
        aligned residual, at perplexity 30 and strength 1.
    metric : str or callable, default="euclidean"
        Distance between rows of ``X``; with others than "euclidean" and "precomputed", and with
        distances of more than 3000 samples, no residual is tried.
    n_components : int, default=2
        Dimensions of the map.
    n_jobs : int, optional
        Threads: None is one, -1 all. The result does not depend on it.
    random_state : int or RandomState, optional
        Seed: the same seed gives the same choice and the same map.
    verbose : int, default=0
        0 shows progress where a person is watching, 1 always.
    return_report : bool, default=False
        Return the choice as well: what was chosen, what else was tried, and why.

    Returns
    -------
    embedding : ndarray of shape (n_samples, n_components)
    choice : Choice
        With ``return_report=True``; prints as a few sentences.

    See Also
    --------
    unprior.scores.report : How much of the prior is gone, and how much of the rest is kept.

    Examples
    --------
    >>> import unprior as up
    >>> data = up.datasets.make_two_factor(150, random_state=0)
    >>> Y, choice = up.embed(data.X, prior=data.known, random_state=0, return_report=True)
    >>> Y.shape, choice.chosen.residual
    ((150, 2), 'aligned')
    """
    check_value("embed", "method", method, OneOf("auto", *METHODS))
    for name, option, value in (
        ("n_components", COMPONENTS, n_components),
        ("n_jobs", N_JOBS, n_jobs),
        ("random_state", RANDOM_STATE, random_state),
        ("verbose", VERBOSE, verbose),
    ):
        check_value("embed", name, value, option.takes)
    reader = JEDI(metric=metric)
    X = read_data(reader, X, who="embed")
    priors = read_priors(reader, prior, len(X), who="embed")
    setting = Setting(metric, n_components, n_jobs, draw_seed(random_state), verbose)
    if method == "auto" and priors:
        tried = choose(X, priors, setting)
    else:
        chosen, reason = METHODS["tsne"], "There is no prior to factor out."
        if priors:
            chosen, reason = METHODS[method], "It was asked for."
        tried = Tried(Choice(chosen, (), 0, reason), None)
    Y = tried.choice.chosen.draw(X, priors, setting) if tried.Y is None else tried.Y
    return (Y, tried.choice) if return_report else Y
