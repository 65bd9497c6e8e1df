"""Read CSV and TSV files, guessing separator, decimal mark, header and encoding."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from dataclasses import dataclass
from gzip import BadGzipFile, GzipFile
from io import BufferedReader
from pathlib import Path
from typing import Any

from unprior._extras import import_extra
from unprior.files._limits import check_gzip
from unprior.files._samples import Samples, list_names
from unprior.files._tables import from_frame, reason_of

#: Bytes read to guess the format; doubled up to the second until they hold SOME_LINES lines.
HEAD, MOST_BYTES = 2**16, 2**26
SOME_LINES = 5

# Commas come last, because numbers and sentences contain them too.
SEPARATORS = ("\t", ";", "|", ",")

#: Runs of blanks, used if no other separator fits.
BLANKS = r"\s+"

# Bytes that occur in no text of any language.
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d{3})*([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(\d*|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?(\d*|\d{1,3}(,\d{3})+)\.\d+([eE][+-]?\d+)?")
# Ambiguous: "1.016" is a little over one, or a thousand and sixteen.
_EITHER_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*")


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes
    ----------
    encoding : str
        Character encoding.
    separator : str
        Field separator.
    decimal : str
        Decimal mark.
    has_header : bool
        Whether the first line names the columns.
    has_row_names : bool
        Whether lines begin with a row name that the header omits, as R writes them.
    ends_blank : bool
        Whether lines end with a superfluous separator.
    n_skipped : int
        Number of lines before the table.
    """

    encoding: str
    separator: str
    decimal: str = "."
    has_header: bool = True
    has_row_names: bool = False
    ends_blank: bool = False
    n_skipped: int = 0

    @property
    def thousands(self) -> str:
        """Thousands separator that numbers may have."""
        return "." if self.decimal == "," else ","


def read_csv(path: Path) -> Samples:
    """Read a text table with any common separator, decimal mark and thousands separator."""
    pandas = import_extra("pandas", f"{path.name}: reading CSV and TSV")
    errors = (pandas.errors.ParserError, pandas.errors.EmptyDataError, UnicodeError)
    try:
        if path.suffix.lower() == ".gz":
            check_gzip(path)
        dialect = sniff(path)
        try:
            frame = _parse(pandas, path, dialect, dialect.encoding)
        except UnicodeDecodeError:  # after the lines that were inspected
            frame = _parse(pandas, path, dialect, "cp1252")
    except (*errors, BadGzipFile, EOFError, zlib.error) as error:
        message = f"{path.name} cannot be read as a table: {reason_of(error)}."
        raise ValueError(message) from error
    joined = join_thousands(pandas, frame, dialect)
    return from_frame(path.name, frame, _remarks(dialect, joined))


def _parse(pandas: Any, path: Path, dialect: Dialect, encoding: str) -> Any:
    return pandas.read_csv(
        path,
        sep=dialect.separator,
        decimal=dialect.decimal,
        encoding=encoding,
        header=0 if dialect.has_header else None,
        # False drops a last field that the header lacks; None would refuse it.
        index_col=0 if dialect.has_row_names else False if dialect.ends_blank else None,
        skiprows=dialect.n_skipped,
        skipinitialspace=True,
        low_memory=False,
        dtype_backend="numpy_nullable",
    )


def join_thousands(pandas: Any, frame: Any, dialect: Dialect) -> list[str]:
    """Convert text columns of numbers such as 1.234,5 in place; return their names."""
    mark, point = re.escape(dialect.thousands), re.escape(dialect.decimal)
    # Digits after a leading zero mean a code, not a number.
    number = rf"[+-]?(?:0|[1-9]\d{{0,2}}(?:{mark}\d{{3}})*)(?:{point}\d+)?"
    joined = []
    for place, name in enumerate(frame.columns):
        cells = frame.iloc[:, place]
        if not pandas.api.types.is_string_dtype(cells) or not cells.notna().any():
            continue
        text = cells.dropna().str.strip()
        if text.str.fullmatch(number).all() and text.str.contains(mark).any():
            plain = cells.str.replace(dialect.thousands, "").str.replace(dialect.decimal, ".")
            frame.isetitem(place, pandas.to_numeric(plain))
            joined.append(str(name))
    return joined


def _remarks(dialect: Dialect, joined: list[str]) -> tuple[str, ...]:
    remarks = []
    if dialect.decimal == ",":
        remarks.append("Numbers are read with decimal commas.")
    if joined:
        mark = {".": "Points", ",": "Commas"}[dialect.thousands]
        remarks.append(f"{mark} are read as thousands separators in: {list_names(joined)}.")
    if not dialect.has_header:
        remarks.append("The first line holds numbers, so the columns are named 0, 1, 2, ...")
    if dialect.encoding == "cp1252":
        remarks.append("The text is not UTF-8; it is read as Western European (cp1252).")
    return tuple(remarks)


