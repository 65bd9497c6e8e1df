import json

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from unprior import OverRemovalWarning, priors
from unprior.scores import (
    knn_purity,
    neighbor_coherence,
    overlap_area,
    overlap_curve,
    report,
    rest_kept,
    trustworthiness,
)


@pytest.fixture
def case(two_groups):
    """A map, its data, what is known and what is hidden."""
    X, known, hidden = two_groups
    return X[:, 3:], X, np.array([*"abc"])[known], np.array([*"xy"])[hidden]


def test_every_row_is_the_score_it_names(case):
    Y, X, known, hidden = case
    age = X[:, 0]
    scores = report(
        Y, X=X, prior={"batch": known, "age": age}, hidden={"sex": hidden}, k=10
    ).to_dict()
    assert scores == {
        "prior": {
            "batch": {
                "neighbor_purity": pytest.approx(knn_purity(Y, known, 10)),
                "overlap_area": pytest.approx(overlap_area(Y, known)),
            },
            "age": {
                "neighbor_coherence": pytest.approx(neighbor_coherence(Y, age, 10)),
                "overlap_area": pytest.approx(overlap_area(Y, age)),
            },
        },
        "data": {
            "overlap_area": pytest.approx(overlap_area(Y, X)),
            "neighbor_overlap": pytest.approx(overlap_curve(Y, X).score[9]),
            "trustworthiness": pytest.approx(trustworthiness(X, Y, 10)),
        },
        "rest": {
            "neighbor_coherence": pytest.approx(rest_kept(Y, X, {"batch": known, "age": age}, 10))
        },
        "hidden": {
            "sex": {
                "neighbor_purity": pytest.approx(knn_purity(Y, hidden, 10)),
                "overlap_area": pytest.approx(overlap_area(Y, hidden)),
            }
        },
    }
    assert json.loads(json.dumps(scores)) == scores


def test_rows_say_what_they_measure_and_what_is_good(case):
    Y, X, known, hidden = case
    rows = report(Y, X=X, prior=known, hidden=hidden).rows
    assert [(row.what, row.want) for row in rows] == [
        *[("prior left", "chance")] * 2,
        *[("data kept", "high")] * 3,
        ("rest kept", "high"),
        *[("hidden kept", "high")] * 2,
    ]
    chance = {row.measure: row.chance for row in rows}
    assert chance["neighbor_purity"] == chance["neighbor_coherence"] == chance["overlap_area"] == 0
    assert chance["neighbor_overlap"] == pytest.approx(15 / 89)
    assert 0.5 < chance["trustworthiness"] < 0.6
    # The map holds the hidden columns alone.
    scores = {(row.role, row.measure): row.score for row in rows}
    assert scores["hidden", "neighbor_purity"] > 0.9
    assert abs(scores["prior", "neighbor_purity"]) < 0.1


def test_several_by_list_are_numbered(case):
    Y, X, known, hidden = case
    rows = report(Y, prior=[known, X[:, 0]], hidden=[hidden, X[:, 3]]).rows
    assert [row.what for row in rows[::2]] == [
        "prior 1 left",
        "prior 2 left",
        "hidden 1 kept",
        "hidden 2 kept",
    ]


def test_a_combined_prior_is_one_row(case):
    Y, X, known, _ = case
    both = priors.combine([known, X[:, 0]])
    assert [row.measure for row in report(Y, prior=both).rows] == [
        "neighbor_coherence",
        "overlap_area",
    ]


def test_data_may_be_features_distances_or_a_prior(case):
    Y, X, *_ = case
    D = cdist(X, X)
    expected = report(Y, X=X).to_dict()["data"]
    for scores in (report(Y, X=D, metric="precomputed"), report(Y, X=priors.distances(D))):
        assert scores.to_dict()["data"] == pytest.approx(expected)
    other = report(Y, X=X, metric="cosine").to_dict()["data"]
    assert other["overlap_area"] == pytest.approx(
        overlap_area(Y, priors.features(X, metric="cosine"))
    )


def test_the_rest_has_a_row_where_it_can_be_found(case, monkeypatch):
    Y, X, known, _ = case
    D = cdist(X, X)
    expected = report(Y, X=X, prior=known).to_dict()["rest"]
    for told in (
        {"X": D, "metric": "precomputed"},
        {"X": D.astype(np.float32).astype(float), "metric": "precomputed"},
        {"X": priors.distances(D)},
        {"X": priors.features(X)},
    ):
        assert report(Y, **told, prior=known).to_dict()["rest"] == pytest.approx(expected, rel=1e-4)
    without = [
        report(Y, X=X),
        report(Y, prior=known),
        report(Y, X=X, prior=known, metric="cosine"),
        report(Y, X=priors.features(X, metric="cityblock"), prior=known),
        report(Y, X=priors.labels(known), prior=known),
        # Of data that are the prior itself nothing is left, nor of data that are all the same.
        report(Y, X=(known == "a") * 2.0 + (known == "b"), prior=known),
        report(Y, X=np.ones((90, 2)), prior=known),
        report(Y[:3], X=X[:3], prior=["a", "a", "b"], k=1),
    ]
    assert ["rest" in scores.to_dict() for scores in without] == [False] * 8
    monkeypatch.setattr("unprior.scores._yardsticks.MOST_DISTANCES", 89)
    assert "rest" not in report(Y, X=D, prior=known, metric="precomputed").to_dict()
    assert "rest" in report(Y, X=X, prior=known).to_dict()


