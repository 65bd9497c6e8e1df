import numpy as np
import pytest
from scipy.sparse import csr_matrix

from unprior.reproduce._markers import log_normalized


def test_expression_is_log_of_counts_per_ten_thousand():
    counts = np.array([[1, 3, 0], [0, 0, 0], [5, 5, 10]])
    expected = np.log1p([[2500, 7500, 0], [0, 0, 0], [2500, 2500, 5000]])
    assert log_normalized(csr_matrix(counts)) == pytest.approx(expected)
