"""What does not fit into memory is refused before it is made, in containers too."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist

import unprior as up
from unprior import _memory, priors
from unprior._memory import check_array_fits, check_columns_fit, check_square_fits

#: Lines of /proc/self/cgroup and the file with the limit: a container of version 2, a group within
#: a group, a container of version 1 that is named as its host sees it.
PLACES = {
    "container": ("0::/", "memory.max"),
    "job": ("0::/jobs/7/step", "jobs/7/memory.max"),
    "version 1": ("2:cpu:/\n4:memory:/docker/abc", "memory/memory.limit_in_bytes"),
}


@pytest.fixture
def limit(tmp_path, monkeypatch):
    """Write the limit of a control group."""
    monkeypatch.setattr(_memory, "LIMITS", tmp_path)
    monkeypatch.setattr(_memory, "GROUPS", tmp_path / "cgroup")

    def write(text, where="container"):
        line, file = PLACES[where]
        (tmp_path / "cgroup").write_text(f"{line}\n")
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"{text}\n")

    return write


@pytest.mark.parametrize("where", PLACES)
def test_the_limit_of_a_container_counts(limit, where):
    check_square_fits("JEDI", 1000, 1)
    limit(2**20, where)
    with pytest.raises(MemoryError, match=r"^JEDI: 1000 samples need 1 arrays .* subset"):
        check_square_fits("JEDI", 1000, 1)
    check_square_fits("JEDI", 300, 1)
    with pytest.raises(MemoryError, match=r"^JEDI: 'prior' makes 200 columns"):
        check_columns_fit("JEDI", 1000, 200, 1, "leave some out")
    with pytest.raises(MemoryError, match=r"^JEDI: 'X' is sparse"):
        check_array_fits("JEDI", "X", 1000, 200)


@pytest.mark.parametrize(
    ("place", "used", "prefix"),
    [("container", "memory.current", ""), ("version 1", "memory.usage_in_bytes", "total_")],
)
def test_what_a_container_has_taken_is_not_free(limit, place, used, prefix, tmp_path):
    limit(10_000, place)
    folder = (tmp_path / PLACES[place][1]).parent
    assert _memory._usable_memory() == 10_000
    (folder / used).write_text("7000\n")
    assert _memory._usable_memory() == 3000
    # Copies of files are given back when memory is needed.
    stat = f"anon 5000\n{prefix}active_file 500\n{prefix}inactive_file 1500\n"
    (folder / "memory.stat").write_text(stat)
    assert _memory._usable_memory() == 5000
    (folder / used).write_text("99000\n")
    assert _memory._usable_memory() == 1  # nothing, which is not "unknown"


@pytest.mark.parametrize("text", ["max", str(2**63 - 4096), "", "nonsense"])
def test_no_limit_leaves_what_is_free(limit, text, monkeypatch, tmp_path):
    (tmp_path / "meminfo").write_text("MemTotal: 900 kB\nMemAvailable: 300 kB\n")
    monkeypatch.setattr(_memory, "FREE", tmp_path / "meminfo")
    limit(text)
    assert _memory._usable_memory() == 300 * 1024


def test_where_nothing_is_said_the_machine_counts(limit, monkeypatch, tmp_path):
    monkeypatch.setattr(_memory, "FREE", tmp_path / "none")
    monkeypatch.setattr(_memory.os, "sysconf", lambda _: 1000, raising=False)
    assert _memory._usable_memory() == 1000**2
    monkeypatch.delattr(_memory.os, "sysconf")
    assert _memory._usable_memory() == 0
    check_square_fits("JEDI", 10**6, 1)  # unknown: nothing is refused


N = 60
X = np.random.default_rng(0).normal(size=(N, 3))
D = cdist(X, X)

#: Every call that makes an n × n array from something else.
SQUARES = {
    "JEDI": lambda: up.JEDI(solver="exact", n_iter=1).fit(X, prior=["a", "b"] * (N // 2)),
    "InverseSLLE": lambda: up.InverseSLLE().fit(X, prior=["a", "b"] * (N // 2)),
    "factor_out": lambda: up.factor_out(D, priors.features(X[:, :1])),
    "distances": lambda: priors.distances(D[np.triu_indices(N, 1)]),
    "to_array": lambda: priors.features(X).to_array(),
}


@pytest.mark.parametrize("who", SQUARES)
def test_every_square_is_compared_with_what_is_free(who, monkeypatch):
    monkeypatch.setattr(_memory, "_usable_memory", lambda: 8 * N**2 - 1)
    with pytest.raises(MemoryError, match=rf"^{who}: {N} samples need \d arrays of {N} × {N}, "):
        SQUARES[who]()
