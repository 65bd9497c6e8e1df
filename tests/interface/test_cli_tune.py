import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from PIL import Image

from unprior import JEDI, Residual, priors, tune
from unprior.cli import main

N = 60


def run(*words):
    return CliRunner().invoke(main, ["tune", *map(str, words)], catch_exceptions=False)


@pytest.fixture(scope="module")
def table():
    """Samples whose first column shows the batch."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("uvw"))
    frame["batch"] = ["a", "b"] * (N // 2)
    frame["u"] += 6 * (frame["batch"] == "b")
    return frame


@pytest.fixture
def file(table, tmp_path):
    table.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_table_file_and_picture(file, tmp_path):
    out, plot = tmp_path / "table.csv", tmp_path / "path.png"
    words = [file, "--prior", "batch", "--method", "residual", "--out", out, "--plot", plot]
    done = run(*words)
    assert done.exit_code == 0, done.stderr
    assert "<- best" in done.stdout
    assert "Best is" in done.stdout
    written = pd.read_csv(out)
    assert [*written][:4] == ["strength", "batch left", "batch noise", "data kept"]
    (best,) = written["strength"][written["best"] == 1]
    assert f"\n{best:g} " in done.stdout
    with Image.open(plot) as picture:
        assert min(picture.size) > 300
    again = run(*words)
    assert again.exit_code == 1
    assert "--force" in again.stderr
    assert run(*words, "--force").exit_code == 0


def test_json_is_what_the_library_says(table, file):
    done = run(file, "--prior", "batch", "--method", "residual", "--strengths", "1,0,0.5", "--json",
               "--samples", 50, "--seed", 3)  # fmt: skip
    assert done.exit_code == 0, done.stderr
    told = json.loads(done.stdout)
    path = tune(
        Residual("aligned"),  # as --method residual of embed
        table[["u", "v", "w"]].to_numpy(),
        prior={"batch": priors.labels(table["batch"])},
        strengths=[0, 0.5, 1],
        n_samples=50,
        random_state=3,
    )
    assert (told.pop("method"), told.pop("seed")) == ("residual", 3)
    assert told.pop("kinds") == {"batch": "labels"}
    wanted = path.to_dict()
    assert told.keys() == wanted.keys()
    # Tables and arrays have different memory layouts, so sums round differently.
    for mine, theirs in zip(told.pop("scores"), wanted.pop("scores"), strict=True):
        assert mine["data"] == pytest.approx(theirs["data"])
        assert mine["prior"]["batch"] == pytest.approx(theirs["prior"]["batch"])
    for name, value in wanted.items():
        assert told[name] == (value if isinstance(value, str) else pytest.approx(value))


def test_jedi_gets_metric_and_seed(table, file):
    done = run(file, "--prior", "batch", "--metric", "cityblock", "--strengths", "1", "--json")
    told = json.loads(done.stdout)
    assert told["method"] == "jedi"
    path = tune(
        JEDI(metric="cityblock", random_state=0),
        table[["u", "v", "w"]].to_numpy(),
        prior={"batch": priors.labels(table["batch"])},
        strengths=[1],
    )
    assert told["kept"] == path.kept.tolist()


def test_the_method_of_embed_takes_shares(table, tmp_path):
    rng = np.random.default_rng(0)
    two = pd.concat([table, table], ignore_index=True)
    two[list("uvw")] += rng.normal(size=(2 * N, 3))
    two.to_csv(tmp_path / "data.csv", index=False)
    done = run(tmp_path / "data.csv", "--prior", "batch", "--method", "independent", "--json")
    told = json.loads(done.stdout)
    assert told["strengths"][0] == 0
    assert told["strengths"][-1] == 1
    assert told["left"][0] > 0.5
    assert abs(told["left"][-1]) <= 0.05


def test_few_samples_have_few_neighbours(table, tmp_path):
    table[:12].to_csv(tmp_path / "few.csv", index=False)
    done = run(tmp_path / "few.csv", "--prior", "batch", "--method", "residual", "--json")
    assert json.loads(done.stdout)["k"] == 5


def test_what_cannot_be_done_is_told_before_any_work(file, tmp_path):
    assert run(file).exit_code == 2
    assert run(file, "--prior", "batch", "--method", "ctsne").exit_code == 2
    wrong = run(file, "--prior", "batch", "--strengths", "0,a")
    assert wrong.exit_code == 2
    assert "takes comma-separated numbers" in wrong.stderr
    same = run(file, "--prior", "batch", "--out", file, "--force")
    assert same.exit_code == 1
    assert "is the data file itself" in same.stderr
    strong = run(file, "--prior", "batch", "--method", "residual", "--strengths", "0,3")
    assert strong.exit_code == 1
    assert "Residual: 'strength' takes a number in [0, 1]; got 3.0." in strong.stderr
