"""No fit takes memory that grows with the square of the samples, unless it says so beforehand."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from survival.peak import FITS

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="peaks are read with getrusage"),
]

ROOT = Path(__file__).parents[2]

#: MiB that a fit of 50 000 samples may take besides what it starts with. One n × n array of float32
#: would be 9537.
N_SAMPLES, MOST = 50_000, 2000


# InverseSLLE needs the full matrix; that it is refused in time is tested elsewhere.
@pytest.mark.parametrize("method", sorted({*FITS} - {"InverseSLLE"}))
def test_peak_at_50_000_samples(method):
    path = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "survival" / "peak.py"), method, str(N_SAMPLES)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(done.stdout)
    assert "refused" not in found
    assert found["peak"] - found["before"] < MOST, found
