import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform

from unprior import priors
from unprior.files import Samples, find_prior, make_prior

HOURS = np.array([23.0, 1.0, 12.0, 5.0])
PLACES = np.array([[52.5, 13.4], [48.9, 2.4], [40.7, -74.0], [-33.9, 151.2]])
D = squareform(pdist(PLACES))
DAYS = np.array(["2020-01-01", "2020-01-03", "2020-02-01", "2019-12-31"], dtype="datetime64[us]")


@pytest.fixture
def samples():
    """Four birds, with one column of every kind."""
    return Samples(
        "birds.csv",
        np.array(["ann", "bob", "cat", "dan"], dtype=object),
        "column 'bird'",
        columns={
            "hour": HOURS,
            "lat": PLACES[:, 0],
            "lon": PLACES[:, 1],
            "year": np.array([2001, 2001, 2002, 2003]),
            "gap": np.array([1, None, 2, 2], dtype=object),
            "kind": np.array(["u", "v", "u", None], dtype=object),
            "tip": np.array(["A", "B", "A", "C"], dtype=object),
            "when": DAYS,
            "cluster": np.array([3, 1, 3, 2], dtype=object),
        },
        matrices={"pcs": PLACES, "wide": D},
        categories=frozenset({"cluster"}),
    )


def read(text, samples):
    return make_prior(find_prior("--prior", text, samples))


@pytest.mark.parametrize(
    ("text", "prior"),
    [
        ("hour", priors.features(HOURS)),
        ("hour:cyclic=24", priors.cyclic(HOURS, 24)),
        ("lat,lon:geo", priors.geo(*PLACES.T)),
        ("lat,lon:features", priors.features(PLACES)),
        ("lat,lon", priors.combine({"lat": PLACES[:, 0], "lon": PLACES[:, 1]})),
        ("year:labels", priors.labels([1, 1, 2, 3])),
        ("year:features", priors.features([1.0, 1.0, 2.0, 3.0])),
        ("tip", priors.labels(["A", "B", "A", "C"])),
        ("when", priors.features(DAYS)),
        ("when:features", priors.features([0.0, 2.0, 31.0, -1.0])),
        ("hour,when:features", priors.features(np.c_[HOURS, [0.0, 2.0, 31.0, -1.0]])),
        ("cluster", priors.labels([3, 1, 3, 2])),
        ("cluster:features", priors.features([3.0, 1.0, 3.0, 2.0])),
        ("cluster,hour", priors.combine({"a": priors.labels([3, 1, 3, 2]), "b": HOURS})),
        ("pcs", priors.features(PLACES)),
        ("wide:distances", priors.distances(D)),
    ],
)
def test_the_prior_is_that_of_the_library(text, prior, samples):
    found = read(text, samples)
    assert found.kind == prior.kind
    np.testing.assert_allclose(found.to_array(), prior.to_array())


@pytest.mark.parametrize("name", ["year", "gap"])
def test_whole_numbers_are_refused_with_both_spellings_of_the_shell(name, samples):
    match = f"write --prior {name}:labels or --prior {name}:features"
    with pytest.raises(ValueError, match=match):
        read(name, samples)


def test_square_arrays_are_refused_with_all_spellings_of_the_shell(samples):
    with pytest.raises(
        ValueError, match=r"write --prior wide:features or --prior wide:distances or"
    ):
        read("wide", samples)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("lat:geo", "'geo' takes 2 columns; got 1"),
        ("lat,lon:labels", "'labels' takes 1 column; got 2"),
        ("pcs:labels", "'labels' takes 1 column; got a matrix"),
        ("tip:features", "^--prior tip:features: 'tip' takes numbers; got object values"),
        ("hour:cyclic", "write hour:cyclic=24 for hours"),
        ("hour:cyclic=noon", "write hour:cyclic=24 for hours"),
        ("houre", "has no column 'houre', and there is no such file. Did you mean 'hour'"),
        ("lat,long:geo", "has no column 'long'"),
        ("none.nwk:tree", "there is no file 'none.nwk'"),
        ("hour:cycle", "'cycle' is not a kind of prior"),
        (",", "has no column ''"),
    ],
)
def test_what_cannot_be_read_is_refused(text, reason, samples):
    with pytest.raises(ValueError, match=reason) as error:
        read(text, samples)
    assert str(error.value).startswith(f"--prior {text}") or f"'{text}'" in str(error.value)


@pytest.fixture
def tree(tmp_path):
    """A tree with the birds and the letters at its tips."""
    path = tmp_path / "tree.nwk"
    path.write_text("((ann:1,bob:1):2,(cat:1,(dan:1,A:5):1):3,(B:1,C:2):4);")
    return path


def test_tips_are_found_by_id_or_by_a_column(tree, samples):
    by_id = read(f"{tree}:tree", samples)
    assert by_id.pairs([0, 0], [1, 2]).tolist() == [2.0, 7.0]
    by_column = find_prior("--prior", f"{tree}:tree=tip", samples)
    assert by_column.taken == ("tip",)
    assert make_prior(by_column).pairs([0, 1], [2, 3]).tolist() == [0.0, 3.0]
    with pytest.raises(ValueError, match=r"no column 'top' of tips. Did you mean"):
        read(f"{tree}:tree=top", samples)


def test_without_ids_the_tips_count_in_the_order_of_the_tree(tree):
    numbered = Samples("a.npy", np.arange(7).astype(str), data=np.eye(7))
    assert read(f"{tree}:tree", numbered).pairs([0], [1]).tolist() == [2.0]


