import numpy as np
import pytest

from unprior import OverRemovalWarning
from unprior.residual._learn import learn_residual
from unprior.scores import _rest, compare, report

FRAME = ["role", "name", "measure", "score", "standard_error", "chance", "want", "detail"]


@pytest.fixture
def case(two_groups):
    X, known, hidden = two_groups
    against = {
        "X": X,
        "prior": {"batch": np.array([*"abc"])[known]},
        "hidden": {"sex": np.array([*"xy"])[hidden]},
    }
    return {"known": X[:, :4], "hidden": X[:, 3:5]}, against


def test_each_column_is_a_report(case):
    maps, against = case
    comparison = compare(maps, **against, k=10)
    for name, Y in maps.items():
        assert comparison.reports[name] == report(Y, **against, k=10)
        assert comparison.to_dict()[name] == report(Y, **against, k=10).to_dict()


def test_it_prints_one_column_for_each_map(case):
    maps, against = case
    comparison = compare(maps, **against)
    lines = str(comparison).splitlines()
    assert repr(comparison) == str(comparison)
    assert lines[0].split() == ["measure", "known", "hidden", "chance", "want"]
    assert len(lines) == 16
    first = [report.rows[0].score for report in comparison.reports.values()]
    assert [float(cell) for cell in lines[1].split()[4:6]] == pytest.approx(first, abs=6e-4)
    html = compare({"<b>": maps["known"]}, **against)._repr_html_()
    assert ">&lt;b&gt;</th>" in html
    assert html.count("<tr>") == 14


def test_the_worst_class_is_named_once_if_it_is_the_same_in_all_maps(case):
    maps, against = case
    comparison = compare(maps, **against)
    (known, sex), (hidden, same_sex) = (
        [row.detail for row in each.rows if row.measure == "worst_class_purity"]
        for each in comparison.reports.values()
    )
    assert known != hidden
    assert sex == same_sex
    lines = str(comparison).splitlines()
    assert sum(f"worst class: {sex} " in line for line in lines) == 1
    assert f"(worst class of batch: {known} in known, {hidden} in hidden)" in lines
    alone = str(compare({"known": maps["known"]}, **against))
    assert f"worst class: {known} " in alone
    assert "(worst class" not in alone


def test_maps_of_any_number_of_components_stand_side_by_side(case):
    maps, against = case
    X = maps["known"]
    text = str(compare({"one": X[:, :1], "four": X, "two": X[:, :2]}, prior=against["prior"]))
    cells = next(line for line in text.splitlines() if line.startswith("map")).split()
    one, four, two, chance, want = cells[2:]
    assert (four, chance, want) == ("–", "–", "low")
    assert min(float(one), float(two)) > 0.2


def test_a_frame_has_a_row_for_each_score_of_each_map(case):
    pytest.importorskip("pandas")
    maps, against = case
    comparison = compare(maps, **against, n_rows=40)
    frame = comparison.to_frame()
    assert [*frame.columns] == ["map", *FRAME]
    rows = [(name, row) for name, each in comparison.reports.items() for row in each.rows]
    assert frame["map"].tolist() == [name for name, _ in rows]
    for column in FRAME:
        assert frame[column].tolist() == [getattr(row, column) for _, row in rows]


def test_all_maps_are_scored_on_the_same_rows(case):
    maps, against = case
    twice = {"one": maps["known"], "two": maps["known"]}
    comparison = compare(twice, **against, n_rows=40, random_state=np.random.RandomState(0))
    assert comparison.reports["one"] == comparison.reports["two"]
    assert "(40 of 90 samples scored; standard errors up to 0.0" in str(comparison)


def test_the_rest_is_found_once_for_all_maps(case, monkeypatch):
    maps, against = case
    kinds = []

    def counted(X, flat, *, kind, metric):
        kinds.append(kind)
        return learn_residual(X, flat, kind=kind, metric=metric)

    monkeypatch.setattr(_rest, "learn_residual", counted)
    compare(maps, **against)
    assert kinds == ["smooth"]


def test_maps_that_lost_the_rest_are_named_in_a_warning(case, rng):
    maps, against = case
    lost = {f"lost {k}": rng.normal(size=(90, 2)) for k in "ab"}
    wanted = r"^compare: little is kept .*\(-?0\.\d\d in 'lost a' and -?0\.\d\d in 'lost b'; 0 is"
    with pytest.warns(OverRemovalWarning, match=wanted) as caught:
        compare({**maps, **lost}, **against)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert "known" not in str(caught[0].message)


def test_a_map_may_have_any_name(case):
    maps, against = case
    assert str(compare({"who": maps["known"], 3: maps["hidden"]}, **against)).split()[1:3] == [
        "who",
        "3",
    ]


@pytest.mark.parametrize(
    ("maps", "message"),
    [
        ({}, r"'maps' takes a dict from names to maps; got \{\}\."),
        (
            np.ones((90, 2)),
            r"'maps' takes a dict from names to maps; got an array of shape \(90, 2\)",
        ),
        ({"a": np.ones((90, 2)), "b": np.ones((80, 2))}, r"'a' has 90 samples and 'b' 80"),
        ({"a": np.ones((80, 2))}, r"samples"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(case, maps, message):
    with pytest.raises(ValueError, match=f"^compare: .*{message}"):
        compare(maps, **case[1])


def test_without_a_number_there_are_fifteen_neighbours_and_the_same_rows_every_time(case):
    maps, against = case
    assert {each.k for each in compare(maps, **against).reports.values()} == {15}
    some = compare(maps, **against, n_rows=40)
    assert some.reports == compare(maps, **against, n_rows=40, random_state=0).reports
