import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior._ids import are_ids, is_id_name


@pytest.mark.parametrize(
    "name", ["id", "ID", "user_id", "PID", "userId", "sampleID", "id_patient", "Index", "row names"]
)
def test_names_of_ids(name):
    assert is_id_name(name)


@pytest.mark.parametrize("name", ["acid", "grid", "idea", "width", "humid", "refractive_index"])
def test_other_names(name):
    assert not is_id_name(name)


@given(st.integers(20, 200), st.integers(-(10**9), 10**9), st.randoms(use_true_random=False))
def test_a_shuffled_count_is_ids_whatever_its_name(n, first, random):
    values = list(range(first, first + n))
    random.shuffle(values)
    assert are_ids("size", np.array(values))
    assert are_ids("size", np.array(values, dtype=float))


def test_measured_whole_numbers_are_data():
    income = np.random.default_rng(0).integers(10_000, 10**9, 300)
    assert len(np.unique(income)) == 300
    assert not are_ids("income", income)
    assert are_ids("customer_id", income)


def test_ids_may_repeat_if_they_are_called_so():
    assert are_ids("patient_id", np.array([7, 7, 9]))
    assert not are_ids("age", np.array([7, 7, 9]))


def test_decimals_are_no_ids_whatever_their_name():
    assert not are_ids("user_id", np.array([0.5, 1.5, 2.5]))
    assert not are_ids("user_id", np.array([1.0, np.nan, 2.0]))


def test_text_is_ids_if_it_differs_everywhere():
    assert are_ids("bird", np.array(["a", "b", "c"], dtype=object))
    assert not are_ids("bird", np.array(["a", "b", "a"], dtype=object))
    assert are_ids("bird_id", np.array(["a", None, "a"], dtype=object))
