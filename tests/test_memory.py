"""What does not fit into memory is refused before it is made, in containers too."""

import pytest

from unprior import _memory
from unprior._memory import check_array_fits, check_columns_fit, check_square_fits


@pytest.fixture
def limit(tmp_path, monkeypatch):
    """Write the limits of a container, in the files of both versions."""
    files = (tmp_path / "memory.max", tmp_path / "memory.limit_in_bytes")
    monkeypatch.setattr(_memory, "LIMITS", files)
    return lambda version, text: files[version].write_text(f"{text}\n")


@pytest.mark.parametrize("version", [0, 1])
def test_the_limit_of_a_container_counts(limit, version):
    check_square_fits("JEDI", 1000, 1)
    limit(version, 2**20)
    with pytest.raises(MemoryError, match=r"^JEDI: 1000 samples need 1 arrays .* subset"):
        check_square_fits("JEDI", 1000, 1)
    check_square_fits("JEDI", 300, 1)
    with pytest.raises(MemoryError, match=r"^JEDI: 'prior' makes 200 columns"):
        check_columns_fit("JEDI", 1000, 200, 1, "leave some out")
    with pytest.raises(MemoryError, match=r"^JEDI: 'X' is sparse"):
        check_array_fits("JEDI", "X", 1000, 200)


@pytest.mark.parametrize("text", ["max", str(2**63 - 4096), "", "nonsense"])
def test_no_limit_leaves_the_machine(limit, text):
    before = _memory._usable_memory()
    limit(0, text)
    assert _memory._usable_memory() == before > 0
