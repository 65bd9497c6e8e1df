"""On the paper's synthetic data the prior goes and the hidden factor appears."""

import numpy as np
import pytest

import unprior as up
from unprior import priors, scores

DRAWS = range(5)


def areas(estimator):
    """Overlap with the prior's and with the hidden labels, one row for each draw."""
    rows = []
    for draw in DRAWS:
        data = up.datasets.make_two_factor(random_state=draw)
        Y = estimator.fit_transform(data.X, prior=priors.features(data.known_features))
        rows.append(
            [
                scores.overlap_curve(Y, priors.labels(labels)).absolute_area
                for labels in (data.known, data.hidden)
            ]
        )
    return np.array(rows)


@pytest.mark.slow
@pytest.mark.parametrize(
    "estimator",
    [
        up.JEDI(n_jobs=-1, random_state=0),
        up.Confetti(operator="linear", strength=2.0, embedder="tsne", n_jobs=-1, random_state=0),
        up.Confetti(operator="linear", strength=2.0, embedder="umap", n_jobs=-1, random_state=0),
    ],
    ids=["JEDI", "Confetti-tsne", "Confetti-umap"],
)
def test_the_hidden_factor_replaces_the_known_one(estimator):
    prior, hidden = areas(estimator).mean(axis=0)
    assert prior < 0.05
    assert hidden > 0.30
