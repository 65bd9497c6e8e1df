"""`unprior embed --model` and `unprior transform`."""

import anndata
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.sparse import csr_matrix
from scipy.spatial.distance import cdist

import unprior as up
from unprior.cli import main

pytestmark = pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")


def run(*words):
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files of some penguins and of others, and a model of the former."""
    place, penguins = tmp_path_factory.mktemp("penguins"), up.datasets.load_penguins()
    frame = pd.DataFrame(penguins.X, columns=penguins.feature_names)
    frame["species"] = penguins.labels["species"]
    frame.insert(0, "bird", [f"bird {k}" for k in range(len(frame))])
    some = np.arange(len(frame)) % 4 > 0
    frame[some][:120].to_csv(place / "some.csv", index=False)
    frame[~some][:30].to_csv(place / "new.csv", index=False)
    words = ["--prior", "species", "--method", "confetti", "--jobs", 1]
    code, _, err = run(
        *("embed", place / "some.csv", *words),
        *("--out", place / "map.csv", "--model", place / "model"),
    )
    assert code == 0, err
    return place


def test_places_are_those_of_the_library(folder):
    code, _, err = run(
        *("transform", folder / "new.csv", "--model", folder / "model"),
        *("--out", folder / "places.csv"),
    )
    assert code == 0, err
    found, new = pd.read_csv(folder / "places.csv"), pd.read_csv(folder / "new.csv")
    assert found.iloc[:, 0].tolist() == new["bird"].tolist()
    prior = {"species": new.pop("species")}
    expected = up.load_model(folder / "model").transform(
        new.drop(columns="bird").to_numpy(), prior=prior
    )
    np.testing.assert_allclose(found.iloc[:, -2:], expected, rtol=1e-5)
    reordered = pd.read_csv(folder / "new.csv")[["species", *new.columns[::-1]]]
    reordered.to_csv(folder / "reordered.csv", index=False)
    assert run("transform", folder / "reordered.csv", "--model", folder / "model")[0] == 0


@pytest.mark.parametrize("words", [["--standardize"], ["--standardize", "--pca", 3]])
def test_new_samples_are_scaled_and_reduced_as_in_fit(folder, tmp_path, words):
    given = ["--prior", "species", "--method", "confetti", "--jobs", 1, *words]
    paths = ["--out", tmp_path / "map.csv", "--model", tmp_path / "model"]
    assert run("embed", folder / "some.csv", *given, *paths)[0] == 0
    code, _, err = run(
        *("transform", folder / "some.csv", "--model", tmp_path / "model"),
        *("--out", tmp_path / "again.csv"),
    )
    assert code == 0, err
    there, again = (pd.read_csv(tmp_path / name).iloc[:, -2:] for name in ("map.csv", "again.csv"))
    apart = np.linalg.norm(there.to_numpy() - again.to_numpy(), axis=1)
    assert np.median(apart) < 0.2 * np.linalg.norm(there.std())
    alone = pd.read_csv(folder / "some.csv")[:1]
    alone.to_csv(tmp_path / "alone.csv", index=False)
    words = ("transform", tmp_path / "alone.csv", "--model", tmp_path / "model")
    assert run(*words, "--out", tmp_path / "one.csv")[0] == 0
    one = pd.read_csv(tmp_path / "one.csv").iloc[:, -2:]
    np.testing.assert_array_equal(one.to_numpy(), again[:1].to_numpy())


def test_sparse_variables_are_reduced_as_in_fit(tmp_path):
    rng = np.random.default_rng(0)
    counts = csr_matrix(rng.poisson(0.3, (90, 300)).astype(float))
    adata = anndata.AnnData(counts)
    adata.obs["batch"] = ["a", "b"] * 45
    adata[:60].copy().write_h5ad(tmp_path / "some.h5ad")
    adata[60:, ::-1].copy().write_h5ad(tmp_path / "new.h5ad")
    adata[60:, 3:].copy().write_h5ad(tmp_path / "fewer.h5ad")
    words = ["--prior", "batch", "--method", "confetti", "--model", tmp_path / "model"]
    code, _, err = run("embed", tmp_path / "some.h5ad", *words, "--out", tmp_path / "map.csv")
    assert code == 0, err
    words = ["--model", tmp_path / "model", "--out", tmp_path / "places.csv"]
    code, _, err = run("transform", tmp_path / "new.h5ad", *words)
    assert code == 0, err
    places = up.load_model(tmp_path / "model").transform(
        counts[60:], prior={"batch": adata.obs["batch"][60:].to_numpy()}
    )
    found = pd.read_csv(tmp_path / "places.csv").iloc[:, -2:]
    np.testing.assert_allclose(found, places, rtol=1e-5)
    code, _, err = run("transform", tmp_path / "fewer.h5ad", "--model", tmp_path / "model")
    assert code == 1
    assert "has no column '0', one of the 300 that the model was fitted to; 3 in all" in err


def test_distances_to_the_fitted_samples(tmp_path):
    X = np.random.default_rng(0).normal(size=(50, 3))
    D = pd.DataFrame(cdist(X, X), columns=[f"s{k}" for k in range(50)])
    D["kind"] = ["a", "b"] * 25
    D.loc[:39, [*D.columns[:40], "kind"]].to_csv(tmp_path / "some.csv", index=False)
    D.loc[40:, [*D.columns[:40], "kind"]].to_csv(tmp_path / "new.csv", index=False)
    words = ["--metric", "precomputed", "--prior", "kind", "--method", "confetti"]
    code, _, err = run("embed", tmp_path / "some.csv", *words, "--model", tmp_path / "model")
    assert code == 0, err
    code, out, err = run("transform", tmp_path / "new.csv", "--model", tmp_path / "model")
    assert code == 0, err
    assert len(out.splitlines()) == 11


def test_methods_that_place_no_new_samples_are_refused(folder, tmp_path):
    given = ["--prior", "species", "--model", tmp_path / "model", "--method", "ctsne"]
    code, _, err = run("embed", folder / "some.csv", *given)
    assert code == 1
    assert "--model takes a method that places new samples" in err


def test_what_is_no_model_is_refused(folder):
    code, _, err = run("transform", folder / "new.csv", "--model", folder / "some.csv")
    assert code == 1
    assert "is not a model that save_model has written" in err


def test_an_unknown_class_is_refused_in_a_sentence(folder, tmp_path):
    new = pd.read_csv(folder / "new.csv").assign(species="Emperor")
    new.to_csv(tmp_path / "new.csv", index=False)
    words = ["transform", tmp_path / "new.csv", "--model", folder / "model"]
    code, _, err = run(*words)
    assert code == 1
    assert "has the class 'Emperor'" in err
    assert run(*words, "--unseen", "mean")[0] == 0
    assert run(*words, "--without-prior")[0] == 0


def test_amounts_of_new_samples_may_all_be_whole_numbers(folder, tmp_path):
    words = ["--prior", "body_mass_g", "--prior", "species", "--method", "confetti", "--jobs", 1]
    table = pd.read_csv(folder / "some.csv").drop(columns="bird")
    table["body_mass_g"] += 0.5
    table.to_csv(tmp_path / "some.csv", index=False)
    code, _, err = run(
        *("embed", tmp_path / "some.csv", *words),
        *("--out", tmp_path / "map.csv", "--model", tmp_path / "model"),
    )
    assert code == 0, err
    new = pd.read_csv(folder / "new.csv").drop(columns="bird")
    new["body_mass_g"] = new["body_mass_g"].astype(int)
    new[:1].to_csv(tmp_path / "new.csv", index=False)
    code, _, err = run("transform", tmp_path / "new.csv", "--model", tmp_path / "model")
    assert code == 0, err
