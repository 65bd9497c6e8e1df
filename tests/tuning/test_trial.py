import pickle

import pytest

from unprior import JEDI, priors
from unprior.datasets import make_two_factor
from unprior.tuning._trial import plan_trial

DATA = make_two_factor(60, random_state=0)


@pytest.fixture
def trial():
    jedi = JEDI(n_iter=20, random_state=0)
    return plan_trial(jedi, DATA.X, {"known": priors.labels(DATA.known)}, 10)


def test_another_process_can_run_it(trial):
    assert pickle.loads(pickle.dumps(trial)).run(1.0) == trial.run(1.0)


def test_strengths_do_not_depend_on_those_before(trial):
    alone = trial.run(2.0)
    trial.run(0.0)
    assert trial.run(2.0) == alone
    assert trial.estimator.strength == 1.0
