"""A dask cluster gives the same results as one process, even if a worker dies."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import fields
from functools import partial
from pathlib import Path

import joblib
import numpy as np
import pytest

import unprior as up
from unprior._blocks import map_blocks
from unprior.neighbors import _exact
from unprior.operators._candidates import CandidateSearch
from unprior.storage import WALK_ENTRIES
from unprior.storage import _rows as storage_rows

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

#: Samples that are searched in tiles: several in both directions.
MANY = 2400

#: The default operator, and the paper's.
OPTIONS = [{}, {"strength": 2.0, "operator": "linear"}]


#: Seconds until a worker that has died must be back, also where many processes share few cores.
PATIENCE = 120


@contextmanager
def two_workers():
    """Two worker processes of one thread each, and a client of theirs."""
    local = {"host": "127.0.0.1", "dashboard_address": ":0"}
    # A worker that has died is given up after some seconds: if it comes back later than that, the
    # cluster closes it for good.
    patient = {"distributed.deploy.lost-worker-timeout": "1 hour"}
    with (
        dask.config.set(patient),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, **local) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def run_on(client, function):
    """What a function returns within joblib's dask backend."""
    client.wait_for_workers(2, timeout=PATIENCE)  # one may have died
    with joblib.parallel_config(backend="dask", wait_for_workers_timeout=PATIENCE):
        return function()


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def on_cluster(client):
    return partial(run_on, client)


@pytest.fixture(scope="module")
def data():
    return up.datasets.make_two_factor(400, random_state=0)


def cut_in_blocks(rows, size):
    return [range(start, start + size) for start in range(0, rows, size)]


def test_blocks_run_on_the_workers_and_come_back_in_order(on_cluster):
    found = on_cluster(
        lambda: map_blocks(
            lambda rows: (os.getpid(), sum(rows)), cut_in_blocks(40, 5), title="sums"
        )
    )
    assert os.getpid() not in {process for process, _ in found}
    assert [total for _, total in found] == [sum(rows) for rows in cut_in_blocks(40, 5)]


def test_data_are_sent_once_however_many_blocks_there_are(on_cluster):
    def times_sent(n_blocks):
        sent = []

        class Work:
            def __reduce__(self):
                sent.append(1)
                return partial, (len,)  # what arrives need not be the same

            def __call__(self, rows):
                return 0

        on_cluster(lambda: map_blocks(Work(), cut_in_blocks(n_blocks, 1), title="blocks"))
        return len(sent)

    assert times_sent(20) == times_sent(4)


def assert_same(there, here):
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(there, part), getattr(here, part))


@pytest.fixture(scope="module")
def many():
    return up.datasets.make_two_factor(MANY, random_state=0).X.astype(np.float32)


