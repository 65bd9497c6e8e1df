"""A fit that is killed at any moment and restarted draws the same map as an undisturbed one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import unprior

SCRIPT = Path(__file__).with_name("killing.py")
METHODS = ["independent", "half", "jedi", "drawn", "ctsne", "revised", "umap"]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no SIGKILL")


def killed(method, kills, folder):
    paths = [str(Path(unprior.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(
        [sys.executable, str(SCRIPT), method, str(kills), "0", str(folder)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "NUMBA_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout)


def test_a_few_kills(tmp_path):
    found = killed("jedi", 2, tmp_path)  # the quickest; the long run has all of them
    assert found["killed"] >= 2
    assert found["same"] == found["finished"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_many_kills(method, tmp_path):
    found = killed(method, 15, tmp_path)  # 105 and more of them all
    assert found["saved"] > 0
    assert found["same"] == found["finished"] > 0
