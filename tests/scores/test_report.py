import json
import sys

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.special import polygamma

from unprior import OverRemovalWarning, priors
from unprior.scores import (
    _neighbors,
    class_purity,
    confounding,
    kept_within,
    left_within,
    neighbor_coherence,
    neighbor_purity,
    overlap_area,
    overlap_curve,
    report,
    rest_kept,
    trustworthiness,
    unevenness,
)


@pytest.fixture
def case(two_groups):
    """A map, its data, the prior and hidden labels."""
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
                "neighbor_purity": pytest.approx(neighbor_purity(Y, known, 10)),
                "worst_class_purity": pytest.approx(
                    max(class_purity(Y, known, 10).values(), key=abs)
                ),
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
        "within": {
            "neighbor_coherence": pytest.approx(kept_within(Y, X, {"batch": known, "age": age}, 10))
        },
        "hidden": {
            "sex": {
                "neighbor_purity": pytest.approx(neighbor_purity(Y, hidden, 10)),
                "worst_class_purity": pytest.approx(min(class_purity(Y, hidden, 10).values())),
                "overlap_area": pytest.approx(overlap_area(Y, hidden)),
            }
        },
        "prior within": {
            "batch within sex": {
                "neighbor_purity": pytest.approx(left_within(Y, known, hidden, 10))
            },
            "age within sex": {
                "neighbor_coherence": pytest.approx(left_within(Y, age, hidden, 10))
            },
        },
        "confounding": {
            "batch and sex": {"cramers_v": confounding(known, hidden).value},
            "age and sex": {"correlation_ratio": confounding(age, hidden).value},
        },
        "map": {"unevenness": pytest.approx(unevenness(Y))},
    }
    assert json.loads(json.dumps(scores)) == scores


def test_rows_say_what_they_measure_and_what_is_good(case):
    Y, X, known, hidden = case
    rows = report(Y, X=X, prior=known, hidden=hidden).rows
    assert [(row.what, row.want) for row in rows] == [
        *[("prior left", "chance")] * 3,
        *[("data kept", "high")] * 3,
        ("rest kept", "high"),
        ("kept within prior", "high"),
        *[("hidden kept", "high")] * 3,
        ("prior left within hidden", "chance"),
        ("prior and hidden", "low"),
        ("map", "low"),
    ]
    chance = {row.measure: row.chance for row in rows}
    assert chance["neighbor_purity"] == chance["neighbor_coherence"] == chance["overlap_area"] == 0
    assert chance["neighbor_overlap"] == pytest.approx(15 / 89)
    assert 0.5 < chance["trustworthiness"] < 0.6
    assert chance["unevenness"] == pytest.approx(np.sqrt(polygamma(1, 5)) / 3)
    # The map holds the hidden columns alone.
    scores = {(row.role, row.measure): row.score for row in rows}
    assert scores["hidden", "neighbor_purity"] > 0.9
    assert abs(scores["prior", "neighbor_purity"]) < 0.1


def test_several_by_list_are_numbered(case):
    Y, X, known, hidden = case
    rows = report(Y, prior=[known, X[:, 0]], hidden=[hidden, X[:, 3]]).rows
    assert [row.what for row in rows if row.measure == "overlap_area"] == [
        "prior 1 left",
        "prior 2 left",
        "hidden 1 kept",
        "hidden 2 kept",
    ]
    within = [
        report(Y, X=X, prior=[known, X[:, 0], *more]).rows[place].what
        for more, place in (([], 9), ([hidden], 12))
    ]
    assert within == ["kept within prior 1 and prior 2", "kept within all priors"]


def test_a_combined_prior_is_one_row(case):
    Y, X, known, _ = case
    both = priors.combine([known, X[:, 0]])
    assert [row.measure for row in report(Y, prior=both).rows] == [
        "neighbor_coherence",
        "overlap_area",
        "unevenness",
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
        report(Y, X=X, prior=known, metric="cityblock"),
        report(Y, X=priors.features(X, metric="cityblock"), prior=known),
        report(Y, X=priors.labels(known), prior=known),
        # Data that are the prior itself have no rest, nor do constant data.
        report(Y, X=(known == "a") * 2.0 + (known == "b"), prior=known),
        report(Y, X=np.ones((90, 2)), prior=known),
        report(Y[:3], X=X[:3], prior=["a", "a", "b"], k=1),
    ]
    assert ["rest" in scores.to_dict() for scores in without] == [False] * 8
    monkeypatch.setattr("unprior.scores._yardsticks.MOST_DISTANCES", 89)
    assert "rest" not in report(Y, X=D, prior=known, metric="precomputed").to_dict()
    assert "rest" in report(Y, X=X, prior=known).to_dict()