def sniff(path: Path) -> Dialect:
    """Guess the dialect from the first lines of a file; refuse binary files."""
    packed = path.suffix.lower() == ".gz"
    with gzip.open(path) if packed else path.open("rb") as file:
        head, is_all = _read_head(file)
    encoding = _encoding(path, head)
    text = head.decode(encoding, errors="ignore")
    return sniff_text(text if is_all else text[: text.rfind("\n")], encoding)


def _read_head(file: GzipFile | BufferedReader) -> tuple[bytes, bool]:
    """Return the first lines, and whether they are the whole file."""
    head = file.read(HEAD)
    while head.count(b"\n") < SOME_LINES and len(head) < MOST_BYTES:
        more = file.read(len(head))
        if not more:
            return head, True
        head += more
    return head, not file.read(1)


def sniff_text(text: str, encoding: str = "utf-8") -> Dialect:
    r"""Guess the dialect of a text from its first lines.

    Examples
    --------
    >>> dialect = sniff_text("size;mass\n1,5;2\n2,5;3\n")
    >>> dialect.separator, dialect.decimal, dialect.has_header
    (';', ',', True)
    """
    every_line = text.splitlines()
    declared = re.fullmatch(r'"?sep=(.)"?', every_line[0]) if every_line else None  # by Excel
    n_skipped = 1 if declared else _count_comments(every_line)
    lines = [line for line in every_line[n_skipped:] if line.strip()]
    separator = declared[1] if declared else _separator(lines)
    rows = _cut(lines, separator)
    decimal = "," if separator != "," and _writes_commas(rows[1:] or rows) else "."
    last_fields = _fields_beyond_the_header(rows)
    return Dialect(
        encoding,
        separator,
        decimal,
        has_header=bool(rows) and not _is_data(rows[0]),
        has_row_names=any(last_fields),
        ends_blank=bool(last_fields) and not any(last_fields),
        n_skipped=n_skipped,
    )


def _count_comments(lines: list[str]) -> int:
    """Return the number of comment lines before a table, such as "# made in May".

    The last of them is the header if it has as many fields as the next line, which has numbers.
    """
    n = next((k for k, line in enumerate(lines) if line.strip() and line[0] != "#"), 0)
    if not n:
        return 0
    mark = _separator([lines[n]])
    named, first = _cut(lines[n - 1 : n + 1], mark)
    has_numbers = any(_NUMBER.fullmatch(cell.strip()) for cell in first)
    return n - int(has_numbers and len(named) == len(first))


def _encoding(path: Path, head: bytes) -> str:
    if head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if _BINARY.search(head):
        message = f"{path.name} is not a text file: it holds bytes that no CSV file has."
        raise ValueError(message)
    try:
        codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _separator(lines: list[str]) -> str:
    """Return the first separator that gives all lines the same number of fields, above one."""
    counts = {mark: [len(row) for row in csv.reader(lines, delimiter=mark)] for mark in SEPARATORS}
    for mark, widths in counts.items():
        body = widths[1:] or widths
        # R's header has no field above the row names.
        if min(body, default=0) == max(body, default=0) > 1 and widths[0] in (body[0], body[0] - 1):
            return mark
    if _is_cut_by_blanks(lines):
        return BLANKS
    return max(SEPARATORS, key=lambda mark: sum(counts[mark]))


def _is_cut_by_blanks(lines: list[str]) -> bool:
    """Whether splitting at blanks gives all lines equally many fields, some of them numbers."""
    rows = _cut(lines, BLANKS)
    body = rows[1:]
    if not body or len({len(row) for row in body}) > 1 or len(body[0]) < 2:
        return False
    with_numbers = all(any(_NUMBER.fullmatch(cell) for cell in row) for row in body)
    return with_numbers and len(rows[0]) in (len(body[0]), len(body[0]) - 1)


def _cut(lines: list[str], separator: str) -> list[list[str]]:
    """Split lines into fields."""
    if separator == BLANKS:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=separator))


def _writes_commas(rows: list[list[str]]) -> bool:
    """Whether numbers have decimal commas; unambiguous numbers decide if there are any."""
    cells = [cell.strip() for row in rows for cell in row]
    sure = [cell for cell in cells if not _EITHER_NUMBER.fullmatch(cell)]
    for some in (sure, cells):
        with_comma = sum(bool(_COMMA_NUMBER.fullmatch(cell)) for cell in some)
        with_point = sum(bool(_POINT_NUMBER.fullmatch(cell)) for cell in some)
        if with_comma or with_point:
            return with_comma > with_point
    return False


def _is_data(first: list[str]) -> bool:
    """Whether the first line holds only numbers, other than column numbers 0, 1, 2, ..."""
    cells = [cell.strip() for cell in first]
    if not all(_NUMBER.fullmatch(cell) for cell in cells):
        return False
    return len(cells) == 1 or cells != [str(k) for k in range(len(cells))]


def _fields_beyond_the_header(rows: list[list[str]]) -> list[str]:
    """Return the last fields of all lines if each has one field more than the header."""
    longer = all(len(row) == len(rows[0]) + 1 for row in rows[1:])
    return [row[-1].strip() for row in rows[1:]] if longer else []
