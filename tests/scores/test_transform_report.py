"""Scores of new samples on a fitted map."""

import numpy as np
import pytest

import unprior as up
from unprior import priors
from unprior.scores import transform_report

# Few steps leave more of a prior than requested.
pytestmark = pytest.mark.filterwarnings("ignore::unprior.ConstraintWarning")

SOME, NEW = slice(0, 200), slice(200, 250)


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(250, random_state=0)


@pytest.fixture(scope="module")
def fitted(data):
    tsne = up.IndependentTSNE(perplexity=12, n_iter=200, random_state=0)
    return tsne.fit(data.X[SOME], prior=data.known[SOME].astype(str))


def test_scores_beside_a_joint_fit(data, fitted):
    known, hidden = data.known.astype(str), data.hidden
    joint = up.IndependentTSNE(perplexity=12, n_iter=200, random_state=0)
    found = transform_report(
        fitted,
        data.X[NEW],
        prior=known[NEW],
        hidden=(hidden[SOME], hidden[NEW]),
        fitted=(data.X[SOME], known[SOME]),
        joint=joint.fit_transform(data.X, prior=known),
    )
    assert [*found.scores] == ["prior left", "data kept", "hidden kept"]
    assert abs(found.scores["prior left"]["placed"]) < 0.15
    assert found.scores["hidden kept"]["placed"] > 0.9
    assert found.scores["data kept"]["placed"] > 0.9
    assert abs(found.gap("hidden kept")) < 0.1
    assert found.share_within > 0.95
    assert found.share_far < 0.1
    assert "placed  median   joint" in repr(found)
    assert found.to_dict()["scores"]["hidden kept"]["joint"] > 0.9


def test_left_is_measured_as_in_fit(data, fitted):
    """Of fitted samples as their own neighbours, all of the prior is left; among all, nothing."""
    from unprior.scores._transform_report import _room

    codes = np.unique(data.known[SOME], return_inverse=True)[1]
    lines = (codes[:, None] != codes).astype(float)
    own = np.array([np.flatnonzero(codes == code)[:10] for code in codes])
    shared, room = _room(lines, own, has_least=True)
    assert shared == pytest.approx(room)
    everyone = np.tile(np.arange(200), (200, 1))
    shared, room = _room(lines, everyone, has_least=False)
    assert shared == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"joint": np.zeros((3, 2))}, "'joint' takes a map of the 200 fitted and the 50 new"),
        ({"k": 0}, "'k' takes"),
        ({"hidden": (np.zeros(3), np.zeros(50))}, r"'hidden' takes a label for each of the 200"),
        ({"hidden": np.zeros(50)}, "'hidden' takes two things in a tuple; got ndarray"),
        ({"fitted": (np.zeros((50, 14)), ["0"] * 50)}, "'fitted' takes the data and prior"),
    ],
)
def test_refuses(data, fitted, options, message):
    with pytest.raises((TypeError, ValueError), match=f"^transform_report: {message}"):
        transform_report(fitted, data.X[NEW], prior=data.known[NEW].astype(str), **options)
    with pytest.raises(ValueError, match=r"^transform_report: 'estimator' takes a fitted"):
        transform_report(up.Residual(), data.X)


def values(data):
    angles = np.arctan2(data.X[:, 0], data.X[:, 1])
    table = {"batch": data.known.astype(str), "age": data.X[:, 0]}
    return {
        "features": data.X[:, :3],
        "numbers": data.X[:, 0],
        "geo": priors.geo(10 * data.X[:, 0], 10 * data.X[:, 1]),
        "cyclic": priors.cyclic(angles, 2 * np.pi),
        "embedding": priors.embedding(data.X[:, :2]),
        "manhattan": priors.features(data.X[:, :3], metric="manhattan"),
        "several": table,
        "combined": priors.combine(table),
    }


