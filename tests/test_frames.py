"""Rows are matched by name, and columns may be named, wherever a table comes in."""

import numpy as np
import pandas as pd
import pytest

import unprior as up
from unprior import priors
from unprior._frames import align, split_frame

N = 40


@pytest.fixture
def table(rng):
    """Samples called s0, s1, ...; half of them have another prior."""
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("abc"))
    frame.index = [f"s{k}" for k in range(N)]
    frame["kind"] = ["u", "v"] * (N // 2)
    frame["hour"] = rng.uniform(0, 24, N)
    frame["year"] = [2020, 2021, 2022, 2023] * (N // 4)
    return frame


@pytest.fixture
def X(table):
    return table[["a", "b", "c"]]


@pytest.fixture
def shuffled(table, rng):
    return table["kind"].iloc[rng.permutation(N)]


def test_a_prior_in_another_order_is_put_in_order(X, table, shuffled):
    fit = up.JEDI(n_iter=20, random_state=0)
    right = fit.fit_transform(X, prior=table["kind"])
    assert not np.array_equal(shuffled.to_numpy(), table["kind"].to_numpy())
    np.testing.assert_array_equal(fit.fit_transform(X, prior=shuffled), right)
    np.testing.assert_array_equal(fit.fit_transform(X, prior={"kind": shuffled}), right)
    # Without names there is only the order.
    np.testing.assert_array_equal(fit.fit_transform(X.to_numpy(), prior=table["kind"]), right)


def test_every_way_in_matches_rows(X, table, shuffled):
    named = {"kind": table["kind"]}
    for call in (
        lambda prior: up.embed(X, prior=prior, random_state=0),
        lambda prior: up.Residual().fit_transform(X, prior=prior),
        lambda prior: up.Residual().fit(X, prior=named).transform(X[:9], prior=prior),
        lambda prior: up.scores.report(X[["a", "b"]], X=X, prior=prior, k=5).to_dict(),
        lambda prior: up.scores.compare({"m": X[["a", "b"]]}, prior=prior, k=5).to_dict(),
        lambda prior: up.tune(up.Residual(), X, prior=prior, strengths=[0, 1], k=5).to_dict(),
    ):
        got, want = call({"kind": shuffled}), call(named)
        if isinstance(got, dict):
            assert got == want
        else:
            np.testing.assert_array_equal(got, want)


def test_a_map_in_another_order_is_put_in_order(X, table):
    kind = {"kind": table["kind"]}
    want = up.scores.report(X[["a", "b"]], X=X, prior=kind, k=5).to_dict()
    assert up.scores.report(X[["a", "b"]][::-1], X=X, prior=kind, k=5).to_dict() == want


@pytest.mark.parametrize("make", [priors.labels, lambda kind: priors.table(kind.to_frame())])
def test_a_prior_made_of_a_column_keeps_its_names(X, table, shuffled, make):
    fit = up.JEDI(n_iter=20, random_state=0)
    right = fit.fit_transform(X, prior=table["kind"])
    np.testing.assert_array_equal(fit.fit_transform(X, prior=make(shuffled)), right)
    np.testing.assert_array_equal(fit.fit_transform(X, prior={"kind": make(shuffled)}), right)
    with pytest.raises(ValueError, match="does not match that of 'X'"):
        fit.fit(X, prior=make(shuffled.reset_index(drop=True)))


def test_distances_in_a_table_have_no_ids():
    places = np.arange(30)
    D = pd.DataFrame(np.abs(places[:, None] - places))  # the first column counts the rows
    assert up.embed(D, prior=["u", "v"] * 15, metric="precomputed").shape == (30, 2)


def test_a_prior_of_more_samples_gives_those_of_the_data(X, table):
    found = align("embed", "prior", table["kind"], X.index[5:8])
    assert found.tolist() == table["kind"].iloc[5:8].tolist()


@pytest.mark.parametrize(
    ("index", "reason"),
    [
        ([f"t{k}" for k in range(N)], "it lacks 's0'"),
        (range(N), "it lacks 's0'"),
        ([f"s{k // 2}" for k in range(N)], "it lacks 's20'"),
        ([*[f"s{k}" for k in range(N - 1)], "s0"], "it lacks 's39'"),
    ],
)
def test_other_names_are_refused(X, table, index, reason):
    prior = pd.Series(table["kind"].to_numpy(), index=index)
    with pytest.raises(ValueError, match=r"^JEDI: the index of 'prior' does not match") as error:
        up.JEDI().fit(X, prior=prior)
    assert reason in str(error.value)
    assert "prior.to_numpy()" in str(error.value)


def test_names_that_stand_for_several_rows_are_refused(X, table):
    X = X.set_axis([f"s{k // 2}" for k in range(N)])
    prior = table["kind"].set_axis(X.index[::-1])
    with pytest.raises(ValueError, match="some names are not unique"):
        up.JEDI().fit(X, prior=prior)


class TestColumnsByName:
    """``prior="column"`` for DataFrames, spelled as in the shell."""

    def test_a_column_is_the_prior_and_no_data(self, table):
        frame = table[["a", "b", "c", "kind"]]
        Y, report = up.embed(frame, prior="kind", random_state=0, return_report=True)
        want = up.embed(frame[["a", "b", "c"]], prior=frame["kind"], random_state=0)
        np.testing.assert_array_equal(Y, want)
        assert [*report.left] == ["kind"]

    @pytest.mark.parametrize(
        ("named", "kinds", "left"),
        [
            ("hour:cyclic=24", {"hour:cyclic=24": "cyclic"}, 4),
            (["kind", "hour"], {"kind": "labels", "hour": "features"}, 4),
            ("year:labels", {"year:labels": "labels"}, 4),
            ({"when": "year:features"}, {"when": "features"}, 4),
            ({"both": ["a", "b"]}, {"both": "features"}, 3),
            ({"kind": "kind", "mine": np.ones(N) * 0.5}, {"kind": "labels", "mine": "features"}, 5),
            ("kind,hour", {"kind,hour": "combined"}, 4),
        ],
    )
    def test_kinds(self, table, named, kinds, left):
        frame = table if "kind" in str(named) else table.drop(columns="kind")
        rest, known = split_frame("embed", frame, prior=named)
        found = {name: priors.as_prior(part).kind for name, part in known["prior"].items()}
        assert found == kinds
        assert rest.shape[1] == left

    def test_what_is_no_name_stays(self, table, X):
        labels = table["kind"].tolist()
        rest, known = split_frame("embed", X, prior=labels)
        assert known["prior"] is labels
        assert rest.shape == X.shape

    @pytest.mark.parametrize(
        ("named", "reason"),
        [
            ("kinds", "'prior' names 'kinds', which is not a column of 'X'. Did you mean 'kind'"),
            ("year", "'year' holds whole numbers, .* say 'year:labels' or 'year:features'"),
            ("year:label", "names no column and no kind of prior"),
            ("hour:cyclic", "write hour:cyclic=24"),
            ("hour:geo", "takes 2 columns; got 1"),
        ],
    )
    def test_what_is_not_there_is_refused(self, table, named, reason):
        with pytest.raises(ValueError, match=reason):
            split_frame("embed", table, prior=named)

    def test_an_array_has_no_names(self, X):
        with pytest.raises(TypeError, match=r"^embed: 'prior' names a column, 'kind'"):
            up.embed(X.to_numpy(), prior="kind")

    def test_estimators_say_who_takes_names(self, X):
        with pytest.raises(TypeError, match=r"^JEDI: 'prior' .* prior=X\['kind'\], and leave that"):
            up.JEDI().fit(X, prior="kind")

    def test_scores_take_names_too(self, table):
        frame = table[["a", "b", "c", "kind", "hour"]]
        report = up.scores.report(frame[["a", "b"]], X=frame, prior="kind", hidden="hour", k=5)
        told = report.to_dict()
        assert [*told["prior"]] == ["kind"]
        assert [*told["hidden"]] == ["hour"]
