"""Maps are drawn in a child process that can be stopped and ends with its parent."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from unprior.explorer import _jobs
from unprior.explorer._maps import Factored

KNOWN = Factored("known", 1.0, "column", "known")


def test_first_maps_with_frames_on_the_way(open_page, shown):
    page = open_page(shown, in_child=True, n_iter=400)
    studio = page.session.studio
    studio.begin([KNOWN])
    assert studio.is_busy
    page.wait(lambda: len(studio.tree) == 2 and not studio.is_busy)
    frames = page.told("frame")
    assert frames
    assert {"Drawing plain t-SNE", "Drawing the map without known"} >= {f["words"] for f in frames}
    assert page.told("job")[-1]["state"] == "none"

    # The child draws the same map as this process.
    here = open_page(shown, n_iter=400)
    here.session.studio.begin([KNOWN])
    for ours, theirs in zip(studio.tree, here.session.studio.tree, strict=True):
        np.testing.assert_array_equal(ours.Y, theirs.Y)


def test_stop_keeps_the_map_so_far_and_the_next_one_can_be_drawn(open_page, shown):
    page = open_page(shown, in_child=True, n_iter=1_000_000)
    studio = page.session.studio
    studio.begin([KNOWN])
    page.wait(lambda: page.told("frame"))
    page.ask("job.stop")
    page.wait(lambda: not studio.is_busy)
    (first,) = studio.tree  # what was queued after it is not started
    assert first.state == "stopped"
    assert np.isfinite(first.Y).all()
    page.heard.clear()
    assert "error" not in page.ask("job.continue", key=first.key)
    page.wait(lambda: page.told("frame"))
    page.ask("job.stop")
    page.wait(lambda: not studio.is_busy)
    second = [*studio.tree][1]
    assert (second.name, second.parent) == ("plain t-SNE, continued", first.key)
    told = {"name": "known", "strength": 1.0, "from": "column", "what": "known"}
    page.ask("job.start", parent=first.key, priors=[told])
    assert "being drawn" in page.ask("job.start", parent=first.key, priors=[told])["error"]
    page.ask("job.stop")
    page.wait(lambda: not studio.is_busy)


def test_a_child_that_dies_is_told_and_replaced(open_page, shown):
    page = open_page(shown, in_child=True, n_iter=1_000_000)
    studio = page.session.studio
    studio.begin()
    page.wait(lambda: page.told("frame"))
    studio._jobs._child.kill()
    page.wait(lambda: page.told("failed"))
    assert "out of memory" in page.told("failed")[0]["text"]
    page.heard.clear()
    studio.begin()
    page.wait(lambda: page.told("frame"))


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="needs POSIX")
def test_the_child_dies_with_its_parent():
    code = """
import numpy as np, sys, time
from unprior.explorer._data import from_arrays
from unprior.explorer._draw import DrawSettings
from unprior.explorer._session import Session
data = from_arrays(np.random.default_rng(0).normal(size=(60, 3)))
session = Session(data, DrawSettings(n_iter=10**6))
session.studio.begin()
print(session.studio._jobs._child.pid, flush=True)
time.sleep(600)
"""
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    os.kill(child, 0)  # it is there
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(600):
        if not _runs(child):
            return
        time.sleep(0.05)
    os.kill(child, signal.SIGKILL)
    pytest.fail("The child outlived its parent.")


def _runs(pid):
    """Whether a process exists and is not a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return True


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs POSIX")
def test_a_job_that_does_not_hear_the_stop_is_ended(open_page, shown, monkeypatch):
    monkeypatch.setattr(_jobs, "PATIENCE", 0.2)
    page = open_page(shown, in_child=True, n_iter=1_000_000)
    studio = page.session.studio
    studio.begin()
    page.wait(lambda: page.told("frame"))
    os.kill(studio._jobs._child.pid, signal.SIGSTOP)
    page.ask("job.stop")
    page.wait(lambda: page.told("failed"))
    assert page.told("failed")[0]["text"] == "Stopped before there was a map."
    assert not studio.is_busy
