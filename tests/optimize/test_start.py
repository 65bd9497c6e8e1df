"""Initial maps, which do not show the prior."""

import numpy as np
import pytest
from openTSNE.initialization import pca, spectral

from unprior import priors, scores
from unprior.affinities import data_affinities, dense_affinities, prior_affinities
from unprior.datasets import make_two_factor
from unprior.objectives import DataDivergence, JEDIObjective, PriorDivergence
from unprior.optimize import given_start, random_start, spectral_start


@pytest.fixture(scope="module")
def problem():
    data = make_two_factor(400, random_state=0)
    P = dense_affinities(priors.features(data.X), 80.0)
    R = prior_affinities(priors.features(data.known_features), 40.0)
    return data, JEDIObjective(DataDivergence(P), [PriorDivergence(R, 1.0, 0.0, 0.99)])


def test_the_usual_starts_show_the_prior_and_ours_do_not(problem):
    """The axes of the raw data are the prior's; those of the forces with the prior are not."""
    data, objective = problem
    known = priors.labels(data.known)

    def shown(Y):
        return scores.overlap_area(Y, known)

    edges = data_affinities(priors.features(data.X), 10.0).matrix
    assert shown(pca(data.X, random_state=0)) > 0.25
    assert shown(np.asarray(spectral(edges, random_state=0))) > 0.15
    assert shown(spectral_start(objective.pulls_at_origin(), 2, np.random.RandomState(0))) < 0.12
    assert abs(shown(random_start(400, 2, np.random.RandomState(0)))) < 0.02


def test_spectral_axes_are_those_of_the_linearised_forces(problem):
    """Against the eigenvectors of the Jacobian, column by column."""
    _, objective = problem
    n, step = 400, 1e-4
    jacobian = np.column_stack(
        [-objective.evaluate(step * column[:, None]).gradient[:, 0] / step for column in np.eye(n)]
    )
    _, vectors = np.linalg.eigh((jacobian + jacobian.T) / 2)
    vectors = vectors[:, np.abs(vectors.sum(axis=0)) < 1e-3 * n]
    start = spectral_start(objective.pulls_at_origin(), 2, np.random.RandomState(0))
    for axis, expected in zip(start.T, vectors[:, :-3:-1].T, strict=True):
        axis = axis / np.linalg.norm(axis)
        assert abs(axis @ expected) > 0.98


def test_a_start_has_the_same_small_spread(problem):
    _, objective = problem
    for start in (
        spectral_start(objective.pulls_at_origin(), 3, np.random.RandomState(0)),
        random_start(400, 3, np.random.RandomState(0)),
    ):
        np.testing.assert_allclose(start.std(axis=0), 1e-4, rtol=0.2)


@pytest.mark.parametrize("n", [4, 5, 8])
def test_few_samples_have_a_start_too(rng, n):
    P = dense_affinities(priors.features(rng.normal(size=(n, 2))), 1.5)
    objective = JEDIObjective(DataDivergence(P))
    start = spectral_start(objective.pulls_at_origin(), 3, np.random.RandomState(0))
    assert start.shape == (n, 3)
    assert np.isfinite(start).all()


def test_a_given_start_is_copied_and_checked():
    mine = np.eye(5, 2)
    start = given_start("JEDI", mine, 5, 2)
    start[:] = 1
    np.testing.assert_array_equal(mine, np.eye(5, 2))
    with pytest.raises(ValueError, match=r"JEDI: 'init' takes an array of shape \(6, 2\); got"):
        given_start("JEDI", mine, 6, 2)
    with pytest.raises(ValueError, match="JEDI: 'init' puts all samples in one place"):
        given_start("JEDI", np.ones((5, 2)), 5, 2)
    mine[3, 1] = np.nan
    with pytest.raises(ValueError, match=r"'init' holds NaN .first in row 3, column 1"):
        given_start("JEDI", mine, 5, 2)
