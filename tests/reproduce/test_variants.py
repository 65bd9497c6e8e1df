import numpy as np
import pytest

from unprior.datasets import make_two_factor
from unprior.reproduce._variants import MAKERS, VARIANTS, with_closer_centers


def test_variants_have_different_names():
    assert len({(variant.method, variant.name) for variant in VARIANTS}) == len(VARIANTS)
    assert {variant.method for variant in VARIANTS} == {*MAKERS}


def test_clusters_move_together_and_keep_their_spread():
    data = make_two_factor(4000, random_state=0)
    closer = with_closer_centers(data)
    for group in np.unique(data.known):
        rows = data.known == group
        old, new = data.known_features[rows], closer.known_features[rows]
        assert new.mean(axis=0) == pytest.approx(old.mean(axis=0) / np.sqrt(2))
        assert new.std(axis=0) == pytest.approx(old.std(axis=0))
    assert (closer.X[:, :12] == np.hstack([closer.known_features, closer.hidden_features])).all()
    assert (closer.X[:, 12:] == data.X[:, 12:]).all()