@pytest.mark.parametrize("kind", [*values(up.datasets.make_two_factor(20, random_state=0))])
def test_every_kind_of_prior_is_told_by_value(data, kind):
    prior = values(data)[kind]

    def part(rows):
        if isinstance(prior, dict):
            return {name: one[rows] for name, one in prior.items()}
        return prior[rows]

    tsne = up.IndependentTSNE(perplexity=12, n_iter=150, random_state=0)
    tsne.fit(data.X[SOME], prior=part(SOME))
    found = transform_report(tsne, data.X[NEW], prior=part(NEW))
    assert all(abs(of["placed"]) < 0.3 for what, of in found.scores.items() if "left" in what)


def test_priors_of_distances_are_told_by_distances(data):
    D = np.abs(data.X[:, :1] - data.X[:, 0])
    tsne = up.IndependentTSNE(perplexity=12, n_iter=150, random_state=0)
    tsne.fit(data.X[SOME], prior=priors.distances(D[SOME, SOME]))
    found = transform_report(tsne, data.X[NEW], prior=D[NEW, SOME])
    assert abs(found.scores["prior left"]["placed"]) < 0.3
    for bad, message in ((D[NEW, NEW], r"got shape \(50, 50\)"), (-D[NEW, SOME], "a negative")):
        with pytest.raises(ValueError, match=rf"of shape \(50, 200\); .*{message}"):
            tsne.transform(data.X[NEW], prior=bad)


def test_room_reaches_to_the_nearest_samples(rng):
    from unprior.scores._transform_report import _room

    lines = np.vstack([rng.random((6, 400)), np.linspace(1, 0, 400)])
    near = np.tile(np.arange(5), (7, 1))
    shared, room = _room(lines, near, has_least=True)
    far = lines.mean(axis=1)
    assert shared == pytest.approx((far - lines[:, :5].mean(axis=1)).sum())
    assert room == pytest.approx((far - np.sort(lines)[:, :5].mean(axis=1)).sum())


def test_purity_is_relative_to_chance():
    from unprior.scores._transform_report import _purity

    fitted, new = np.array(["a", "a", "a", "b"]), np.array(["a", "b"])
    near = np.array([[0, 1], [2, 3]])
    # Of four neighbours three have the label, of all fitted samples half.
    assert _purity(fitted, new, near) == pytest.approx((0.75 - 0.5) / (1 - 0.5))
    # A label that no fitted sample has cannot be met by chance.
    assert _purity(fitted, np.array(["c", "a"]), near) == pytest.approx((0.25 - 0.375) / 0.625)


def test_hidden_labels_of_one_class_have_nothing_to_show(data, fitted):
    hidden = np.repeat("same", 200), np.repeat("same", 50)
    found = transform_report(fitted, data.X[NEW], prior=data.known[NEW].astype(str), hidden=hidden)
    assert found.scores["hidden kept"] == {"placed": 0.0, "median": 0.0}
    for k in (15, 16):
        known = data.known[NEW].astype(str)
        again = transform_report(fitted, data.X[NEW], prior=known, hidden=hidden, k=k)
        assert (again.scores == found.scores) == (k == 15)


def test_shares_and_displacements_by_hand(data, fitted):
    from unprior.scores._transform_report import TransformReport, _displacement

    report = TransformReport({}, np.array([True, False]), np.array([0.5, 1.0, 2.0, 0.9]))
    assert (report.share_far, report.share_within) == (0.5, 0.5)
    assert np.isnan(TransformReport({}, np.array([True]), None).share_within)
    Y, known = fitted.embedding_, data.known[SOME].astype(str)
    places = fitted._place(data.X[SOME], known)[0].places
    radius = np.sort(np.linalg.norm(Y[:, None] - Y, axis=2))[:, 15]
    expected = np.linalg.norm(places - Y, axis=1) / radius
    np.testing.assert_allclose(
        _displacement("it", fitted, data.X[SOME], known), expected, rtol=1e-6
    )