def test_what_is_kept_within_the_prior_has_a_row_where_there_is_something_to_keep(case):
    Y, X, known, _ = case
    expected = kept_within(Y, X, known)
    assert report(Y, X=X, prior=known).to_dict()["within"] == {"neighbor_coherence": expected}
    # It takes any metric, as no residual is needed.
    other = report(Y, X=X, prior=known, metric="cityblock").to_dict()
    assert other["within"]["neighbor_coherence"] == kept_within(Y, X, known, metric="cityblock")
    assert "rest" not in other
    itself = (known == "a") * 2.0 + (known == "b")
    without = [
        report(Y, X=X),
        report(Y, prior=known),
        report(Y, X=itself, prior=known),
        report(Y, X=itself, prior=known, metric="cityblock"),
        report(Y, X=np.ones((90, 2)), prior=known),
        report(Y, X=X, prior=np.repeat(np.arange(30), 3).astype(str)),
    ]
    assert ["within" in scores.to_dict() for scores in without] == [False] * 6


def test_a_map_that_lost_the_rest_is_warned_of(case, rng, monkeypatch):
    Y, X, known, hidden = case
    lost = rng.normal(size=(90, 2))
    with pytest.warns(
        OverRemovalWarning, match=r"^report: little .* \(-?0\.\d\d in the map; "
    ) as caught:
        scores = report(lost, X=X, prior=known, hidden=hidden)
    assert caught[0].filename == __file__
    assert len(caught) == 1
    assert abs(scores.to_dict()["within"]["neighbor_coherence"]) < 0.1
    kept = report(Y, X=X, prior=known).to_dict()["within"]["neighbor_coherence"]
    monkeypatch.setattr("unprior.scores._report.LEAST_WITHIN", kept + 1e-9)
    with pytest.warns(OverRemovalWarning):
        report(Y, X=X, prior=known)
    monkeypatch.setattr("unprior.scores._report.LEAST_WITHIN", kept)
    report(Y, X=X, prior=known)


def test_neighbors_are_searched_once_whatever_is_measured(case, monkeypatch):
    Y, X, known, hidden = case
    searched, search = [], _neighbors._search_tree

    def counted(Y, rows, k):
        searched.append((len(rows), k))
        return search(Y, rows, k)

    monkeypatch.setattr(_neighbors, "_search_tree", counted)
    against = {"X": X, "prior": {"batch": known, "age": X[:, 0]}, "hidden": {"sex": hidden}}
    report(Y, **against)
    report(Y, **against, k=3)
    assert searched == [(90, 15), (90, 5)]


def test_a_frame_has_a_row_for_each_score(case):
    pytest.importorskip("pandas")
    Y, X, known, _ = case
    scores = report(Y, X=X, prior={"batch": known})
    frame = scores.to_frame()
    assert [*frame.columns] == [
        "role", "name", "measure", "score", "standard_error", "chance", "want", "detail"
    ]  # fmt: skip
    assert frame["score"].tolist() == [row.score for row in scores.rows]
    assert frame["want"].tolist() == [row.want for row in scores.rows]
    (worst,) = frame.loc[frame["measure"] == "worst_class_purity", "detail"]
    assert worst in {"a", "b", "c"}


def test_without_pandas_a_frame_says_what_to_install(case, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    wanted = r'^Report\.to_frame needs the package pandas, .*; pip install "unprior\[io\]"\.$'
    with pytest.raises(ImportError, match=wanted):
        report(case[0], X=case[1]).to_frame()


def test_it_prints_as_a_table(case):
    Y, X, known, hidden = case
    scores = report(Y, X=X, prior={"batch": known}, hidden={"sex": hidden})
    lines = str(scores).splitlines()
    assert repr(scores) == str(scores)
    assert lines[0].split() == ["measure", "score", "chance", "want"]
    assert len(lines) == 15
    assert lines[1].startswith("batch left             15-neighbour purity ")
    assert lines[1].endswith("0.000  chance")
    assert lines[2].startswith(f"                       worst class: {scores.rows[1].detail} ")
    assert lines[7].startswith("rest kept              15-neighbour coherence ")
    assert lines[8].startswith("kept within batch      15-neighbour coherence ")
    assert lines[9].startswith("sex kept               15-neighbour purity ")
    assert lines[12].startswith("batch left within sex  15-neighbour purity ")
    assert lines[13].startswith("batch and sex          Cramér's V ")
    assert lines[14].startswith("map                    unevenness ")
    assert f"{scores.rows[-1].score:.3f}" in lines[14]
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
        # In small classes all samples are scored.
        doubted = 4 * row.standard_error + 1e-12 * (row.measure == "worst_class_purity")
        assert abs(row.score - sure.score) < doubted
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
