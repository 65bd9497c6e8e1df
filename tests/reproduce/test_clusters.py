import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering
from sklearn.metrics import adjusted_rand_score

from unprior.reproduce._clusters import complete_clusters, save_dendrogram


@pytest.mark.parametrize("n_clusters", [2, 5, 9])
def test_the_cut_gives_the_clusters_of_agglomerative_clustering(n_clusters):
    values = np.random.default_rng(0).normal(size=(80, 3))
    found = complete_clusters(values, n_clusters)
    other = AgglomerativeClustering(n_clusters, linkage="complete").fit_predict(values)
    assert len(np.unique(found.labels)) == n_clusters
    assert adjusted_rand_score(found.labels, other) == 1


def test_the_cut_lies_between_two_merges():
    found = complete_clusters(np.random.default_rng(1).normal(size=(40, 2)), 4)
    heights = found.tree[:, 2]
    assert heights[-4] < found.cut < heights[-3]


def test_the_dendrogram_is_drawn(tmp_path):
    values = np.random.default_rng(0).normal(size=(30, 2))
    save_dendrogram(complete_clusters(values, 3), tmp_path / "tree.png")
    assert (tmp_path / "tree.png").stat().st_size > 1000
