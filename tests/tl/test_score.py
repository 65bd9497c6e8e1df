import pytest

import unprior as up


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_it_returns_the_report_and_keeps_the_numbers(adata):
    report = up.tl.score(adata, "side", prior="batch", hidden=["type", "age"], use_rep="X")
    expected = up.scores.report(
        adata.obsm["X_side"],
        X=adata.X,
        prior={"batch": adata.obs["batch"]},
        hidden={"type": adata.obs["type"], "age": adata.obs["age"]},
    )
    assert report.to_dict() == expected.to_dict() == adata.uns["side_score"]
    assert repr(report) == repr(expected)


@pytest.mark.filterwarnings("ignore::unprior.OverRemovalWarning")
def test_prior_data_and_metric_are_those_the_map_was_drawn_with(adata):
    up.tl.jedi(adata, ["batch", "age"], n_iter=5, use_rep="X_side", metric="cityblock")
    report = up.tl.score(adata, key_added="numbers")
    expected = up.scores.report(
        adata.obsm["X_jedi"],
        X=adata.obsm["X_side"],
        prior={"batch": adata.obs["batch"], "age": adata.obs["age"]},
        metric="cityblock",
    )
    assert report.to_dict() == expected.to_dict() == adata.uns["numbers"]
    other = up.tl.score(adata, prior="type", use_rep="X", metric="euclidean")
    assert [*other.to_dict()["prior"]] == ["type"]


def test_the_full_name_of_a_map_finds_its_settings(adata):
    up.tl.jedi(adata, "batch", n_iter=5, use_rep="X_side", metric="cityblock")
    full = up.tl.score(adata, "X_jedi").to_dict()
    assert adata.uns["jedi_score"] == full
    assert full == up.tl.score(adata, "jedi").to_dict()


def test_a_metric_without_a_name_is_not_taken_up(adata):
    up.tl.jedi(adata, "batch", n_iter=5, metric=lambda x, y: abs(x - y).max())
    assert "metric" not in adata.uns["jedi"]["params"]
    by_default = up.tl.score(adata).to_dict()
    assert by_default == up.tl.score(adata, metric="euclidean").to_dict()


def test_a_map_that_is_not_there_is_named(adata):
    with pytest.raises(ValueError, match=r"tl\.score: 'adata' has no map obsm\['X_jedi'\]"):
        up.tl.score(adata, "jedi")
    with pytest.raises(
        ValueError, match=r"^tl\.score: 'adata' has no map of unprior, but .*X_side"
    ):
        up.tl.score(adata)
    with pytest.raises(ValueError, match=r"^tl\.score: 'adata' takes an AnnData"):
        up.tl.score("cells.h5ad")


@pytest.mark.filterwarnings("ignore::unprior.UnpriorWarning")
def test_by_default_it_is_the_latest_map(adata):
    up.tl.residual(adata, "batch")
    adata.obsm["X_umap"] = adata.obsm["X_side"][:, :2]
    up.tl.jedi(adata, "batch", n_iter=5, key_added="mine")
    up.tl.score(adata)
    assert "mine_score" in adata.uns
    up.tl.jedi(adata, "batch", n_iter=5)
    assert up.tl.score(adata).to_dict() == adata.uns["jedi_score"]
    del adata.uns["unprior"]  # as in older files
    with pytest.raises(ValueError, match=r"has several maps, \['jedi', 'mine'\]; name one with"):
        up.tl.score(adata)
    up.tl.embed(adata, "batch", method="jedi")
    assert up.tl.score(adata).to_dict() == adata.uns["embed_score"]


def test_a_prior_without_a_name_is_asked_for(adata):
    up.tl.jedi(adata, up.priors.labels(adata.obs["batch"]), n_iter=5, use_rep="X_side")
    with pytest.warns(up.PriorMissingWarning, match="pass it again as 'prior'"):
        report = up.tl.score(adata)
    assert "prior" not in report.to_dict() or not report.to_dict()["prior"]
