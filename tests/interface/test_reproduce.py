import re

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from scipy.sparse import csr_matrix
from scipy.spatial.distance import pdist

from unprior import priors, scores
from unprior.cli._reproduce import NAMES, reproduce
from unprior.datasets import make_tuning, make_two_factor
from unprior.reproduce import EXPERIMENTS, _flowers
from unprior.reproduce._results import Section, spread, table, write_page, write_section
from unprior.reproduce._setting import QUICK_SAMPLES

# A few steps do not remove a prior, and IndependentTSNE says so.
pytestmark = pytest.mark.filterwarnings("ignore:IndependentTSNE:unprior.ConstraintWarning")


def run(*words):
    return CliRunner().invoke(reproduce, [*words, "--jobs", "1"], catch_exceptions=False)


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A folder with files like those of the measured data, small and made up."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("data")
    species = np.repeat(np.arange(25), 8)
    views = ("hsv", "hog", "siftint", "siftbdy")
    np.savez(
        folder / "flowers102_dist.npz",
        label=species,
        image_index=np.arange(200),
        **{f"d_{view}": pdist(rng.normal(size=(25, 4))[species]) + 0.1 for view in views},
    )
    kind, batch = rng.integers(0, 3, 250), rng.integers(0, 4, 250)
    np.savez(
        folder / "sc_ra_synovium.npz",
        pcs=rng.normal(size=(250, 5)) + 4 * np.eye(5)[kind] + 2 * np.eye(5)[batch],
        meta_celltype=np.array(["B cell", "T cell", "Monocyte"])[kind],
        meta_batch=np.char.add("S", batch.astype(str)),
    )
    counts = csr_matrix(rng.poisson(1 + 5 * np.eye(8)[kind]))
    np.savez(
        folder / "sc_kang_pbmc.npz",
        **{f"counts_{part}": getattr(counts, part) for part in ("data", "indices", "indptr")},
        shape=counts.shape,
        pca50=rng.normal(size=(250, 5)) + 4 * np.eye(5)[kind] + 2 * np.eye(5)[3 + batch % 2],
        marker_expr=rng.normal(size=(250, 3)) / 9 + np.eye(3)[kind],
        cell_type_derived=np.array(["B", "T", "NK"])[kind],
        stim=batch % 2,
    )
    return folder


@pytest.fixture(scope="module")
def out(measured, tmp_path_factory):
    """The folder that a quick run of everything leaves."""
    folder = tmp_path_factory.mktemp("out") / "new"
    result = run("all", "--quick", "--data", str(measured), "--out", str(folder))
    assert result.exit_code == 0
    assert str(folder / "results.md") in result.output
    return folder


def rows_of(page):
    """Cells of all table rows, by the first cell; of equal ones the first counts."""
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    return {row[0].strip(): row[1:] for row in reversed(rows)}


def test_the_command_knows_every_experiment():
    assert [*NAMES] == [*EXPERIMENTS]
    assert run("weather").exit_code == 2


def test_every_experiment_has_its_section(out):
    page = (out / "results.md").read_text(encoding="utf-8")
    parts = [(out / "sections" / f"{name}.md").read_text(encoding="utf-8") for name in EXPERIMENTS]
    assert page.endswith("\n".join(parts))
    assert "Skipped" not in page


def test_every_figure_of_the_page_is_a_picture(out):
    names = re.findall(r"\]\((.*?\.png)\)", (out / "results.md").read_text(encoding="utf-8"))
    assert {*names} == {path.name for path in out.glob("*.png")}
    assert len(names) == 36
    for name in names:
        with Image.open(out / name) as picture:
            assert min(picture.size) > 200
            assert len(picture.getcolors()) > 2


def test_the_papers_figures_stand_beside_ours(out):
    rows = rows_of((out / "sections" / "synthetic.md").read_text(encoding="utf-8"))
    assert rows["*paper: kept*"] == ["*–*", "*.237*", "*.344*", "*.340*", "*.344*"]
    assert rows["*paper: prior labels*"] == ["*–*", "*.037*", "*.005*", "*.003*", "*.022*"]
    assert rows["*paper: Euclidean prior*"] == ["*–*", "*–*", "*–*", "*–*", "*.002*"]
    assert all(
        re.fullmatch(r"0\.\d{3} ± 0\.\d{3}", cell) for cell in rows["area with the hidden labels"]
    )
    assert all(re.fullmatch(r"\d+\.\d", seconds) for seconds in rows["CPU seconds, median"])


def test_the_papers_times_of_flowers_stand_beside_ours(out):
    rows = rows_of((out / "sections" / "flowers.md").read_text(encoding="utf-8"))
    assert rows["JEDI"][-1] == "*two minutes*"
    assert rows["CONFETTI, λ = 2"][-1] == "*seconds*"
    assert re.fullmatch(r"\d+\.\d", rows["JEDI"][-2])


#: The maps in the paper's figures, by the file that holds ours.
DRAWN_IN_THE_PAPER = {
    "synthetic": {"t-SNE", "ct-SNE", "sLLE⁻¹", "CONFETTI", "JEDI"},
    "labels": {"JEDI", "CONFETTI, λ = 1"},
    "tuning_tsne": {"perplexity = 50"},
    "flowers": {"t-SNE", "JEDI", "CONFETTI, λ = 2"},
    "markers_maps": {"UMAP", "CONFETTI, λ = 2", "ct-SNE", "sLLE⁻¹", "JEDI"},
    "markers_without_condition": {"CONFETTI, λ = 1"},
    "cells": {"UMAP", "CONFETTI, λ = 1, without type"},
}


