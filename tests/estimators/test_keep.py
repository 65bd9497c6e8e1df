"""`keep` in every estimator: kept classes stay apart, only differences within them are removed."""

import numpy as np
import pandas as pd
import pytest
from sklearn import clone

import unprior as up
from unprior import scores

N = 300
RNG = np.random.default_rng(0)
TYPE = RNG.integers(0, 3, N)
#: Each batch lacks a type.
BATCH = np.where(TYPE == 0, 0, np.where(TYPE == 2, 1, RNG.integers(0, 2, N)))
X = RNG.normal(size=(N, 6)) + 5 * np.eye(6)[TYPE] + 4 * np.eye(6)[3] * BATCH[:, None]
batch, cell = np.array(["a", "b"])[BATCH], np.array(["x", "y", "z"])[TYPE]


def within(Y, only="y"):
    """What is left of the batch among the samples of the type that both batches have."""
    return scores.neighbor_purity(Y[cell == only], batch[cell == only])


@pytest.fixture(scope="module")
def kept():
    return up.IndependentTSNE(random_state=0).fit(X, prior={"batch": batch}, keep=cell)


def test_types_that_a_batch_lacks_stay_apart(kept):
    lost = up.IndependentTSNE(residual="aligned", random_state=0).fit(X, prior=batch)
    assert scores.neighbor_purity(kept.embedding_, cell) > 0.95
    assert scores.neighbor_purity(lost.embedding_, cell) < 0.8
    assert abs(kept.left_["batch"]) < 0.05
    assert abs(within(kept.embedding_)) < 0.15
    plain = up.IndependentTSNE(strength=0.0, random_state=0).fit(X, prior=batch)
    assert within(plain.embedding_) > 0.8


def test_names_and_forms_do_not_matter(kept):
    order = RNG.permutation(N)
    keep = pd.Series(pd.Categorical(cell), index=np.arange(N))[order]
    table = pd.DataFrame(X, index=np.arange(N))
    again = up.IndependentTSNE(random_state=0).fit(table, prior={"batch": batch}, keep=keep)
    np.testing.assert_array_equal(again.embedding_, kept.embedding_)
    other = up.IndependentTSNE(random_state=0)
    renamed = other.fit_transform(X, prior={"batch": batch}, keep=cell.astype("U9"))
    np.testing.assert_array_equal(renamed, kept.embedding_)


@pytest.mark.parametrize("method", [up.ConfettiNeighbors(5), up.Confetti(embedder="tsne")])
def test_labels_are_matched_by_the_names_of_rows(method):
    method = clone(method)
    order, table = RNG.permutation(N), pd.DataFrame(X, index=np.arange(N))
    keep = pd.Series(cell, index=np.arange(N))[order]
    if isinstance(method, up.Confetti):
        method.set_params(embedder_params={"n_iter": 5}, random_state=0)
    expected, found = (
        method.fit_transform(data, prior=batch, keep=labels)
        for data, labels in ((X, cell), (table, keep))
    )
    if isinstance(method, up.ConfettiNeighbors):
        expected, found = expected.toarray(), found.toarray()
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("keep", [["all"] * N, [None] * N])
def test_one_class_is_no_keep(keep):
    fit = {"residual": "aligned", "n_iter": 30, "random_state": 0}
    with pytest.warns(up.ConstraintWarning):
        one = up.IndependentTSNE(**fit).fit(X, prior=batch, keep=keep)
    with pytest.warns(up.ConstraintWarning):
        none = up.IndependentTSNE(**fit).fit(X, prior=batch)
    np.testing.assert_array_equal(one.embedding_, none.embedding_)


def test_the_prior_as_kept_labels_removes_nothing_and_says_so():
    tsne = up.IndependentTSNE(n_iter=250, random_state=0)
    with pytest.warns(up.ConfoundingWarning, match="'batch' does not differ within"):
        tsne.fit(X, prior={"batch": batch}, keep=batch)
    assert tsne.left_ == tsne.multiplier_ == {"batch": 0.0}
    assert tsne.residual_ is None
    assert scores.neighbor_purity(tsne.embedding_, batch) > 0.95


def test_unrelated_labels_change_nothing_beyond_noise():
    both = RNG.integers(0, 2, N).astype(str)
    Z = RNG.normal(size=(N, 6)) + 5 * np.eye(6)[TYPE] + 3 * np.eye(6)[3] * (both == "1")[:, None]
    none, unrelated = (
        up.IndependentTSNE(random_state=0).fit_transform(Z, prior=both, keep=keep)
        for keep in (None, RNG.integers(0, 2, N).astype(str))
    )
    for labels, atol in ((both, 0.06), (cell, 0.02)):
        before, then = (scores.neighbor_purity(Y, labels) for Y in (none, unrelated))
        assert then == pytest.approx(before, abs=atol)


def test_half_the_strength_leaves_half_within():
    shown, left = (
        up.IndependentTSNE(strength=strength, random_state=0).fit(X, prior=batch, keep=cell).left_
        for strength in (0.0, 0.5)
    )
    assert left["prior"] == pytest.approx(shown["prior"] / 2, abs=0.06)


