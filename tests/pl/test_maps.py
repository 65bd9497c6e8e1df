"""`pl.embedding` and `pl.compare`: names in an AnnData become values, colours and score lines."""

import anndata
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.sparse import csr_matrix

import unprior as up


@pytest.fixture
def adata(rng):
    obs = pd.DataFrame({"batch": pd.Categorical(["b", "a", "c"] * 10), "age": np.arange(30.0)})
    obs.index = obs.index.astype(str)
    found = anndata.AnnData(csr_matrix(rng.normal(size=(30, 4))), obs)
    found.obsm["X_jedi"], found.obsm["X_umap"] = rng.normal(size=(2, 30, 2))
    found.uns["batch_colors"] = ["#ff0000", "#00ff00", "#0000ff"]
    return found


def legend(ax):
    return {
        text.get_text(): handle.get_color()
        for text, handle in zip(
            ax.get_legend().get_texts(), ax.get_legend().legend_handles, strict=True
        )
    }


def test_groups_keep_the_colors_of_scanpy(adata):
    ax = up.pl.embedding(adata, color="batch")
    assert isinstance(ax, Axes)
    assert ax.get_title() == "batch"
    assert legend(ax) == {"a (10)": "#ff0000", "b (10)": "#00ff00", "c (10)": "#0000ff"}


@pytest.mark.parametrize("color", ["age", "1"])
def test_numbers_and_genes_get_a_color_bar(adata, color):
    ax = up.pl.embedding(adata, "umap", color=color, title="a title")
    values = adata.obs["age"] if color == "age" else adata.X[:, [1]].toarray()
    (bar,) = ax.child_axes
    assert bar.get_ylim() == (values.min(), values.max())
    assert ax.get_title() == "a title"


def test_without_color_there_is_neither_key_nor_title(adata):
    ax = up.pl.embedding(adata)
    assert ax.get_legend() is None
    assert (ax.get_title(), ax.get_xlabel()) == ("", "")


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_scores_that_were_kept_stand_below(adata):
    report = up.tl.score(adata, "jedi", prior="batch", k=3).to_dict()
    left = report["prior"]["batch"]["neighbor_purity"]
    kept = report["data"]["neighbor_overlap"]
    told = [f"batch left {left:.2f}", f"data kept {kept:.2f}"]
    assert up.pl.embedding(adata).get_xlabel() == "\n".join(told)
    axes = up.pl.compare(adata, ["umap", "jedi"])
    assert [ax.get_xlabel() for ax in axes[0]] == ["", ", ".join(told)]


def test_several_maps_and_colors_make_a_grid(adata):
    axes = up.pl.compare(adata, ["umap", "jedi"], color=["batch", "age"])
    assert axes.shape == (2, 2)
    assert [ax.get_title() for ax in axes[0]] == ["umap", "jedi"]
    assert legend(axes[0, 1])["a (10)"] == "#ff0000"
    assert axes[0, 1].get_legend().get_title().get_text() == "batch"
    assert up.pl.compare(adata, ["umap", "jedi"], color="age").shape == (1, 2)


def test_the_map_of_embed_comes_first(adata):
    places = np.random.default_rng(1).normal(size=(30, 2))
    adata.obsm["X_embed"] = places
    axes = [up.pl.embedding(adata), up.pl.embedding(adata, "embed"), up.pl.embedding(adata, "jedi")]
    spans = [ax.dataLim.get_points().tolist() for ax in axes]
    assert spans[0] == spans[1] != spans[2]
    del adata.obsm["X_embed"], adata.obsm["X_jedi"]
    with pytest.raises(ValueError, match=r"^pl\.embedding: 'adata' has no map of unprior, but"):
        up.pl.embedding(adata)


def test_both_draw_on_the_given_axes(adata):
    given = Figure().subplots(1, 2)
    assert up.pl.embedding(adata, ax=given[0]) is given[0]
    assert up.pl.compare(adata, ["umap", "jedi"], ax=given)[0, 1] is given[1]


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda a: up.pl.embedding(a, "tsne"), r"pl\.embedding: 'adata' has no map obsm"),
        (lambda a: up.pl.embedding(a, color="bach"), r"pl\.embedding: 'color' names 'bach'.*batch"),
        (lambda a: up.pl.compare(a, "jedi"), r"pl\.compare: 'bases' takes a list of names; got"),
        (lambda a: up.pl.compare(a, ["jedi"], color=3), r"pl\.compare: 'color' takes a list"),
        (lambda a: up.pl.compare(3, ["jedi"]), r"pl\.compare: 'adata' takes an AnnData; got 3"),
    ],
)
def test_bad_input_is_named(adata, call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call(adata)


def test_several_colors_are_for_compare(adata):
    with pytest.raises(ValueError, match=r"'color' takes .*pl\.compare takes a list"):
        up.pl.embedding(adata, color=["batch", "age"])