@pytest.mark.parametrize("experiment", DRAWN_IN_THE_PAPER)
def test_every_map_of_the_papers_figures_is_drawn(out, experiment):
    with np.load(out / f"{experiment}.npz") as maps:
        assert {*maps} >= DRAWN_IN_THE_PAPER[experiment]
        assert all(np.isfinite(Y).all() for Y in maps.values())
        assert all(Y.shape == (len(Y), 2) for Y in maps.values())


def test_marker_genes_are_removed_and_the_condition_appears(out):
    rows = rows_of((out / "sections" / "markers.md").read_text(encoding="utf-8"))
    assert {"CONFETTI, λ = 2", "JEDI", "ct-SNE", "sLLE⁻¹", "PARE", "LEACE"} < {*rows}
    type_purity, condition_purity = zip(
        *([float(cell) for cell in rows[name][:2]] for name in ("UMAP", "LEACE")), strict=True
    )
    assert type_purity[0] > 0.9
    assert type_purity[1] < 0.5
    assert condition_purity[1] > condition_purity[0]


def test_every_method_of_the_paper_is_timed(out):
    rows = rows_of((out / "sections" / "times.md").read_text(encoding="utf-8"))
    paper = {"CONFETTI": "10 min", "ct-SNE": "23 min", "sLLE⁻¹": "32 min", "JEDI": "100 h"}
    assert {name: rows[name][2] for name in paper} == {n: f"*{t}*" for n, t in paper.items()}
    assert rows["IndependentTSNE"][2] == "*–*"


def test_blocks_that_the_documentation_quotes_have_different_names(out):
    text = (out / "results.md").read_text(encoding="utf-8")
    names = re.findall("<!-- numbers: (.*) -->\n", text)
    assert len({*names}) == len(names) == text.count("<!-- end -->")


def test_areas_are_those_of_the_maps_on_file(out):
    data = make_tuning(QUICK_SAMPLES, random_state=0)
    rows = rows_of((out / "sections" / "tuning.md").read_text(encoding="utf-8"))
    with np.load(out / "tuning_ctsne.npz") as maps:
        assert [*maps] == ["β = 0.001"]
        for name, Y in maps.items():
            kept, left = (
                scores.overlap_area(Y, priors.labels(y)) for y in (data.hidden, data.known)
            )
            assert [float(cell) for cell in rows[name]] == pytest.approx([kept, left], abs=1e-3)


def test_the_prior_goes_and_the_hidden_groups_stay_even_in_a_quick_run(out):
    data = make_two_factor(QUICK_SAMPLES, random_state=0)
    with np.load(out / "synthetic.npz") as maps:
        purity = {
            name: [scores.neighbor_purity(Y, y) for y in (data.known, data.hidden)]
            for name, Y in maps.items()
        }
    assert purity["t-SNE"][0] > 0.9
    assert purity["CONFETTI, quantile"][0] < 0.2
    assert purity["CONFETTI, quantile"][1] > 0.9


def test_without_data_experiments_are_skipped_aloud_and_runs_add_up(tmp_path):
    for name in ("cells", "flowers", "markers"):
        assert run(name, "--quick", "--out", str(tmp_path)).exit_code == 0
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "**Skipped**: there is no flowers102_dist.npz" in page
    assert "**Skipped**: there is no sc_ra_synovium.npz" in page
    assert "**Skipped**: there is no sc_kang_pbmc.npz" in page
    assert page.index("Flowers") < page.index("Cells")


@pytest.mark.parametrize("error", [ImportError("no pooch"), ConnectionError("no network")])
def test_flowers_that_cannot_be_fetched_are_skipped_aloud(monkeypatch, tmp_path, error):
    def fail():
        raise error

    monkeypatch.setattr(_flowers, "fetch_flowers102", fail)
    assert run("flowers", "--out", str(tmp_path)).exit_code == 0
    assert f"**Skipped**: {error}" in (tmp_path / "results.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("content", [b"no archive", None])
def test_a_broken_file_is_named_in_one_sentence(tmp_path, content):
    path = tmp_path / "sc_ra_synovium.npz"
    path.write_bytes(content) if content else np.savez(path, pcs=np.eye(4))
    result = run("cells", "--quick", "--data", str(tmp_path), "--out", str(tmp_path / "out"))
    assert result.exit_code == 1
    wrong = f"Error: reproduce: {path} is not an npz file with the arrays pcs,"
    assert result.output.startswith(wrong)


def test_a_section_run_again_replaces_the_old_one(tmp_path):
    for text in ("old", "new"):
        write_section(tmp_path, "cells", Section("Cells", [text]))
        write_page(tmp_path, EXPERIMENTS)
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert page.endswith("## Cells\n\nnew\n")
    assert "old" not in page


def test_spread_and_table():
    assert spread([0.1, 0.3]) == "0.200 ± 0.141"
    assert spread([-0.0]) == "0.000"
    assert table(["", "a"], [["x", "1"]]) == "|  | a |\n| :-- | --: |\n| x | 1 |"
