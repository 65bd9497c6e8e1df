"""The residual within shared clusters: its equations, new samples, and groups that lack a class."""

import numpy as np
import pytest

from reference import clustered as slow
from unprior import BalanceWarning, Residual, priors, scores
from unprior.residual import _clustered as fast


@pytest.fixture(scope="module")
def cells():
    """Three batches of two types; two of the batches have one type alone."""
    rng = np.random.RandomState(0)
    batch = np.repeat([0, 1, 2], 100)
    kind = np.concatenate([np.zeros(100), np.ones(100), np.arange(100) % 2]).astype(int)
    X = rng.normal(size=(300, 10)) + 2 * rng.normal(size=(2, 10))[kind]
    return X + 0.7 * rng.normal(size=(3, 10))[batch], batch.astype(str), kind


class TestRounds:
    def test_a_round_is_that_of_the_equations(self, cells):
        X, batch, _ = cells
        X = X - X.mean(axis=0)
        groups = {"batch": batch.astype(int), "day": np.arange(300) % 4}
        steps, left = fast.learn_clusters(X, 10, groups)
        before = fast.replay(steps[:-1], X, groups)
        last = steps[-1]
        z = before / np.linalg.norm(before, axis=1, keepdims=True)
        R = slow.memberships(z, last.centers, last.penalties, groups, fast.SOFTNESS)
        np.testing.assert_allclose(last.memberships(before, groups), R)
        np.testing.assert_allclose(left, slow.moved(X, R, groups, fast.RIDGE), atol=1e-8)

    def test_the_penalty_is_one_where_clusters_have_the_shares_of_all(self):
        has = np.array([[30.0, 10.0], [15.0, 5.0], [5.0, 15.0]])
        found = fast.penalty(has, np.array([0.75, 0.25]))
        np.testing.assert_allclose(found[:2], 1)
        assert found[2, 0] > 1 > found[2, 1]

    def test_members_by_hand(self, rng):
        R, codes = rng.random((6, 2)), np.array([0, 1, 0, 1, 1, 0])
        np.testing.assert_allclose(fast.count_members(R, codes)[:, 0], R[[0, 2, 5]].sum(axis=0))

    def test_directions_have_length_one(self, rng):
        points = np.vstack([0.1 * rng.normal(size=(5, 4)), np.zeros(4)])
        found = fast.directions(points, 3)
        np.testing.assert_allclose(np.linalg.norm(found, axis=1), [1, 1, 1, 1, 1, 0])

    def test_clusters_of_one_group_are_where_the_samples_are(self, rng):
        kind = np.arange(240) % 4
        z = fast.directions(np.eye(4)[kind] + 0.1 * rng.normal(size=(240, 4)), 4)
        turned = fast.directions(np.eye(4) + 0.3, 4)
        centers, penalties = fast._find_clusters(z, turned, {"b": np.zeros(240, dtype=int)})
        means = np.array([z[kind == k].mean(axis=0) for k in range(4)])
        np.testing.assert_allclose(centers, fast.directions(means, 4), atol=0.02)
        np.testing.assert_allclose(penalties["b"], 1)

    def test_the_shift_of_an_unseen_group_is_that_of_its_members(self, cells):
        X, batch, _ = cells
        X, codes = X - X.mean(axis=0), batch.astype(int)
        fitted, new = codes < 2, codes == 2
        step = fast.learn_clusters(X[fitted], 10, {"batch": codes[fitted]})[0][0]
        left = step.moved_with_unseen(X, X, {"batch": codes}, np.matmul)
        members = step.memberships(X, {"batch": codes})
        np.testing.assert_array_equal(left[fitted], step.moved(X, X, {"batch": codes})[fitted])
        expected = X[new].copy()
        for k, R in enumerate(members[new].T):
            ridge = fast.RIDGE * new.sum() * step.sizes[k]
            shift = R @ (X[new] - step.bases[k]) / (R.sum() + ridge)
            expected -= R[:, None] * shift
        np.testing.assert_allclose(left[new], expected)

    def test_data_without_spread_stay(self):
        steps, left = fast.learn_clusters(np.zeros((40, 2)), 2, {"b": np.arange(40) % 2})
        assert steps == []
        assert not left.any()