@pytest.fixture(scope="module", params=OPTIONS, ids=["default", "linear"])
def found_here(request, many):
    """A search among many samples, in tiles, and the graph that one process finds."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_exact, "MANY", MANY - 1)
        search = up.ConfettiNeighbors(10, **request.param)
        yield search, search.fit_transform(many, prior=many[:, :8])


@pytest.mark.parametrize("options", OPTIONS)
def test_finds_the_same_neighbors_of_few(on_cluster, data, options, in_blocks):
    in_blocks(50 * len(data.X))
    search = up.ConfettiNeighbors(10, **options)
    here = search.fit_transform(data.X, prior=data.X[:, :8])
    assert_same(on_cluster(lambda: search.fit_transform(data.X, prior=data.X[:, :8])), here)


def test_finds_the_same_neighbors_of_many(on_cluster, many, found_here, in_blocks):
    in_blocks(50 * MANY)
    search, here = found_here
    assert_same(on_cluster(lambda: search.fit_transform(many, prior=many[:, :8])), here)


def test_finds_the_same_neighbors_in_an_index(on_cluster, in_buckets):
    in_buckets(500)
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(20, 3), scale=10)
    X = centers[rng.integers(20, size=2400)] + rng.normal(size=(2400, 3))
    known = rng.integers(3, size=2400).astype(str)
    here, there = (up.ConfettiNeighbors(10) for _ in range(2))
    here.fit(X, prior=known)
    on_cluster(lambda: there.fit(X, prior=known))
    assert_same(there.graph_, here.graph_)
    assert there.neighbor_recall_ == here.neighbor_recall_ < 1


def test_takes_dask_arrays(on_cluster, data):
    array = pytest.importorskip("dask.array")
    X, Z = (array.from_array(rows, chunks=(100, -1)) for rows in (data.X, data.X[:, :8]))
    here = up.ConfettiNeighbors(10).fit_transform(data.X, prior=data.X[:, :8])
    there = on_cluster(lambda: up.ConfettiNeighbors(10).fit_transform(X, prior=Z))
    np.testing.assert_array_equal(there.toarray(), here.toarray())


@pytest.fixture
def stored(client, store):
    """A function that stores an array, on disk or on the cluster; few rows are read at a time."""

    def set_step(entries):
        storage_rows.WALK_ENTRIES = entries

    client.run(set_step, 30_000)
    yield partial(store, entries=30_000, chunks=(1200, 5))
    client.run(set_step, WALK_ENTRIES)


@pytest.mark.parametrize("kind", ["disk", "dask"])
def test_stored_data_have_the_same_neighbors(on_cluster, stored, many, found_here, kind):
    search, here = found_here
    X = stored(many, kind)
    assert_same(on_cluster(lambda: search.fit_transform(X, prior=many[:, :8])), here)


@pytest.mark.parametrize("kind", ["disk", "dask"])
def test_stored_data_have_the_same_scores(on_cluster, stored, many, kind, in_blocks):
    in_blocks(50 * MANY)

    def report(X):
        return up.scores.report(many[:, :2], X=X, n_rows=200).to_dict()

    assert on_cluster(lambda: report(stored(many, kind))) == report(many)


@pytest.mark.parametrize("kind", ["disk", "dask"])
def test_a_dying_worker_costs_no_neighbors_of_stored_data(
    on_cluster, stored, data, kind, tmp_path, monkeypatch
):
    here, begun, marker = os.getpid(), str(tmp_path / "begun"), str(tmp_path / "died")
    rows = storage_rows.stored_rows(stored(data.X, kind))

    class Deadly(type(rows)):
        def _read(self, rows):
            if os.getpid() != here and Path(begun).exists() and not Path(marker).exists():
                Path(marker).touch()
                os._exit(1)
            return super()._read(rows)

    per_stratum = CandidateSearch.per_stratum

    def begin(*given):
        # Everything read before was needed to check the data and to learn from them.
        Path(begun).touch()
        return per_stratum(*given)

    monkeypatch.setattr(CandidateSearch, "per_stratum", begin)
    deadly = Deadly(**{field.name: getattr(rows, field.name) for field in fields(rows)})
    search, known = up.ConfettiNeighbors(10), data.known.astype(str)
    expected = search.fit_transform(data.X, prior=known).toarray()
    for _ in range(3):
        # While the worker of another test is still missing, all blocks may run here.
        Path(begun).unlink()
        there = on_cluster(lambda: search.fit_transform(deadly, prior=known))
        np.testing.assert_array_equal(there.toarray(), expected)
        if Path(marker).exists():
            return
    pytest.fail("no worker died")


def test_draws_the_same_map(on_cluster, data):
    params = {"n_iter": 20, "early_exaggeration_iter": 20}
    confetti = up.Confetti(embedder="tsne", embedder_params=params, random_state=0)
    here = confetti.fit_transform(data.X, prior=data.known.astype(str))
    there = on_cluster(lambda: confetti.fit_transform(data.X, prior=data.known.astype(str)))
    np.testing.assert_array_equal(there, here)


def test_scores_are_the_same(on_cluster, data, in_blocks):
    in_blocks(100 * 400)
    known = {"known": data.known.astype(str)}

    def report():
        return up.scores.report(data.X[:, ::2], X=data.X, prior=known).to_dict()

    assert on_cluster(report) == report()


def test_tuning_is_the_same(on_cluster, data):
    def tune():
        return up.tune(
            up.ConfettiNeighbors(10), data.X, prior=data.known.astype(str), strengths=[0, 0.5, 1]
        )

    assert str(on_cluster(tune)) == str(tune())


def test_a_dying_worker_costs_no_results(on_cluster, tmp_path):
    here, marker = os.getpid(), str(tmp_path / "died")
    numbers = np.arange(40.0) ** 2

    def work(rows):
        if rows[0] == 12 and os.getpid() != here and not Path(marker).exists():
            Path(marker).touch()
            os._exit(1)
        return numbers[rows].sum()

    sums = on_cluster(lambda: map_blocks(work, cut_in_blocks(40, 4), title="sums"))
    assert Path(marker).exists()
    np.testing.assert_array_equal(sums, numbers.reshape(10, 4).sum(axis=1))


def test_a_slow_worker_changes_no_results(on_cluster):
    def work(rows):
        time.sleep(0.3 if rows[0] == 0 else 0)
        return sum(rows)

    found = on_cluster(lambda: map_blocks(work, cut_in_blocks(40, 4), title="sums"))
    assert found == [sum(rows) for rows in cut_in_blocks(40, 4)]


def test_a_restart_of_all_workers_costs_no_results(tmp_path):
    begun = tmp_path / "begun"

    def restart(client):
        while not begun.exists():
            time.sleep(0.01)
        # Whether both come back is up to the cluster; one is enough for the results.
        client.restart(wait_for_workers=False)

    # A cluster of its own: workers that other tests have lost play no part.
    with two_workers() as client, ThreadPoolExecutor(1) as pool:
        before = {*client.run(os.getpid).values()}

        def work(rows):
            begun.touch()
            while os.getpid() in before and distributed.get_worker().status.name == "running":
                time.sleep(0.01)  # until the restart stops it
            return os.getpid(), sum(rows)

        restarted = pool.submit(restart, client)
        found = run_on(client, lambda: map_blocks(work, cut_in_blocks(40, 2), title="sums"))
        restarted.result()
    assert not before & {process for process, _ in found}
    assert [total for _, total in found] == [sum(rows) for rows in cut_in_blocks(40, 2)]
