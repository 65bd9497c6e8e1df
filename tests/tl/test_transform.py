"""`tl.transform` places new cells on the map of a reference, also one read from a file."""

import anndata
import numpy as np
import pytest

import unprior as up

pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")


@pytest.fixture
def parts(adata):
    return adata[:70].copy(), adata[70:].copy()


def test_places_as_the_estimator_does(parts, tmp_path):
    ref, new = parts
    up.tl.embed(ref, "batch", keep_model=True)
    _, report = up.embed(
        ref.X, prior={"batch": ref.obs["batch"]}, random_state=0, return_report=True
    )
    expected = report.fitted.transform(new.X, prior={"batch": new.obs["batch"]})
    up.tl.transform(new, ref)
    np.testing.assert_array_equal(new.obsm["X_embed"], expected.astype(np.float32))
    assert new.uns["embed"]["far"].shape == (len(new),)
    ref.write_h5ad(tmp_path / "ref.h5ad")
    again = up.tl.transform(new, anndata.read_h5ad(tmp_path / "ref.h5ad"), copy=True)
    np.testing.assert_array_equal(again.obsm["X_embed"], new.obsm["X_embed"])


def test_refuses(parts):
    ref, new = parts
    up.tl.embed(ref, "batch")
    with pytest.raises(ValueError, match=r"^tl.transform: .*keep_model=True"):
        up.tl.transform(new, ref)
    with pytest.raises(ValueError, match=r"^tl.embed: 'keep_model' takes maps"):
        up.tl.embed(ref, "batch", method="residual", keep_model=True)
    up.tl.embed(ref, "batch", keep_model=True)
    del new.obs["batch"]
    with pytest.raises(ValueError, match="names 'batch', which is not a column"):
        up.tl.transform(new, ref)
    for damaged in (np.frombuffer(b"junk", np.uint8), "x", {}, {"json": "[" * 200_000}):
        spoilt = ref.copy()
        spoilt.uns["embed"] = {**ref.uns["embed"], "model": damaged}
        with pytest.raises(ValueError, match=r"^tl.transform: the map's model is damaged"):
            up.tl.transform(new, spoilt, without_prior=True)
    up.tl.transform(new, ref, without_prior=True)
    assert np.isfinite(new.obsm["X_embed"]).all()
