import pickle

import numpy as np
import pytest
from sklearn.base import clone

from unprior import JEDI, priors
from unprior.datasets import make_two_factor
from unprior.scores import knn_purity
from unprior.tuning._trial import plan_trial

DATA = make_two_factor(60, random_state=0)


@pytest.fixture
def trial():
    jedi = JEDI(n_iter=20, random_state=0)
    return plan_trial(jedi, DATA.X, {"known": priors.labels(DATA.known)}, 10)


def test_another_process_can_run_it(trial):
    assert pickle.loads(pickle.dumps(trial)).run(1.0) == trial.run(1.0)


def test_noise_is_on_the_scale_of_purity_also_with_classes_smaller_than_k(trial):
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(12), 5).astype(str)
    known = {"known": priors.labels(labels)}
    step = plan_trial(trial.estimator, DATA.X, known, 10).run(0.0)
    Y = clone(trial.estimator).set_params(strength=0.0).fit_transform(DATA.X, prior=known)
    shuffled = [knn_purity(Y, rng.permutation(labels), 10) for _ in range(300)]
    assert step.noise["known"] == pytest.approx(2 * np.std(shuffled), rel=0.15)


def test_strengths_do_not_depend_on_those_before(trial):
    alone = trial.run(2.0)
    trial.run(0.0)
    assert trial.run(2.0) == alone
    assert trial.estimator.strength == 1.0
