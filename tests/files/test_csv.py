import pytest
from hypothesis import given
from hypothesis import strategies as st

from unprior.files._csv import SEPARATORS, read_csv, sniff, sniff_text


@pytest.mark.parametrize("separator", SEPARATORS)
def test_every_separator_is_found(separator):
    text = f"a{separator}b\n1{separator}2\n3{separator}4\n"
    assert sniff_text(text).separator == separator


@pytest.mark.parametrize(
    ("text", "separator", "decimal"),
    [
        ("a;b\n1,5;2,5\n3,5;4,5\n", ";", ","),
        ("a;b\n1.5;2.5\n", ";", "."),
        ("1,5;2,5\n3,5;4,5\n", ";", ","),  # both marks give lines of one length
        ('a,b\n"one, two",1\nthree,2\n', ",", "."),
        ("a,b\nx;y,1\nz,2\n", ",", "."),
        ("a\tb\n1,5\t-2e3\n", "\t", ","),
        ("sep=;\na;b\n1,5;2\n", ";", ","),
        ("a;b\n1;x\n", ";", "."),
        ("a;b\n22,0;1.016\n18,5;4.182\n", ";", ","),  # "22,0" has a decimal comma
        ("a;b\n22.0;1,016\n", ";", "."),
        ("a;b\n0,123;1.016\n", ";", ","),  # thousands do not begin with a zero
        ("a;b\n1.016;2.512\n", ";", "."),
        ("a b\n1.5 2\n3.5  4\n", r"\s+", "."),
        ("  a b c\n1  1.5 x\n2  2.5 y\n", r"\s+", "."),
        ("two words\nan apple\n", "\t", "."),  # sentences are not tables
    ],
)
def test_separator_and_decimal(text, separator, decimal):
    dialect = sniff_text(text)
    assert (dialect.separator, dialect.decimal) == (separator, decimal)


@pytest.mark.parametrize(
    ("text", "has_header"),
    [
        ("a,b\n1,2\n", True),
        ("1.5,2\n3,4\n", False),
        (",0,1\nx,0,3\ny,3,0\n", True),  # ids above and beside
        ("0,1,2\n5,6,7\n", True),  # the columns, counted
        ("0,1.5,2\n1.5,0,3\n", False),  # distances
        ("a,NA\n1,2\n", True),
    ],
)
def test_a_first_line_of_numbers_is_data(text, has_header):
    assert sniff_text(text).has_header is has_header


@pytest.mark.parametrize(
    ("text", "n_skipped", "has_header"),
    [
        ("# made in May\n# by hand\nx,y\n1,2\n", 2, True),
        ("# a note, with a comma\nx,y\n1,2\n", 1, True),
        ("# a note\n\nx;y\n1;2\n", 2, True),
        ("# a note\n1,2\n3,4\n", 1, False),
        ("# x,y\n1,2\n3,4\n", 0, True),  # as NumPy writes it
        ("x,y\n# not at the top,2\n", 0, True),
        ("# a note alone\n", 0, True),
        ("sep=;\nx;y\n1;2\n", 1, True),
    ],
)
def test_remarks_above_the_table_are_skipped(text, n_skipped, has_header):
    dialect = sniff_text(text)
    assert (dialect.n_skipped, dialect.has_header) == (n_skipped, has_header)


def test_lines_longer_than_the_header():
    named = sniff_text("a,b\nx,1,2\ny,3,4\n")
    assert (named.has_row_names, named.ends_blank) == (True, False)
    blank = sniff_text("a,b\n1,2,\n3,4,\n")
    assert (blank.has_row_names, blank.ends_blank) == (False, True)
    plain = sniff_text("a,b\n1,2\n")
    assert (plain.has_row_names, plain.ends_blank) == (False, False)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_letters_of_all_encodings(tmp_path, encoding):
    path = tmp_path / "a.csv"
    path.write_bytes("größe,x\nä,1\nö,2\nö,3\n".encode(encoding))
    assert read_csv(path)["größe"].tolist() == ["ä", "ö", "ö"]


def test_letters_that_turn_out_later_not_to_be_utf8(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"name,x\n" + b"plain,1.5\n" * 20_000 + "süß,2.5\n".encode("cp1252"))
    assert sniff(path).encoding == "utf-8-sig"
    assert read_csv(path)["name"].tolist()[-1] == "süß"


def test_what_is_no_text_is_refused(tmp_path):
    path = tmp_path / "photo.csv"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(ValueError, match=r"^photo.csv is not a text file"):
        sniff(path)


numbers = st.floats(-1e6, 1e6, allow_nan=False).map(lambda x: round(x, 3))


@given(
    rows=st.lists(st.tuples(numbers, numbers, numbers), min_size=2, max_size=8),
    separator=st.sampled_from(SEPARATORS),
    comma=st.booleans(),
)
def test_numbers_come_back_however_they_were_written(tmp_path_factory, rows, separator, comma):
    comma = comma and separator != ","
    cells = [[f"{x:.3f}".replace(".", "," if comma else ".") for x in row] for row in rows]
    path = tmp_path_factory.mktemp("csv") / "a.csv"
    path.write_text("\n".join(separator.join(row) for row in [["a", "b", "c"], *cells]))
    samples = read_csv(path)
    read = [samples[name].tolist() for name in "abc"]
    assert read == [list(column) for column in zip(*rows, strict=True)]
