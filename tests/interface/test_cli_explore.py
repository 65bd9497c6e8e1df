"""``unprior explore``: the file it writes, the server it starts, and what it refuses."""

import http.client
import os
import re
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from unprior.cli import main

N = 60


def run(*words):
    return CliRunner().invoke(main, ["explore", *map(str, words)], catch_exceptions=False)


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 3)), columns=list("uvw"))
    frame["batch"] = ["a", "b"] * (N // 2)
    frame["u"] += 6 * (frame["batch"] == "b")
    frame["type"] = [1, 1, 2, 2] * (N // 4)
    frame.to_csv(tmp_path / "data.csv", index=False)
    return tmp_path / "data.csv"


def test_one_file(file, tmp_path):
    page = tmp_path / "maps.html"
    done = run(file, "--prior", "batch", "--keep", "type", "--html", page)
    assert done.exit_code == 0, done.stderr
    # Labels to keep are not data, although they are numbers.
    assert "60 samples, 3 columns" in done.stderr
    assert "<title>data.csv</title>" in page.read_text()
    again = run(file, "--prior", "batch", "--html", page)
    assert again.exit_code == 1
    assert "--force" in again.stderr


@pytest.mark.parametrize(
    ("words", "fragment"),
    [
        (["--prior", "nothing"], "has no column 'nothing'"),
        (["--html", "page.txt"], "ends in .html"),
        (["--out", "saved.npy"], "ends in .csv or .h5ad"),
        (["--prior", "batch", "--keep", "kind"], "there is no 'kind'"),
        (["--html", "page.html", "--session", "kept"], "--session needs the live page"),
    ],
)
def test_what_is_refused(file, words, fragment):
    done = run(file, *words)
    assert done.exit_code == 1
    assert fragment in done.stderr


def test_the_server_starts_and_ends_with_the_keyboard(file):
    # A shell that starts the tests in the background has them ignore Ctrl-C.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heed}; from unprior.cli import main; main()"
    words = [sys.executable, "-c", code, "explore", file, "--no-browser", "--jobs", "1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        try:
            address = ran.stdout.readline().strip()
            port = int(re.fullmatch(r"http://127\.0\.0\.1:(\d+)/#token=[\w-]{40,}", address)[1])
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
            connection.request("GET", "/")
            assert connection.getresponse().status == 200
            connection.close()
            ran.send_signal(signal.SIGINT)
            assert ran.wait(120) == 0
        finally:
            ran.kill()
        assert "Traceback" not in ran.stderr.read()


def test_a_missing_package_is_named(file, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    done = run(file, "--no-browser")
    assert done.exit_code == 1
    assert 'pip install "unprior[explore]"' in done.stderr
    assert os.linesep not in done.stderr.strip().splitlines()[-1]
