from concurrent.futures import CancelledError
from types import SimpleNamespace

import joblib
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from unprior._blocks import map_blocks, send_ahead

BLOCKS = [range(4), range(4, 7), range(7, 8)]


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_results_come_in_the_order_of_the_blocks(n_jobs):
    assert map_blocks(list, BLOCKS, title="lists", n_jobs=n_jobs) == [[*rows] for rows in BLOCKS]


def test_shows_rows_as_progress(capsys):
    map_blocks(len, BLOCKS, title="lengths", verbose=1)
    shown = capsys.readouterr().err
    assert "lengths" in shown
    assert "8/8" in shown


def test_takes_the_number_of_jobs_that_joblib_is_set_to(monkeypatch):
    asked, parallel = [], joblib.Parallel

    def spy(n_jobs, **settings):
        asked.append(n_jobs)
        return parallel(n_jobs, **settings)

    monkeypatch.setattr("unprior._blocks.joblib.Parallel", spy)
    with joblib.parallel_config(n_jobs=2):
        map_blocks(len, BLOCKS, title="lengths")
    map_blocks(len, BLOCKS, title="lengths")
    assert asked == [2, 1]


def test_inner_threads_are_one_and_given_back():
    def threads(_=()):
        return {lib["num_threads"] for lib in threadpool_info() if lib["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        before = threads()
        assert map_blocks(threads, BLOCKS[:1], title="threads") == [{1}]
        assert threads() == before


def test_an_error_in_a_block_reaches_the_caller():
    with pytest.raises(ZeroDivisionError):
        map_blocks(lambda rows: 1 // 0, BLOCKS, title="errors", n_jobs=2)


def test_data_are_sent_again_where_a_worker_has_just_died(monkeypatch):
    tries = []

    class Client:
        def scatter(self, work, **how):
            tries.append(work)
            if len(tries) < 3:
                message = "gone"
                raise OSError(message)
            return "sent"

    backend = SimpleNamespace(client=Client())
    monkeypatch.setattr("unprior._blocks.get_active_backend", lambda: (backend, None))
    monkeypatch.setattr("unprior._blocks.WAITS", (0, 0))
    assert send_ahead(len, n_workers=2) == "sent"
    tries.clear()
    monkeypatch.setattr("unprior._blocks.WAITS", ())
    with pytest.raises(OSError, match="gone"):
        send_ahead(len, n_workers=2)


def test_lost_work_is_begun_anew():
    losses = []

    def lose_twice(rows):
        if len(losses) < 2:
            losses.append(rows)
            raise CancelledError
        return len(rows)

    assert map_blocks(lose_twice, BLOCKS, title="lengths") == [4, 3, 1]


def test_work_that_is_always_lost_is_given_up():
    def lose(rows):
        raise CancelledError

    with pytest.raises(CancelledError):
        map_blocks(lose, BLOCKS, title="lengths")
