import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from unprior import priors, scores
from unprior.cli import main

N = 60


def run(*words):
    return CliRunner().invoke(main, ["score", *map(str, words)], catch_exceptions=False)


@pytest.fixture
def data(tmp_path):
    """A file of samples with two sorts of labels."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("uvw"))
    frame["batch"], frame["cell"] = ["a", "b"] * (N // 2), ["p"] * 20 + ["q"] * 40
    frame.insert(0, "id", [f"s{k}" for k in range(N)])
    frame.to_csv(tmp_path / "data.csv", index=False)
    return frame


@pytest.fixture
def drawn(data, tmp_path):
    """A map file, in a different order than the data and without some of the samples."""
    rows = np.random.default_rng(1).permutation(N)[:50]
    Y = pd.DataFrame({"id": data["id"][rows], "x": data["u"][rows], "y": data["v"][rows]})
    Y.to_csv(tmp_path / "map.csv", index=False)
    return rows


def test_scores_are_those_of_the_library_by_ids(data, drawn, tmp_path):
    result = run(tmp_path / "map.csv", "--data", tmp_path / "data.csv", "--prior", "batch",
                 "--hidden", "cell", "--json")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    rows = data.iloc[drawn]
    report = scores.report(
        rows[["u", "v"]].to_numpy(),
        X=rows[["u", "v", "w"]].to_numpy(),
        prior={"batch": priors.labels(rows["batch"])},
        hidden={"cell": priors.labels(rows["cell"])},
    )
    told = json.loads(result.stdout)["scores"]
    within = {"prior within", "confounding"}
    assert told.keys() == {"prior", "data", "rest", "within", "hidden", "map", *within}
    assert told["data"] == pytest.approx(report.to_dict()["data"])
    assert told["rest"] == pytest.approx(report.to_dict()["rest"])
    assert told["prior"]["batch"] == pytest.approx(report.to_dict()["prior"]["batch"])
    assert told["hidden"]["cell"] == pytest.approx(report.to_dict()["hidden"]["cell"])


def test_the_table_is_data_and_goes_to_stdout(drawn, tmp_path):
    result = run(tmp_path / "map.csv", "--data", tmp_path / "data.csv", "--hidden", "cell")
    assert result.exit_code == 0
    assert "cell kept" in result.stdout
    assert "cell (the hidden structure)" in result.stderr


@pytest.mark.filterwarnings("always::unprior.OverRemovalWarning")
def test_a_map_that_lost_more_than_the_prior_is_warned_of_on_stderr(data, tmp_path):
    np.save(tmp_path / "map.npy", np.random.default_rng(2).normal(size=(N, 2)))
    words = [tmp_path / "map.npy", "--data", tmp_path / "data.csv", "--prior", "batch", "--json"]
    result = run(*words)
    assert result.exit_code == 0
    assert result.stderr.count("Warning: report: little is kept of the data's neighbours") == 1
    assert json.loads(result.stdout)["scores"]["within"]["neighbor_coherence"] < 0.45


def test_without_ids_the_order_counts(data, tmp_path):
    np.save(tmp_path / "map.npy", data[["u", "v"]].to_numpy())
    result = run(tmp_path / "map.npy", "--data", tmp_path / "data.csv", "--prior", "batch")
    assert result.exit_code == 0
    np.save(tmp_path / "map.npy", data[["u", "v"]].to_numpy()[:50])
    result = run(tmp_path / "map.npy", "--data", tmp_path / "data.csv", "--prior", "batch")
    assert result.exit_code == 1
    assert "map.npy has 50 samples and data.csv has 60" in result.stderr


def test_ids_that_do_not_match_are_refused(data, drawn, tmp_path):
    other = pd.read_csv(tmp_path / "map.csv")
    other["id"] = [f"t{k}" for k in range(50)]
    other.to_csv(tmp_path / "map.csv", index=False)
    words = [tmp_path / "map.csv", "--data", tmp_path / "data.csv", "--prior", "batch"]
    result = run(*words)
    assert result.exit_code == 1
    assert "data.csv lacks ids of map.csv" in result.stderr
    data[:50].to_csv(tmp_path / "data.csv", index=False)  # an equal number of rows is not a match
    assert run(*words).exit_code == 1


def test_ids_that_repeat_match_where_both_files_have_them_in_one_order(data, tmp_path):
    data["id"] = ["s", "t"] * (N // 2)
    data.to_csv(tmp_path / "data.csv", index=False)
    data[["id", "u", "v"]].to_csv(tmp_path / "map.csv", index=False)
    words = [tmp_path / "map.csv", "--data", tmp_path / "data.csv", "--prior", "batch"]
    assert run(*words).exit_code == 0
    data[["id", "u", "v"]][::-1].to_csv(tmp_path / "map.csv", index=False)
    assert run(*words).exit_code == 1


def test_gaps_leave_the_map_too(data, drawn, tmp_path):
    data.loc[drawn[0], "batch"] = None
    data.to_csv(tmp_path / "data.csv", index=False)
    words = [tmp_path / "map.csv", "--data", tmp_path / "data.csv", "--prior", "batch", "--json"]
    assert run(*words).exit_code == 1
    result = run(*words, "--drop-missing")
    assert json.loads(result.stdout)["n_samples"] == 49


def test_a_map_needs_data(drawn, tmp_path):
    assert run(tmp_path / "map.csv").exit_code == 2
