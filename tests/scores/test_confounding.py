"""How strongly two label sets or columns are associated, and how it is described."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats.contingency import association

import unprior as up
from unprior import priors, scores
from unprior.priors._label_sets import bias_corrected_v

N = 200
RNG = np.random.default_rng(0)
BATCH = RNG.choice([*"abc"], N)
CELL = np.where(RNG.random(N) < 0.6, np.char.add("t", BATCH), RNG.choice(["ta", "tb", "tc"], N))
AGE = RNG.normal(size=N)


@given(st.lists(st.lists(st.integers(0, 60), min_size=3, max_size=3), min_size=2, max_size=5))
def test_the_correction_is_that_of_bergsma(rows):
    counts = np.array(rows) + 1
    n, (r, k) = counts.sum(), counts.shape
    phi = association(counts) ** 2 * (min(r, k) - 1)
    rows_, columns = r - (r - 1) ** 2 / (n - 1), k - (k - 1) ** 2 / (n - 1)
    expected = np.sqrt(max(0, phi - (r - 1) * (k - 1) / (n - 1)) / (min(rows_, columns) - 1))
    assert bias_corrected_v(counts) == pytest.approx(min(1, expected), abs=1e-9)


def test_several_tables_are_pooled():
    one, two = np.array([[30, 10], [10, 30]]), np.array([[20, 20], [20, 20]])
    assert bias_corrected_v(one, one) == pytest.approx(bias_corrected_v(one))
    assert 0 < bias_corrected_v(one, two) < bias_corrected_v(one)
    nothing = np.array([[7, 9]])  # one class: there is no association to measure
    assert bias_corrected_v(one, nothing, np.array([[1]])) == pytest.approx(bias_corrected_v(one))


@pytest.mark.parametrize(
    ("one", "two", "measure"),
    [
        (BATCH, CELL, "cramers_v"),
        (BATCH, AGE + 2.0 * (BATCH == "a"), "correlation_ratio"),
        (AGE, AGE**2, "distance_correlation"),
        (priors.cyclic(AGE, period=1), BATCH, "distance_correlation"),
    ],
)
def test_each_pair_has_its_measure(one, two, measure):
    found, back = scores.confounding(one, two), scores.confounding(two, one)
    assert found.measure == back.measure == measure
    assert found.value == pytest.approx(back.value, abs=1e-9)
    assert 0 <= found.chance <= found.chance_high <= 1
    json.dumps(found.to_dict())


@settings(max_examples=10)
@given(st.integers(0, 10**6))
def test_what_is_dealt_out_at_random_is_near_chance(seed):
    rng = np.random.default_rng(seed)
    for one, two in ((BATCH, CELL), (BATCH, AGE), (AGE, AGE**3)):
        found = scores.confounding(one, rng.permutation(two))
        assert found.value < found.chance_high + 0.15
        assert not found.is_strong


def test_names_of_classes_do_not_matter():
    renamed = np.array([{"a": "z", "b": "y", "c": "x"}[b] for b in BATCH])
    assert scores.confounding(renamed, CELL).value == scores.confounding(BATCH, CELL).value


def test_errors_name_the_argument():
    with pytest.raises(ValueError, match="confounding: 'other' holds integers"):
        scores.confounding(BATCH, np.arange(N) % 3)
    with pytest.raises(ValueError, match="confounding: 'site' holds integers"):
        scores.confounding({"batch": BATCH}, {"site": np.arange(N) % 3})
    with pytest.raises(TypeError, match=r"confounding: 'other' takes a prior.*got str"):
        scores.confounding(BATCH, "site")


def test_designs_are_recognised_by_name():
    donor = np.char.add(BATCH, RNG.choice(["1", "2"], N))
    said = {
        "fully confounded": scores.confounding({"batch": BATCH}, {"site": np.char.upper(BATCH)}),
        "'donor' is nested in 'batch'": scores.confounding({"donor": donor}, {"batch": BATCH}),
        "'donor' is nested in 'lab'": scores.confounding({"lab": BATCH}, {"donor": donor}),
    }
    for words, found in said.items():
        assert words in str(found)
        assert found.value > 0.9
    assert scores.confounding(BATCH, CELL).design == "crossed"
    lacking = np.where((BATCH == "a") & (CELL == "tb"), "tc", CELL)
    assert scores.confounding(BATCH, lacking).design == "partly crossed"


def test_shares_and_missing_labels():
    cell = pd.Series(np.where(np.arange(N) < 20, None, CELL), name="cell")
    found = scores.confounding({"batch": BATCH}, cell)
    assert found.names == ("batch", "cell")
    assert found.n_samples == N - 20
    expected = pd.crosstab(BATCH[20:], CELL[20:], normalize="columns")
    np.testing.assert_allclose(found.shares, expected)
    assert "share of batch in" in str(found)


@pytest.mark.parametrize(
    ("other", "says"),
    [
        (["x"] * N, "'other' says nothing: it has one class only"),
        (CELL[:-1], "'other' has 199 samples, 'prior' has 200"),
        ({"a": CELL, "b": CELL}, "'other' takes one label set or column; got 2"),
    ],
)
def test_what_is_refused(other, says):
    with pytest.raises(ValueError, match=says):
        scores.confounding(BATCH, other)


@pytest.fixture(scope="module")
def two_batches():
    """Data of three types; each batch lacks one."""
    rng = np.random.default_rng(0)
    cell = rng.integers(0, 3, 150)
    batch = np.where(cell == 0, 0, np.where(cell == 2, 1, rng.integers(0, 2, 150)))
    X = rng.normal(size=(150, 5)) + 5 * np.eye(5)[cell] + 4 * np.eye(5)[3] * batch[:, None]
    return pd.DataFrame(X, columns=[*"vwxyz"]).assign(
        batch=np.array(["a", "b"])[batch], cell=np.array(["x", "y", "z"])[cell]
    )


def test_embed_warns_before_it_draws_and_reports_within(two_batches):
    with pytest.warns(up.ConfoundingWarning) as caught:
        Y, report = up.embed(
            two_batches, prior="batch", keep="cell", random_state=0, return_report=True
        )
    (told,) = caught
    assert "'batch' and 'cell' go together" in str(told.message)
    assert told.filename == __file__
    assert scores.neighbor_purity(Y, two_batches["cell"]) > 0.9
    assert abs(report.left_within["batch"]) < 0.05 < report.before_within["batch"]
    assert report.left["batch"] > 0.3
    assert report.confounding["batch"].is_strong
    assert "batch within cell" in str(report)
    assert "within kept classes" in report.reason
    assert report.to_dict()["left_within"] == report.left_within
    again = report.estimator.fit_transform(
        two_batches[[*"vwxyz"]], prior={"batch": two_batches["batch"]}, keep=two_batches["cell"]
    )
    np.testing.assert_array_equal(again, Y)


def test_the_prior_as_kept_labels_removes_nothing_and_says_so(two_batches):
    with pytest.warns(up.ConfoundingWarning, match="nothing of it is removed; leave 'keep' out"):
        Y = up.embed(
            two_batches.drop(columns="cell"),
            prior="batch",
            keep=two_batches["batch"],
            random_state=0,
        )
    assert scores.neighbor_purity(Y, two_batches["batch"]) > 0.9


@pytest.fixture(scope="module")
def two_sites():
    """Data of four donors, two at each of two sites."""
    rng = np.random.default_rng(0)
    donor = np.arange(160) % 4
    site = donor // 2
    X = rng.normal(size=(160, 5)) + 4 * np.outer(donor % 2, np.eye(5)[3])
    X += 6 * np.outer(site, np.eye(5)[0])
    return X, {"donor": donor.astype(str)}, {"site": site.astype(str)}


def test_a_prior_nested_in_kept_labels_is_named_and_removed_within_them(two_sites):
    X, donor, site = two_sites
    with pytest.warns(up.ConfoundingWarning, match="'donor' is nested in 'site'"):
        Y = up.embed(X, prior=donor, keep=site, random_state=0)
    assert scores.neighbor_purity(Y, site["site"]) > 0.9
    assert scores.left_within(X, donor, site) > 0.5
    assert abs(scores.left_within(Y, donor, site)) < 0.1


def test_kept_labels_nested_in_the_prior_leave_nothing_to_remove(two_sites):
    X, donor, site = two_sites
    with pytest.warns(up.ConfoundingWarning, match="'site' does not differ within classes of 'do"):
        Y, report = up.embed(X, prior=site, keep=donor, random_state=0, return_report=True)
    assert scores.neighbor_purity(Y, site["site"]) > 0.9
    assert "prior within kept classes, where it is not visible" in report.reason


def test_methods_of_embed_without_keep_refuse_it(two_batches):
    with (
        pytest.warns(up.ConfoundingWarning),
        pytest.raises(TypeError, match="embed: 'keep' is not taken by JEDI"),
    ):
        up.embed(two_batches, prior="batch", keep="cell", method="jedi")


def test_a_dict_has_all_that_was_found():
    found = scores.confounding({"batch": BATCH}, {"cell": CELL})
    told = found.to_dict()
    assert {*told} == {*found.__dataclass_fields__}
    assert told["names"] == ["batch", "cell"]
    assert told["shares"] == found.shares.tolist()
    assert told["value"] == found.value
    assert told["classes"] == [[*"abc"], ["ta", "tb", "tc"]]
    assert scores.confounding(BATCH, AGE).to_dict()["shares"] is None


@pytest.mark.parametrize("unit", [1e-140, 1e-90, 1e90, 1e140])
def test_units_do_not_matter(unit):
    number = AGE + 2.0 * (BATCH == "a")
    for other in (BATCH, AGE**2):
        expected = scores.confounding(number, other)
        found = scores.confounding(unit * number, other if other is BATCH else unit * other)
        assert found.measure == expected.measure
        assert found.value == pytest.approx(expected.value, rel=1e-9)
        assert found.chance == pytest.approx(expected.chance, rel=1e-9)


@pytest.mark.parametrize(
    ("one", "two", "name", "count"),
    [
        (["x", "y", None, None], [None, None, "u", "v"], "a", 0),
        (["x", "x", "y", None], ["u", "v", None, None], "a", 2),
        (["x", "y", None, "y"], ["u", "u", "v", "u"], "b", 3),
    ],
)
def test_labels_without_two_classes_in_common_samples_are_refused(one, two, name, count):
    with pytest.raises(ValueError, match=f"^confounding: '{name}' says nothing: of the {count} "):
        scores.confounding({"a": one}, {"b": two})
