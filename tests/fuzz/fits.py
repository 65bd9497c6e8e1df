"""Estimators with options of every kind, and data and priors for them."""

import numpy as np
from hypothesis import strategies as st

from fuzz.inputs import data, known

METRICS = (
    "euclidean",
    "euclidean",
    "cosine",
    "cityblock",
    "correlation",
    "precomputed",
    "nonsense",
)
COMPONENTS = st.sampled_from([1, 2, 2, 2, 3, 0])
STRENGTH = st.sampled_from([0.0, 0.3, 1.0, 1.0, 2.0, 100.0, -1.0, np.nan, "much", [1.0, 0.5]])
SHARE = st.sampled_from([0.0, 0.5, 1.0, 1.0, 2.0, [1.0, 0.0], None])
PERPLEXITY = st.sampled_from([1.0, 2.0, 5.0, 30.0, 1e6, 0.5, None])
RATE = st.sampled_from(["auto", "auto", 1e-3, 1e3, 1e12, 0.0])
STEPS = st.sampled_from([1, 2, 5, 30])

ESTIMATORS = {
    "IndependentTSNE": {
        "n_components": COMPONENTS,
        "strength": SHARE,
        "residual": st.sampled_from(["auto", "aligned", "smooth", "linear", None]),
        "perplexity": PERPLEXITY,
        "init": st.sampled_from(["pca", "random"]),
        "learning_rate": RATE,
        "n_iter": STEPS,
    },
    "JEDI": {
        "n_components": COMPONENTS,
        "strength": STRENGTH,
        "symmetry": st.sampled_from([0.0, 0.5, 1.0]),
        "skewness": st.sampled_from([1e-9, 0.5, 0.99, 1 - 1e-9, 1.0]),
        "perplexity": st.one_of(st.just("auto"), PERPLEXITY),
        "prior_perplexity": st.one_of(st.just("auto"), PERPLEXITY),
        "solver": st.sampled_from(["auto", "exact", "sampled"]),
        "init": st.sampled_from(["spectral", "random"]),
        "learning_rate": RATE,
        "n_iter": STEPS,
    },
    "ConditionalTSNE": {
        "n_components": COMPONENTS,
        "other_label_weight": st.sampled_from([1e-300, 1e-5, 0.5, 1.0, 0.0]),
        "perplexity": PERPLEXITY,
        "learning_rate": RATE,
        "n_iter": STEPS,
    },
    "RevisedConditionalTSNE": {
        "n_components": COMPONENTS,
        "same_label_weight": st.sampled_from([1e-300, 0.1, 1.0, 0.0]),
        "perplexity": PERPLEXITY,
        "learning_rate": RATE,
        "n_iter": STEPS,
    },
    "InverseSLLE": {
        "n_components": COMPONENTS,
        "strength": SHARE,
        "n_neighbors": st.sampled_from([1, 3, 12, 100, 0]),
    },
    "Residual": {
        "kind": st.sampled_from(["linear", "smooth", "aligned", "best"]),
        "strength": SHARE,
        "n_neighbors": st.sampled_from(["auto", 1, 5, 100]),
    },
    "ConfettiNeighbors": {
        "strength": STRENGTH,
        "operator": st.sampled_from(["auto", "linear", "quantile", "balanced"]),
        "scale": st.sampled_from(["max", "mean", "none"]),
        "n_neighbors": st.sampled_from([1, 5, 100]),
    },
    "Confetti": {
        "strength": STRENGTH,
        "operator": st.sampled_from(["auto", "linear", "quantile", "balanced"]),
        "embedder": st.just("tsne"),
        "embedder_params": st.just({"n_iter": 2, "early_exaggeration_iter": 2}),
        "n_neighbors": st.sampled_from(["auto", 1, 5]),
    },
}
LABELS_ALONE = ("ConditionalTSNE", "RevisedConditionalTSNE", "InverseSLLE")


def count(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


@st.composite
def fits(draw, who):
    """An estimator with its options, data and a prior."""
    table = ESTIMATORS[who]
    chosen = draw(st.lists(st.sampled_from([*table]), max_size=3, unique=True))
    options = {name: draw(table[name]) for name in {*chosen, *({"n_iter"} & {*table})}}
    if who == "Confetti":
        options |= {"embedder": "tsne", "embedder_params": draw(table["embedder_params"])}
    metric = draw(st.sampled_from(METRICS))
    if metric != "euclidean":
        options["metric"] = metric
    if who not in ("Residual", "ConfettiNeighbors"):
        options["random_state"] = 0
    X = draw(data(squares=metric == "precomputed"))
    return options, X, draw(known(count(X), labels_alone=who in LABELS_ALONE))
