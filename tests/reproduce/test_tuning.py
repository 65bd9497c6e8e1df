import numpy as np
import pytest
from scipy.cluster.hierarchy import cophenet
from scipy.spatial.distance import squareform

from unprior import priors
from unprior.datasets import make_tuning
from unprior.reproduce._grids import known_tree
from unprior.reproduce._tuning import distances_from_first, save_distances


@pytest.fixture(scope="module")
def data():
    return make_tuning(80, random_state=0)


def test_the_dendrogram_says_the_same_as_its_linkage(data):
    tree = known_tree(data)
    expected = squareform(cophenet(tree))[0]
    found = distances_from_first(priors.tree(tree))
    assert found == pytest.approx(expected / expected.max())


def test_known_columns_tell_the_clusters_apart_and_all_columns_do_not(data):
    same = data.known == data.known[0]
    near, far = (
        distances_from_first(priors.features(columns)) for columns in (data.known_features, data.X)
    )
    assert near[same].max() < near[~same].min()
    assert np.sort(far[same])[-1] > far[~same].min()


def test_the_four_panels_are_drawn(data, tmp_path):
    save_distances(data, tmp_path / "distances.png")
    assert (tmp_path / "distances.png").stat().st_size > 5000
