import csv
import re
import subprocess
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import unprior
from unprior import plot
from unprior.cli import _demo, main

HEAVY = ["numba", "umap", "openTSNE", "matplotlib", "pandas", "sklearn", "scipy", "numpy"]


#: The fast stand-ins for maps show nothing else of the data.
GONE = "ignore::unprior.OverRemovalWarning"


def run(*words):
    return CliRunner().invoke(main, words)


def cheap_maps(penguins):
    """Two maps at once, in place of those drawn: one of the species, one of the sexes."""
    rng = np.random.default_rng(0)
    return {
        "t-SNE": np.array([[10.0 * "ACG".index(name[0]), 0] for name in penguins.labels["species"]])
        + rng.normal(size=(333, 2)),
        "embed": np.array([[10.0 * (name == "male"), 0] for name in penguins.labels["sex"]])
        + rng.normal(size=(333, 2)),
    }


def test_help_lists_the_commands():
    result = run("--help")
    assert result.exit_code == 0
    assert "demo" in result.output
    assert run("demo", "-h").exit_code == 0


@pytest.mark.parametrize("command", sorted(main.commands))
def test_help_of_a_command_has_its_examples_in_lines(command):
    result = run(command, "--help")
    assert result.exit_code == 0
    assert "\\b" not in result.output


def test_version():
    assert run("--version").output == f"unprior, version {unprior.__version__}\n"


def test_help_loads_nothing_heavy():
    code = (
        "import sys; from unprior.cli import main; main(['--help'], standalone_mode=False); "
        f"sys.exit(', '.join(name for name in {HEAVY} if name in sys.modules))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert result.stderr.strip() == ""


@pytest.mark.filterwarnings(GONE)
def test_the_demo_writes_a_picture_and_scores_and_says_where(monkeypatch, tmp_path):
    monkeypatch.setattr(_demo, "draw_maps", cheap_maps)
    folder = tmp_path / "new" / "demo"
    result = run("demo", "--out", str(folder))
    assert result.exit_code == 0, result.output
    assert "species left" in result.output
    assert "sex kept" in result.output
    assert str(folder / "demo.png") in result.output
    assert str(folder / "scores.csv") in result.output
    with Image.open(folder / "demo.png") as picture:
        assert min(picture.size) > 500


@pytest.mark.filterwarnings(GONE)
def test_the_scores_on_file_are_those_of_the_maps(monkeypatch, tmp_path):
    monkeypatch.setattr(_demo, "draw_maps", cheap_maps)
    assert run("demo", "--out", str(tmp_path)).exit_code == 0
    with (tmp_path / "scores.csv").open(newline="") as file:
        scores = {
            (row["map"], row["what"], row["measure"]): float(row["score"])
            for row in csv.DictReader(file)
        }
    assert scores["t-SNE", "species left", "neighbor_purity"] > 0.9
    assert scores["embed", "species left", "neighbor_purity"] < 0.1
    assert scores["embed", "sex kept", "overlap_area"] > 0.2
    assert ("embed", "rest kept", "neighbor_coherence") in scores


@pytest.mark.filterwarnings(GONE)
def test_every_panel_tells_what_is_left_and_what_is_kept(monkeypatch, tmp_path):
    drawn, compare = [], plot.compare

    def noted(*maps, **options):
        drawn.append(compare(*maps, **options))
        return drawn[-1]

    monkeypatch.setattr(_demo, "draw_maps", cheap_maps)
    monkeypatch.setattr(plot, "compare", noted)
    assert run("demo", "--out", str(tmp_path)).exit_code == 0
    (axes,) = drawn
    assert [ax.get_title().split()[:2] for ax in axes[0]] == [
        ["before:", "t-SNE"],
        ["after:", "embed,"],
    ]
    number = r"(-?\d\.\d\d)"
    for row, kept in zip(axes, ("rest", "sex"), strict=True):
        told = [re.fullmatch(f"species left: {number}, {kept} kept: {number}", ax.get_xlabel())
                for ax in row]  # fmt: skip
        assert all(told)
        assert float(told[0][1]) > 0.9
        assert float(told[1][1]) < 0.1


def test_without_penguins_the_demo_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = run("demo", "--out", str(tmp_path))
    assert result.exit_code == 1
    assert result.output.startswith("Error: load_penguins needs the package palmerpenguins")
    assert 'pip install "unprior[demo]"' in result.output


def test_out_must_not_be_a_file(tmp_path):
    (tmp_path / "taken").write_text("")
    result = run("demo", "--out", str(tmp_path / "taken"))
    assert result.exit_code == 2
    assert "is a file" in result.output


@pytest.mark.slow
def test_the_demo_factors_the_species_out_and_finds_the_sexes():
    penguins = unprior.datasets.load_penguins()
    comparison = _demo.score_maps(_demo.draw_maps(penguins), penguins)
    left, kept = (
        {name: score[role][what]["overlap_area"] for name, score in comparison.to_dict().items()}
        for role, what in (("prior", "species"), ("hidden", "sex"))
    )
    assert left["t-SNE"] > 0.28
    assert abs(left["embed"]) < 0.02
    assert kept["t-SNE"] < 0.06
    assert kept["embed"] > 0.15