def test_a_map_that_lost_the_rest_is_warned_of(case, rng, monkeypatch):
    Y, X, known, hidden = case
    lost = rng.normal(size=(90, 2))
    with pytest.warns(
        OverRemovalWarning, match=r"^report: little .* \(-?0\.\d\d in the map; "
    ) as caught:
        scores = report(lost, X=X, prior=known, hidden=hidden)
    assert caught[0].filename == __file__
    assert len(caught) == 1
    assert abs(scores.to_dict()["rest"]["neighbor_coherence"]) < 0.1
    kept = report(Y, X=X, prior=known).to_dict()["rest"]["neighbor_coherence"]
    monkeypatch.setattr("unprior.scores._over_removal.LEAST_KEPT", kept + 1e-9)
    with pytest.warns(OverRemovalWarning):
        report(Y, X=X, prior=known)
    monkeypatch.setattr("unprior.scores._over_removal.LEAST_KEPT", kept)
    report(Y, X=X, prior=known)


def test_it_prints_as_a_table(case):
    Y, X, known, hidden = case
    scores = report(Y, X=X, prior={"batch": known}, hidden={"sex": hidden})
    lines = str(scores).splitlines()
    assert repr(scores) == str(scores)
    assert lines[0].split() == ["measure", "score", "chance", "want"]
    assert len(lines) == 9
    assert lines[1].startswith("batch left  15-neighbour purity ")
    assert lines[1].endswith("0.000  chance")
    assert lines[6].startswith("rest kept   15-neighbour coherence ")
    assert lines[7].startswith("sex kept    15-neighbour purity ")
    assert f"{scores.rows[-1].score:.3f}" in lines[8]
    html = report(Y, prior={"<i>batch": known})._repr_html_()
    assert html.startswith("<table>")
    assert "&lt;i&gt;batch left" in html
    assert "<i>" not in html


def test_sampled_rows_come_with_their_doubt(case):
    Y, X, known, _ = case
    exact = report(Y, X=X, prior=known)
    some = report(Y, X=X, prior=known, n_rows=40, random_state=1)
    assert (exact.n_rows, some.n_rows, some.n_samples) == (90, 40, 90)
    for row, sure in zip(some.rows, exact.rows, strict=True):
        assert sure.standard_error == 0
        assert abs(row.score - sure.score) < 4 * row.standard_error
    assert "±" in str(some)
    assert str(some).endswith("(40 of 90 samples scored; ± is one standard error)")
    assert "±" not in str(exact)
    again = report(Y, X=X, prior=known, n_rows=40, random_state=1)
    assert some == again
    assert some != report(Y, X=X, prior=known, n_rows=40, random_state=2)
    assert report(Y, prior=known, n_rows=None) == report(Y, prior=known)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"takes at least one of 'X', 'prior' and 'hidden'"),
        ({"X": np.ones((89, 2))}, r"'Y' has 90 samples and 'X' 89"),
        ({"prior": np.ones(90)}, r"'prior' says nothing"),
        ({"hidden": {"age": np.ones(90)}}, r"'age' says nothing"),
        ({"prior": np.arange(80.0)}, r"'prior' has 80 samples"),
        ({"hidden": np.arange(80.0)}, r"'hidden' has 80 samples"),
        ({"prior": np.arange(90)}, r"'prior' holds integers.*priors\.labels"),
        ({"hidden": {"sex": np.arange(90)}}, r"'sex' holds integers.*priors\.labels"),
        ({"hidden": []}, r"'hidden' is empty"),
        ({"prior": np.arange(90.0), "k": 90}, r"'k' takes a whole number in \[1, 89\]; got 90"),
        ({"X": np.ones((90, 2)), "k": 45}, r"'k' takes a whole number in \[1, 44\]; got 45"),
        ({"prior": np.arange(90.0), "n_rows": "all"}, r"'n_rows' takes 'auto' or None \(all\) or"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(case, options, message):
    with pytest.raises(ValueError, match=f"^report: .*{message}"):
        report(case[0], **options)
