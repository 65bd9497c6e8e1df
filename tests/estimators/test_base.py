import numpy as np
import pytest

from unprior import JEDI, embed
from unprior.estimators._base import read_again, read_inputs


def test_too_few_samples_are_refused_in_the_name_of_who_was_called():
    X, known = np.eye(3), ["a", "b", "b"]
    with pytest.raises(ValueError, match=r"minimum of 4 is required by embed\.$"):
        embed(X, prior=known)
    with pytest.raises(ValueError, match=r"minimum of 4 is required by JEDI\.$"):
        JEDI().fit(X, prior=known)


def test_the_number_of_columns_is_remembered():
    jedi = JEDI()
    read_inputs(jedi, np.eye(5), [*"aabbb"], who="embed")
    assert jedi.n_features_in_ == 5
    with pytest.raises(ValueError, match="X has 4 features, but JEDI is expecting 5"):
        read_again(jedi, np.ones((5, 4)))
