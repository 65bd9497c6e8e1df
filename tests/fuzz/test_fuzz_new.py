"""Kept labels, new samples, model files and AnnData with inputs of every kind."""

import tempfile
from functools import partial
from pathlib import Path

import anndata
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import unprior as up
from fuzz.cases import fuzzed
from fuzz.fits import COMPONENTS, STRENGTH, count
from fuzz.inputs import data, known
from fuzz.judge import check_finite, judge

pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")

#: Estimators that keep labels, or place new samples, with little to do.
QUICK = {
    "IndependentTSNE": {"n_iter": 3, "perplexity": 3, "random_state": 0},
    "JEDI": {"n_iter": 3, "random_state": 0},
    "Residual": {},
    "ConfettiNeighbors": {"n_neighbors": 3},
    "Confetti": {"n_neighbors": 3, "embedder_params": {"n_epochs": 3}, "random_state": 0},
}
KEEPERS = ("IndependentTSNE", "Residual", "ConfettiNeighbors", "Confetti", "embed")


@pytest.mark.parametrize("who", KEEPERS)
def test_keep(who):
    @fuzzed(8)
    @given(st.data())
    def run(draw):
        X = draw.draw(data())
        prior, keep = draw.draw(known(count(X))), draw.draw(known(count(X), labels_alone=True))
        if who == "embed":
            fit = partial(up.embed, method="residual", random_state=0)
        else:
            fit = getattr(up, who)(**QUICK[who]).fit_transform
        found = judge(who, lambda: fit(X, prior=prior, keep=keep), X, prior, keep)
        if found is not None and who in ("IndependentTSNE", "Confetti", "embed"):
            check_finite(who, found, (count(X), 2))

    run()


@pytest.fixture(scope="module")
def fitted():
    """One estimator of each kind, fitted to samples with classes a and b and an amount."""
    made = up.datasets.make_two_factor(40, random_state=0)
    prior = {"class": np.array(["a", "b"] * 20), "age": made.X[:, 0]}
    models = {}
    for who, options in QUICK.items():
        models[who] = getattr(up, who)(**options).fit(made.X, prior=prior)
    return made.X.shape[1], models


@st.composite
def new_samples(draw, n_features):
    """Rows like the fitted ones, of other types and layouts; classes seen or not."""
    n = draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    scale = draw(st.sampled_from([1.0, 1.0, 1e-30, 1e20, np.nan]))
    X = scale * rng.normal(size=(n, draw(st.sampled_from([n_features] * 5 + [1]))))
    dtype = draw(st.sampled_from(["f8", "f8", "f4", "f2", "O"]))
    with np.errstate(over="ignore"):
        X = np.asarray(X.astype(dtype), order=draw(st.sampled_from("CF")))
    if draw(st.booleans()):
        X = pd.DataFrame(X, index=rng.permutation(n))
    names = ["a", "b"] if draw(st.booleans()) else ["a", "never seen", None]
    told = {"class": rng.choice(np.array(names, dtype=object), n), "age": rng.normal(size=n)}
    return X, draw(st.sampled_from([told, told, told, None, {"class": told["class"]}]))


@pytest.mark.parametrize("who", QUICK)
def test_transform(who, fitted):
    @fuzzed(10)
    @given(st.data())
    def run(draw):
        n_features, models = fitted
        X, told = draw.draw(new_samples(n_features))
        unseen = draw.draw(st.sampled_from(["error", "mean", "fit"]))
        asked = {"prior": told, "unseen": unseen}
        found = judge(who, lambda: _dense(models[who].transform(X, **asked)), X, told)
        if found is None:
            return
        check_finite(who, found, (len(X), found.shape[1]))
        report = partial(up.scores.transform_report, models[who], X, prior=told, unseen=unseen)
        judge("transform_report", lambda: repr(report(k=2)), X, told)
        if unseen == "fit":  # a new class is learnt from all new samples
            return
        first = X[:1]
        asked["prior"] = None if told is None else {k: v[:1] for k, v in told.items()}
        alone = _dense(models[who].transform(first, **asked))
        np.testing.assert_array_equal(alone, found[:1], "a row is not by itself")

    run()


def _dense(result):
    return result.toarray() if hasattr(result, "toarray") else np.asarray(result)


@pytest.mark.parametrize("who", QUICK)
def test_models_come_back(who):
    @fuzzed(3)
    @given(st.data())
    def run(draw):
        X = draw.draw(data(n=12))
        prior = draw.draw(known(count(X)))
        estimator = getattr(up, who)(**QUICK[who])
        if judge(who, lambda: estimator.fit(X, prior=prior), X, prior) is None:
            return
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            if judge("save_model", lambda: up.save_model(estimator, path) or path) is None:
                return
            again = up.load_model(path)
        found = judge(who, lambda: _dense(estimator.transform(X, prior=prior)), X, prior)
        if found is not None:
            np.testing.assert_array_equal(_dense(again.transform(X, prior=prior)), found)

    run()


TOOLS = {
    "embed": lambda adata, prior, strength: up.tl.embed(adata, prior, strength=strength),
    "residual": lambda adata, prior, strength: up.tl.residual(adata, prior, strength=strength),
    "jedi": lambda adata, prior, strength: up.tl.jedi(adata, prior, strength=strength, n_iter=2),
    "confetti": lambda adata, prior, strength: up.tl.confetti(
        adata, prior, strength=strength, n_neighbors=3, embedder_params={"n_epochs": 2}
    ),
    "transform": lambda adata, prior, strength: up.tl.transform(
        adata, up.tl.embed(adata, prior, method="tsne", keep_model=True, copy=True), prior
    ),
    "transformer": lambda adata, prior, strength: _graph_by(up.tl.transformer(adata, prior), adata),
    "score": lambda adata, prior, strength: up.tl.score(adata, "side", prior=prior, k=3),
    "pl.embedding": lambda adata, prior, strength: up.pl.embedding(adata, "side", color=prior),
    "pl.compare": lambda adata, prior, strength: up.pl.compare(adata, ["side"], color=prior),
}


def _graph_by(transformer, adata):
    return transformer.fit_transform(adata.X)


@pytest.mark.parametrize("who", TOOLS)
def test_anndata(who):
    @fuzzed(5)
    @given(st.data())
    def run(draw):
        n = draw.draw(st.integers(4, 24))
        rng = np.random.default_rng(draw.draw(st.integers(0, 999)))
        obs = pd.DataFrame({"batch": rng.choice(["a", "b", "c"], n), "age": rng.normal(size=n)})
        obs.index = [f"cell {i}" for i in range(n)]
        side = rng.normal(size=(n, draw.draw(COMPONENTS.filter(bool))))
        X = rng.poisson(2, (n, 5)).astype(draw.draw(st.sampled_from(["f4", "f8"])))
        adata = anndata.AnnData(X, obs, obsm={"X_side": side})
        prior = draw.draw(st.sampled_from(["batch", "age", ["batch", "age"], "side", "none", None]))
        strength = draw.draw(STRENGTH)
        judge(who, lambda: TOOLS[who](adata, prior, strength) is None)
        plt.close("all")
        np.testing.assert_array_equal(adata.X, X, "the data were changed")

    run()