@pytest.mark.parametrize("estimator", [up.Residual("aligned"), up.ConfettiNeighbors(5)])
def test_residuals_and_graphs_say_so_too(estimator):
    with pytest.warns(up.ConfoundingWarning, match="'batch' does not differ within"):
        estimator.fit(X, prior={"batch": batch}, keep=batch)


@pytest.mark.parametrize(
    "known", [10.0 * TYPE, np.column_stack([TYPE, TYPE == 1]) * 1.0], ids=["age", "two columns"]
)
def test_a_number_of_each_kept_class_says_so_too(known):
    """The age of donors, whose cells are kept apart by donor."""
    with pytest.warns(up.ConfoundingWarning, match="'age' does not differ within"):
        R = up.Residual("smooth").fit_transform(X, prior={"age": known}, keep=cell)
    np.testing.assert_allclose(R, X, atol=1e-9)


@pytest.mark.filterwarnings("error::unprior.ConfoundingWarning")
def test_numbers_that_differ_within_a_kept_class_do_not():
    age = 10.0 * TYPE
    age[-1] += 0.5
    up.Residual("smooth").fit(X, prior={"age": age}, keep=cell)
    # Labels of some samples do not tell the numbers of the others.
    up.Residual("smooth").fit(X, prior={"age": 10.0 * TYPE}, keep=np.append([None], cell[1:]))


def test_the_prior_as_kept_labels_says_so_where_some_are_missing():
    some = np.where(RNG.random(N) < 0.3, None, batch)
    residual = up.Residual("aligned")
    with pytest.warns(up.ConfoundingWarning, match="'batch' does not differ within"):
        R = residual.fit_transform(X, prior={"batch": batch}, keep=some)
    everything = residual.fit_transform(X, prior=batch)
    assert np.square(R - X).mean() < 0.1 * np.square(everything - X).mean()


@pytest.mark.filterwarnings("error::unprior.ConfoundingWarning")
def test_few_labels_tell_the_prior_by_chance():
    """One label for each batch and type does not show that every type occurs in one batch only."""
    mixed = np.random.default_rng(1).integers(0, 2, N).astype(str)
    Z = X + 30 * np.outer(mixed == "1", np.eye(6)[5])
    first = {kind: np.flatnonzero(cell == kind) for kind in "xyz"}
    some = np.full(N, None, dtype=object)
    for kind, side in zip("xyz", "010", strict=True):
        rows = first[kind][mixed[first[kind]] == side][:1]
        some[rows] = kind
    with_few, without = (
        up.Residual("aligned").fit_transform(Z, prior=mixed, keep=keep) for keep in (some, None)
    )
    np.testing.assert_allclose(with_few, without, atol=5)
    assert abs(scores.neighbor_purity(with_few, mixed)) < 0.2


def test_missing_labels_are_those_of_neighbours():
    some = np.where(RNG.random(N) < 0.5, None, cell)
    tsne = up.IndependentTSNE(random_state=0).fit(X, prior=batch, keep=some)
    assert scores.neighbor_purity(tsne.embedding_, cell) > 0.95
    assert abs(within(tsne.embedding_)) < 0.15
    residual = up.Residual("aligned")
    whole, half = (residual.fit_transform(X, prior=batch, keep=keep) for keep in (cell, some))
    assert np.square(whole - half).mean() < 0.05 * np.square(whole - X).mean()


def test_methods_without_keep_say_which_have_it():
    with pytest.raises(TypeError, match=r"'keep' is not taken by JEDI.*use IndependentTSNE"):
        up.JEDI().fit_transform(X, prior=batch, keep=cell)


def test_names_of_columns_are_refused():
    with pytest.raises(TypeError, match=r"'keep' takes one label.*keep=X\['type'\]"):
        up.IndependentTSNE().fit(X, prior=batch, keep="type")


@pytest.mark.parametrize(
    "prior", [batch, 10.0 * BATCH + RNG.normal(size=N)], ids=["batch", "number"]
)
def test_neighbours_have_the_prior_of_the_kept_class(prior):
    k = 20
    graph = up.ConfettiNeighbors(k).fit_transform(X, prior=prior, keep=cell)
    everyone = up.ConfettiNeighbors(k, operator="balanced").fit_transform(X, prior=prior)
    same = [
        np.mean(
            BATCH[each.nonzero()[1]] == BATCH[each.nonzero()[0]], where=TYPE[each.nonzero()[0]] == 0
        )
        for each in (graph, everyone)
    ]
    assert same[0] > 0.9  # type 0 is in one batch alone
    assert same[1] < 0.75


def test_confetti_keeps_types_that_a_batch_lacks():
    confetti = up.Confetti(embedder="tsne", operator="balanced", random_state=0)
    maps = [confetti.fit_transform(X, prior=batch, keep=keep) for keep in (None, cell)]
    lost, kept = (scores.neighbor_purity(Y, cell) for Y in maps)
    assert kept > 0.95 > 0.8 > lost
    assert within(maps[1]) < 0.3


def test_other_operators_refuse_kept_labels():
    with pytest.raises(ValueError, match=r"'keep' takes operator=.balanced.*got operator='linear'"):
        up.ConfettiNeighbors(operator="linear").fit(X, prior=batch, keep=cell)
