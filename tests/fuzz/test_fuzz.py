"""Every public entry with inputs of every kind: a finite result, or an error that says what to do.

A few cases, the same ones every time, run with all other tests. ``make fuzz`` runs thousands of
new ones and prints how to repeat those that fail.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unprior as up
from fuzz.cases import fuzzed
from fuzz.fits import ESTIMATORS, METRICS, SHARE, count, fits
from fuzz.inputs import data, known
from fuzz.judge import check_finite, judge
from unprior import scores


@pytest.mark.parametrize("who", ESTIMATORS)
def test_estimators(who):
    @fuzzed(4 if who == "Confetti" else 12)
    @given(fits(who))
    def run(case):
        options, X, prior = case
        estimator = getattr(up, who)(**options)
        found = judge(who, lambda: estimator.fit_transform(X, prior=prior), X, prior)
        if found is None:
            return
        if who == "ConfettiNeighbors":
            check_finite(who, found.data, found.data.shape)
        elif who == "Residual":
            check_finite(who, found, np.shape(X))
            again = judge(who, lambda: estimator.transform(X, prior=prior), X, prior)
            if again is not None:
                check_finite(who, again, np.shape(X))
        else:
            check_finite(who, found, (count(X), options.get("n_components", 2)))

    run()


@fuzzed(8)
@given(st.data())
def test_embed(draw):
    metric = draw.draw(st.sampled_from(METRICS))
    X = draw.draw(data(squares=metric == "precomputed"))
    prior = draw.draw(known(count(X)))
    method = draw.draw(st.sampled_from(["jedi", "tsne", "residual", "auto"]))
    asked = {"strength": draw.draw(SHARE), "method": method, "metric": metric, "random_state": 0}
    asked = {name: value for name, value in asked.items() if value is not None}
    found = judge("embed", lambda: up.embed(X, prior=prior, **asked, return_report=True), X, prior)
    if found is not None:
        check_finite("embed", found[0], (count(X), 2))
        assert str(found[1])


SCORES = {
    "report": lambda Y, X, prior, k: scores.report(Y, X=X, prior=prior, k=k),
    "compare": lambda Y, X, prior, k: scores.compare({"a": Y, "b": Y}, X=X, prior=prior, k=k),
    "neighbor_purity": lambda Y, X, prior, k: scores.neighbor_purity(Y, prior, k=k),
    "class_purity": lambda Y, X, prior, k: scores.class_purity(Y, prior, k=k),
    "neighbor_coherence": lambda Y, X, prior, k: scores.neighbor_coherence(Y, prior, k=k),
    "overlap_curve": lambda Y, X, prior, k: scores.overlap_curve(Y, X),
    "overlap_area": lambda Y, X, prior, k: scores.overlap_area(Y, X, n_rows=k, random_state=0),
    "trustworthiness": lambda Y, X, prior, k: scores.trustworthiness(Y, X, k=k),
    "unevenness": lambda Y, X, prior, k: scores.unevenness(Y),
    "kept_within": lambda Y, X, prior, k: scores.kept_within(Y, X, prior, k=k),
    "rest_kept": lambda Y, X, prior, k: scores.rest_kept(Y, X, prior, k=k),
    "left_within": lambda Y, X, prior, k: scores.left_within(Y, prior, _halves(Y), k=k),
    "confounding": lambda Y, X, prior, k: scores.confounding(prior, _halves(Y)),
}


def _halves(Y):
    return np.where(np.arange(count(Y)) % 2, "a", "b")


@pytest.mark.parametrize("who", SCORES)
def test_scores(who):
    @fuzzed(8)
    @given(st.data())
    def run(draw):
        X = draw.draw(data())
        Y, prior = draw.draw(data(n=count(X))), draw.draw(known(count(X)))
        k = draw.draw(st.sampled_from([1, 2, 5, 15, 0]))
        judge(who, lambda: repr(SCORES[who](Y, X, prior, k)), Y, X, prior)

    run()


@fuzzed(20)
@given(st.data())
def test_factor_out(draw):
    D = draw.draw(data(squares=True))
    prior = draw.draw(known(count(D)))
    operator = draw.draw(st.sampled_from(["linear", "quantile", "balanced"]))
    strength = draw.draw(st.sampled_from([0, 0.5, 1.0, 3.0, "auto", -1]))
    found = judge(
        "factor_out", lambda: up.factor_out(D, prior, strength, operator=operator), D, prior
    )
    if found is not None:
        check_finite("factor_out", found, (count(D), count(D)))


@fuzzed(20)
@given(st.data())
def test_priors(draw):
    n = draw.draw(st.integers(0, 20))
    prior = draw.draw(known(n))
    found = judge("as_prior", lambda: up.priors.as_prior(prior), prior)
    judge("parts_of", lambda: up.priors.parts_of(prior, n, who="parts_of"), prior)
    if found is not None and found.n_samples:
        D = judge(found.kind, found.to_array)
        if D is not None:
            check_finite(found.kind, D, (found.n_samples, found.n_samples))
            assert (D.diagonal() == 0).all()
            assert (D >= 0).all()


@fuzzed(6)
@given(st.data())
def test_tune(draw):
    X = draw.draw(data())
    prior = draw.draw(known(count(X)))
    strengths = draw.draw(st.sampled_from([[0, 1], [0.5], [], [2], [-1], 3]))
    judge(
        "tune",
        lambda: repr(up.tune(up.Residual(), X, prior=prior, strengths=strengths, k=2)),
        X,
        prior,
    )
