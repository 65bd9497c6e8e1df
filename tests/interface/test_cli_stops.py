"""Ctrl+C ends a command with one word and exit code 130, even while it is loading."""

import subprocess
import sys

import click
import pytest

from unprior.cli import main
from unprior.cli._stops import quiet_stops
from unprior.files import _read

#: The command, which gets a real signal at the moment when it imports a module.
STOP_AT = """
import os, signal, sys

# Whoever is started in the background is deaf to it.
signal.signal(signal.SIGINT, signal.default_int_handler)

class Stop:
    def find_spec(self, name, *_):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Stop())
from unprior.cli import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("module", "words"),
    [
        ("click", ["--help"]),
        ("unprior.cli._embed", ["embed", "--help"]),
        ("unprior.cli._draw", ["embed", __file__, "--prior", "species", "--out", "map.csv"]),
        ("unprior.cli._demo", ["demo", "--out", "demo"]),
        ("numpy", ["demo", "--out", "demo"]),
        ("unprior.reproduce", ["reproduce", "synthetic"]),
    ],
)
def test_a_stop_while_a_command_loads_is_one_word(module, words, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", STOP_AT, module, *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Stopped.\n")
    assert [*tmp_path.iterdir()] == []


def test_the_program_ends_at_once_and_forgets_what_it_kept(monkeypatch, tmp_path):
    ended = []
    monkeypatch.setattr("os._exit", ended.append)
    monkeypatch.setattr(_read, "FOLDERS", [tmp_path])
    monkeypatch.setattr(click.Group, "main", lambda *_, **__: sys.exit(130))
    with pytest.raises(SystemExit):
        main()
    assert ended == [130]
    assert not tmp_path.exists()
    monkeypatch.setattr(click.Group, "main", lambda *_, **__: sys.exit(1))
    with pytest.raises(SystemExit):
        main()
    assert ended == [130]


def test_other_errors_pass():
    with pytest.raises(RuntimeError, match="something else"), quiet_stops():
        raise RuntimeError("something else")


def test_a_stop_that_another_error_hides_is_one_too(capsys):
    with pytest.raises(SystemExit, match="130"), quiet_stops():
        raise RuntimeError("Error calling __set_name__") from KeyboardInterrupt()
    assert capsys.readouterr().err == "Stopped.\n"