class TestResidual:
    def test_types_that_some_batches_lack_stay_apart(self, cells):
        X, batch, kind = cells
        left = Residual("clustered").fit_transform(X, prior=batch)
        assert scores.left_within(X, batch, kind.astype(str)) > 0.7
        assert abs(scores.left_within(left, batch, kind.astype(str))) < 0.1
        assert scores.neighbor_purity(left, kind) > 0.95
        aligned = Residual("aligned").fit_transform(X, prior=batch)
        assert scores.neighbor_purity(aligned, kind) < 0.8

    def test_a_kind_that_sets_groups_apart_warns(self):
        rng, kind = np.random.RandomState(0), np.repeat([0, 1, 2], 100)
        share = np.array([0.5, 0.5, 0.95])  # of batch a; there is no shift between the batches
        batch = np.where(rng.uniform(size=300) < share[kind], "a", "b")
        X = rng.normal(size=(300, 5)) + 8 * np.eye(3, 5)[kind]
        with pytest.warns(BalanceWarning, match="neighbours share more of 'prior' in the residual"):
            Residual("linear").fit(X, prior=batch)

    def test_samples_of_fit_come_out_the_same_one_by_one(self, cells):
        X, batch, _ = cells
        residual = Residual("clustered").fit(X, prior=batch)
        left = residual.transform(X)
        some = np.arange(5, 300, 40)
        np.testing.assert_allclose(residual.transform(X[some], prior=batch[some]), left[some])

    def test_strength_is_a_share_of_the_way(self, cells):
        X, batch, _ = cells
        half, all_ = (
            Residual("clustered", strength=s).fit_transform(X, prior=batch) for s in (0.5, 1.0)
        )
        np.testing.assert_allclose(half, (X + all_) / 2)

    @pytest.mark.parametrize("kind", ["clustered", "auto"])
    def test_new_classes_stay_or_are_moved_within_clusters(self, kind):
        rng = np.random.RandomState(0)
        shares = [[0.4, 0.3, 0.2, 0.1], [0.1, 0.2, 0.3, 0.4], [0.1, 0.4, 0.4, 0.1]]
        type_ = np.concatenate([rng.choice(4, 200, p=p) for p in shares])
        batch = np.repeat(["a", "b", "c"], 200)
        shift = rng.normal(size=(3, 12))[np.repeat([0, 1, 2], 200)]
        X = rng.normal(size=(600, 12)) + 6 * np.eye(4, 12)[type_] + shift
        fitted, new = np.flatnonzero(batch != "c"), np.flatnonzero(batch == "c")
        residual = Residual(kind).fit(X[fitted], prior=batch[fitted])
        stay = residual.transform(X[new], prior=batch[new], unseen="mean")
        moved = residual.transform(X[new], prior=batch[new], unseen="fit")
        seen = residual.transform(X[fitted], prior=batch[fitted])
        gaps = [
            np.linalg.norm(
                [
                    left[type_[new] == t].mean(axis=0) - seen[type_[fitted] == t].mean(axis=0)
                    for t in range(4)
                ],
                axis=1,
            )
            for left in (stay, moved)
        ]
        assert (gaps[1] < gaps[0]).all()
        assert gaps[1].mean() < 0.5 * gaps[0].mean()

    def test_kept_classes_have_clusters_of_their_own(self, cells):
        X, batch, kind = cells
        kept = kind.astype(str)
        left = Residual("clustered").fit_transform(X, prior=batch, keep=kept)
        assert scores.left_within(left, batch, kept) < 0.2
        for label in (0, 1):
            rows = kind == label
            alone = Residual("clustered").fit_transform(X[rows], prior=batch[rows])
            np.testing.assert_allclose(left[rows], alone, atol=1e-6)

    def test_a_prior_without_classes_is_refused(self, cells):
        with pytest.raises(ValueError, match="takes priors with classes; 'prior' has none"):
            Residual("clustered").fit(cells[0], prior=priors.features(np.linspace(-2, 2, 300)))

    def test_distances_come_out_as_of_points(self, cells):
        X, batch, _ = cells
        D = np.linalg.norm(X[:, None] - X, axis=2)
        left = Residual("clustered").fit_transform(X, prior=batch)
        found = Residual("clustered", metric="precomputed").fit_transform(D, prior=batch)
        np.testing.assert_allclose(found, np.linalg.norm(left[:, None] - left, axis=2), atol=1e-6)


class TestShrinkage:
    def test_shifts_that_are_noise_become_the_common_one(self, rng):
        moves = np.array([2.0, 0.0]) + 0.1 * rng.normal(size=(9, 1, 2))
        found = fast.shrink_moves(moves, np.full((9, 1), 0.2), np.full((9, 1), 20.0))
        np.testing.assert_allclose(found, np.broadcast_to(np.median(moves, axis=0), found.shape))

    def test_shifts_without_noise_stay(self, rng):
        moves = rng.normal(size=(5, 3, 4))
        found = fast.shrink_moves(moves, np.zeros((5, 3)), np.full((5, 3), 20.0))
        np.testing.assert_allclose(found, moves)

    def test_groups_without_members_do_not_count(self):
        moves = np.array([1.0, 1.0, 9.0]).reshape(3, 1, 1)
        found = fast.shrink_moves(moves, np.full((3, 1), 50.0), np.array([[20.0], [20.0], [0.0]]))
        np.testing.assert_allclose(found, 1)

    def test_the_noise_of_a_shift_is_that_of_repeated_draws(self, rng, monkeypatch):
        groups, members = {"batch": np.repeat([0, 1], [60, 20])}, rng.dirichlet([1, 1], 80)
        shifts, noise = [], []
        monkeypatch.setattr(
            fast, "shrink_moves", lambda moves, own, sizes: noise.append(own) or moves
        )
        for _ in range(400):
            _, moves = fast.find_moves(
                rng.normal(size=(80, 3)), members, groups, shrink=True, careful=False
            )
            shifts.append(moves["batch"])
        drawn = np.square(shifts).sum(axis=-1).mean(axis=0)
        np.testing.assert_allclose(np.mean(noise, axis=0), fast.DOUBT * drawn, rtol=0.2)

    def test_where_a_group_has_its_share_little_of_its_shift_is_held_back(self):
        expected = np.full(3, 20.0)
        has = np.array([20.0, 4.0, 0.0])
        kept = [has / (has + fast.ridge(has, expected, careful=c)) for c in (True, False)]
        np.testing.assert_allclose(kept[0], [1 / 1.2, 0.5, 0])
        np.testing.assert_allclose(kept[1], [1 / 1.04, 0.5, 0])

    def test_aligned_groups_are_not_mixed_beyond_chance(self, rng):
        groups = {"batch": np.arange(600) % 3}
        points = rng.normal(size=(600, 10)) + 3 * np.eye(10)[rng.integers(0, 4, 600)]
        points -= points.mean(axis=0)
        moved, shrunken = (
            fast.learn_clusters(points, 10, groups, shrink=shrink)[1] for shrink in (False, True)
        )
        before = [np.square(each - points).mean() for each in (moved, shrunken)]
        assert before[1] < 0.3 * before[0]
