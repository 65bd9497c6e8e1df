import numpy as np
import pytest

from unprior.files import check_target, choose_data, read_samples, write_map, write_whole

Y = np.array([[0.1, 1e-17], [2.5, -3.0], [1 / 3, 7.0]])
IDS = np.array(["plain", 'with, "marks"', "ünicode"], dtype=object)


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet", "npz", "npy"])
def test_a_map_comes_back_to_the_last_bit(tmp_path, ending):
    path = tmp_path / f"map.{ending}"
    write_map(path, Y, IDS, method="jedi")
    samples = read_samples(path)
    assert choose_data(samples).X.tolist() == Y.tolist()
    if ending != "npy":
        assert samples.ids.tolist() == IDS.tolist()
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_a_stop_leaves_the_old_file_and_no_half_of_the_new(tmp_path, error):
    path = tmp_path / "map.csv"
    path.write_text("old")

    def write(part):
        part.write_text("half of the n")
        raise error

    with pytest.raises(error):
        write_whole(path, write)
    assert [file.name for file in tmp_path.iterdir()] == ["map.csv"]
    assert path.read_text() == "old"


def test_what_could_not_be_written_is_refused_beforehand(tmp_path):
    endings = (".csv", ".npy")
    (tmp_path / "old.csv").write_text("")
    check_target(tmp_path / "new.CSV", endings, force=False)
    check_target(tmp_path / "old.csv", endings, force=True)
    for name, reason in (
        ("old.csv", "already exists; give --force"),
        ("new.xlsx", r"takes a file name that ends in \.csv or \.npy"),
        ("none/new.csv", "there is no folder"),
    ):
        with pytest.raises(ValueError, match=reason):
            check_target(tmp_path / name, endings, force=False)
