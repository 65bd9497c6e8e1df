"""One epoch of UMAP's layout, against a slow reference and on several threads."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import random_array

from reference import umap_layout as slow
from unprior.kernels._umap_layout import lay_out_epoch
from unprior.optimize import _umap_layout
from unprior.optimize._umap_layout import LayoutSettings, _forces, edge_rounds

ROOT = Path(__file__).parents[2]


@pytest.fixture
def make_rounds(monkeypatch):
    """Divide a random graph into parts."""

    def make(n, n_parts):
        monkeypatch.setattr(_umap_layout, "count_parts", lambda n: n_parts)
        graph = random_array((n, n), density=0.2, random_state=np.random.default_rng(1))
        return edge_rounds((graph + graph.T).tocsr(), 0.1, np.random.RandomState(0))

    return make


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
@pytest.mark.parametrize("n_parts", [2, 4, 6])
def test_equals_its_twin(make_rounds, rng, n_components, n_parts):
    rounds = make_rounds(40, n_parts)
    a, b, strength, rate, seed = 1.2, 0.9, 0.8, 2.5, 7
    settings = LayoutSettings(9, a, b, strength, rate)
    fast = rng.uniform(0, 10, (40, n_components)).astype(np.float32)
    before, forces = np.empty_like(fast), _forces(rounds, settings, n_components)
    for number in (1, 2, 3, 8):
        twin = slow.epoch(fast, rounds, a, b, strength, rate, 0.1, number, seed)
        assert abs(twin - fast).max() > 0.01
        lay_out_epoch(fast, before, *forces, np.float32(0.1), float(number), seed)
        np.testing.assert_allclose(fast, twin, atol=2e-3)


@pytest.mark.parametrize("n_parts", [2, 4, 12, 64])
def test_parts_meet_once_and_are_never_in_two_buckets_of_a_round(n_parts):
    rounds = [*slow.tournament(n_parts)]
    for pairs in rounds[:-1]:
        assert sorted(part for pair in pairs for part in pair) == [*range(n_parts)]
    met = [pair for pairs in rounds for pair in pairs]
    assert sorted(met) == [(p, q) for p in range(n_parts) for q in range(p, n_parts)]


SCRIPT = """
import hashlib, numba, numpy as np
from scipy.sparse import random_array
from unprior.kernels._umap_layout import lay_out_epoch
from unprior.optimize._umap_layout import edge_rounds
from unprior.optimize._umap_layout import LayoutSettings, _forces
graph = random_array((4000, 4000), density=0.002, random_state=np.random.default_rng(1))
rounds = edge_rounds((graph + graph.T).tocsr(), 0.1, np.random.RandomState(0))
assert rounds.n_parts == 8
start = np.random.default_rng(0).uniform(0, 10, (4000, 2)).astype(np.float32)
for n_threads in (1, 2, 3):
    numba.set_num_threads(n_threads)
    Y, before = start.copy(), np.empty_like(start)
    forces = _forces(rounds, LayoutSettings(20, 1.6, 0.9), 2)
    for epoch in range(1, 21):
        lay_out_epoch(Y, before, *forces, np.float32(1.0), float(epoch), 3)
    print(hashlib.sha256(Y.tobytes()).hexdigest())
"""


@pytest.mark.compiled
def test_same_bits_for_any_number_of_threads():
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**os.environ, "PYTHONPATH": path, "NUMBA_NUM_THREADS": "3"},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert len(found) == 3
    assert len({*found}) == 1