def test_a_file_of_its_own(tmp_path, samples):
    np.save(tmp_path / "D.npy", D)
    np.save(tmp_path / "condensed.npy", pdist(PLACES))
    np.save(tmp_path / "batch.npy", np.array(list("uvuv")))
    for name in ("D", "condensed"):
        np.testing.assert_allclose(
            read(f"{tmp_path}/{name}.npy:distances", samples).to_array(), D, atol=1e-12
        )
    assert read(f"{tmp_path}/batch.npy", samples).counts.tolist() == [2, 2]
    assert find_prior("--prior", f"{tmp_path}/batch.npy", samples).taken == ()


def test_a_file_with_ids_is_put_in_the_order_of_the_data(tmp_path, samples):
    order = [2, 0, 3, 1]
    names = samples.ids[order]
    lines = [",".join(["", *names])]
    lines += [",".join([n, *map(str, D[i, order])]) for n, i in zip(names, order, strict=True)]
    (tmp_path / "D.csv").write_text("\n".join(lines))
    prior = read(f"{tmp_path}/D.csv:distances", samples)
    np.testing.assert_allclose(prior.to_array(), D)
    some = find_prior("--prior", f"{tmp_path}/D.csv:distances", samples).take(np.array([3, 1]))
    np.testing.assert_allclose(make_prior(some).to_array(), D[np.ix_([3, 1], [3, 1])])
    (tmp_path / "z.csv").write_text("id,z\ncat,3.5\nann,1.5\neve,9.5\ndan,4.5\nbob,2.5\n")
    values = find_prior("--prior", f"{tmp_path}/z.csv", samples).columns["z.csv"]
    assert values.tolist() == [1.5, 2.5, 3.5, 4.5]
    (tmp_path / "z.csv").write_text("id,z\ncat,3.5\nann,1.5\n")
    with pytest.raises(ValueError, match=r"z\.csv lacks ids of birds\.csv"):
        read(f"{tmp_path}/z.csv", samples)


@pytest.mark.parametrize("text", ["hour:cyclic=24", "lat,lon:geo", "wide:distances", "pcs", "tip"])
def test_some_samples_of_a_prior(text, samples):
    rows = np.array([3, 0, 2])
    known = find_prior("--prior", text, samples)
    np.testing.assert_allclose(
        make_prior(known.take(rows)).to_array(), make_prior(known)[rows].to_array()
    )


def test_some_samples_of_a_tree(tree, samples):
    rows = np.array([3, 0])
    known = find_prior("--prior", f"{tree}:tree", samples)
    np.testing.assert_allclose(
        make_prior(known.take(rows)).to_array(), make_prior(known)[rows].to_array()
    )


def test_gaps(samples):
    found = {text: find_prior("--prior", text, samples).gaps() for text in ("kind", "gap", "pcs")}
    assert found["kind"].tolist() == [False, False, False, True]
    assert found["gap"].tolist() == [False, True, False, False]
    assert not found["pcs"].any()
    assert not find_prior("--prior", "wide:distances", samples).gaps()


def test_a_file_of_other_samples_is_refused(tmp_path, samples):
    np.save(tmp_path / "short.npy", np.array(list("uv")))
    with pytest.raises(ValueError, match=r"short\.npy has 2 rows, but birds\.csv has 4"):
        find_prior("--prior", f"{tmp_path}/short.npy", samples)
    np.save(tmp_path / "large.npy", pdist(np.arange(5.0)[:, None]))
    known = find_prior("--prior", f"{tmp_path}/large.npy:distances", samples)
    with pytest.raises(ValueError, match=r"has 5 samples, but the data have 4"):
        make_prior(known.take(np.arange(4)))


def test_some_samples_of_condensed_distances(tmp_path, samples):
    np.save(tmp_path / "D.npy", pdist(PLACES))
    known = find_prior("--prior", f"{tmp_path}/D.npy:distances", samples)
    assert known.name == "D.npy"
    rows = [2, 0]
    some = make_prior(known.take(np.array(rows)))
    np.testing.assert_allclose(some.to_array(), D[np.ix_(rows, rows)])


@pytest.mark.parametrize(
    ("words", "gaps"),
    [
        (["2020-01-01", "2020-01-03", "2020-02-01"], [2, 31]),
        (["2020-01-01 06:00", "2020-01-01T18:00", "2020-01-02"], [0.5, 0.75]),
        (["01.01.2020", "03.01.2020", "01.02.2020"], [2, 31]),
    ],
)
def test_dates_as_text_are_amounts_of_days_unless_they_are_labels(words, gaps):
    column = np.array(words, dtype=object)
    samples = Samples("a.csv", np.array(["0", "1", "2"]), columns={"day": column})
    prior = make_prior(find_prior("--prior", "day:features", samples))
    assert prior.block(np.array([0]), np.array([1, 2])).tolist() == [gaps]
    assert make_prior(find_prior("--prior", "day", samples)).kind == "features"
    assert make_prior(find_prior("--prior", "day:labels", samples)).kind == "labels"
    daily = make_prior(find_prior("--prior", "day:cyclic=day", samples))
    assert daily.largest() <= 0.5
    yearly = make_prior(find_prior("--prior", "day:cyclic=365.25", samples))
    assert yearly.block(np.array([0]), np.array([1, 2])).tolist() == [gaps]
