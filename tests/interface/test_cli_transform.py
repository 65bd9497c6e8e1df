"""`unprior embed --model` and `unprior transform`."""

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--method", "ctsne"], "--model takes a method that places new samples"),
        (["--standardize"], "cannot be combined with --standardize or --pca"),
    ],
)
def test_models_that_would_not_do_are_refused(folder, tmp_path, words, message):
    given = ["--prior", "species", "--model", tmp_path / "model", *words]
    code, _, err = run("embed", folder / "some.csv", *given)
    assert code == 1
    assert message in err


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
