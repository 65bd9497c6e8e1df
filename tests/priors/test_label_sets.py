import numpy as np
import pytest

from unprior import priors
from unprior.priors._label_sets import join_labels

ROW, COLUMN = ["x", "x", "y", "y", "y"], ["a", "b", "a", "b", "b"]


def test_one_prior_is_itself_and_none_is_none():
    row = priors.labels(ROW)
    assert join_labels("M", {"row": row}) is row
    assert join_labels("M", {}) is None


@pytest.mark.parametrize("combined", [False, True])
def test_samples_that_agree_in_all_share_a_label(combined):
    parts = {"row": priors.labels(ROW), "column": priors.labels(COLUMN)}
    joint = join_labels("M", {"both": priors.combine(parts)} if combined else parts)
    pairs = [*zip(ROW, COLUMN, strict=True)]
    expected = [[a == b for b in pairs] for a in pairs]
    np.testing.assert_array_equal(joint.codes[:, None] == joint.codes, expected)


def test_refuses_what_is_no_label_and_what_names_every_sample():
    with pytest.raises(ValueError, match=r"M: 'prior' takes labels only; 'age' is .* kind 'feat"):
        join_labels("M", {"row": priors.labels(ROW), "age": priors.features(np.arange(5.0))})
    one_each = {"i": priors.labels([0, 0, 1, 1]), "j": priors.labels([0, 1, 0, 1])}
    with pytest.raises(ValueError, match=r"M: the labels .* every sample is a class of its own"):
        join_labels("M", one_each)
