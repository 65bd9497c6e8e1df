import inspect
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.io import savemat

from unprior import priors
from unprior.datasets import fetch_flowers102

SOURCE = "https://www.robots.ox.ac.uk/~vgg/data/flowers/102/"


def symmetric(rng, n):
    D = np.triu(rng.uniform(0.1, 1, (n, n)), 1)
    return D + D.T


@pytest.fixture
def matrices(rng):
    return {name: symmetric(rng, 24) for name in ("Dhsv", "Dhog", "Dsiftint", "Dsiftbdy")}


@pytest.fixture
def labels():
    return np.repeat([1, 2, 3, 4], [3, 6, 7, 8])


@pytest.fixture
def asked():
    return []


@pytest.fixture
def site(monkeypatch, tmp_path, matrices, labels, asked):
    """A stand-in for the download: it writes files of the official layout."""
    contents = {
        "distancematrices102.mat": matrices,
        "imagelabels.mat": {"labels": labels[None].astype(np.uint8)},
    }

    def retrieve(url, known_hash, fname, path):
        asked.append(url)
        assert known_hash is None
        savemat(path / fname, contents[fname], do_compression=True)
        return str(path / fname)

    pooch = SimpleNamespace(retrieve=retrieve, os_cache=lambda name: tmp_path)
    monkeypatch.setitem(sys.modules, "pooch", pooch)
    return contents


def test_the_files_of_the_source_are_read(site, asked, matrices, labels):
    flowers = fetch_flowers102()
    assert asked == [SOURCE + name for name in ("distancematrices102.mat", "imagelabels.mat")]
    assert [*flowers.distances] == ["hsv", "hog", "siftint", "siftbdy"]
    for (name, D), theirs in zip(flowers.distances.items(), matrices.values(), strict=True):
        assert D.dtype == np.float32, name
        np.testing.assert_allclose(D, theirs, rtol=1e-6)
    np.testing.assert_array_equal(flowers.labels, labels)
    np.testing.assert_array_equal(flowers.images, np.arange(1, 25))
    assert repr(flowers).startswith("<flowers: 24 images of 4 classes, distances hsv, hog")


@pytest.mark.usefixtures("site")
def test_files_are_kept_where_the_caller_says(tmp_path):
    home = tmp_path / "mine"
    home.mkdir()
    fetch_flowers102(data_home=str(home))
    assert sorted(path.name for path in home.iterdir()) == [
        "distancematrices102.mat",
        "imagelabels.mat",
    ]


@pytest.mark.usefixtures("site")
def test_a_subset_has_as_many_of_each_class():
    flowers = fetch_flowers102()
    some = flowers.subset(n_classes=2, per_class=6, random_state=0)
    classes, counts = np.unique(some.labels, return_counts=True)
    assert set(classes) <= {2, 3, 4}  # the first has too few
    assert counts.tolist() == [6, 6]
    rows = some.images - 1
    assert len(set(rows)) == 12
    np.testing.assert_array_equal(some.labels, flowers.labels[rows])
    for name, D in some.distances.items():
        np.testing.assert_array_equal(D, flowers.distances[name][np.ix_(rows, rows)])
    again = flowers.subset(n_classes=2, per_class=6, random_state=0)
    np.testing.assert_array_equal(again.images, some.images)
    drawn = {tuple(flowers.subset(2, 6, random_state=seed).images) for seed in range(10)}
    assert len(drawn) > 1
    assert priors.distances(sum(some.distances.values())).n_samples == 12


@pytest.mark.usefixtures("site")
def test_a_subset_that_is_not_there():
    flowers = fetch_flowers102()
    with pytest.raises(ValueError, match=r"'per_class' takes a whole number in \[1, 8\]; got 40"):
        flowers.subset()
    with pytest.raises(ValueError, match=r"'n_classes' takes a whole number in \[1, 2\]; got 3"):
        flowers.subset(n_classes=3, per_class=7)


@pytest.mark.usefixtures("site")
def test_without_a_connection_one_sentence(monkeypatch, tmp_path):
    def fail(*args, **options):
        raise TimeoutError("no route to host")

    monkeypatch.setattr(sys.modules["pooch"], "retrieve", fail)
    with pytest.raises(ConnectionError) as caught:
        fetch_flowers102()
    message = str(caught.value)
    for part in (SOURCE + "distancematrices102.mat", "TimeoutError", str(tmp_path)):
        assert part in message
    assert "\n" not in message


def test_absence_of_the_package_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(ImportError, match=r'pip install "unprior\[data\]"'):
        fetch_flowers102()


def test_broken_files_are_named(site, labels):
    site["imagelabels.mat"] = {"labels": labels[None, :-1]}
    with pytest.raises(ValueError, match=r"'hsv' of shape \(24, 24\).*23 labels.*fetch again"):
        fetch_flowers102()
    site["imagelabels.mat"] = {"species": labels}
    with pytest.raises(ValueError, match=r"imagelabels\.mat holds no readable 'labels'"):
        fetch_flowers102()


def test_the_real_package_takes_the_call(tmp_path):
    pooch = pytest.importorskip("pooch")
    inspect.signature(pooch.retrieve).bind("url", known_hash=None, fname="name", path=tmp_path)
    assert "unprior" in str(pooch.os_cache("unprior"))
