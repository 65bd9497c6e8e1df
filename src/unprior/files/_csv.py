"""The beginning of a text file → how its columns are separated and its numbers written."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
from dataclasses import dataclass
from gzip import GzipFile
from io import BufferedReader
from pathlib import Path

#: Bytes from the beginning that are looked at; of a wide table more, until they hold some lines.
HEAD, MOST_BYTES = 2**16, 2**26
SOME_LINES = 5

# Commas come last: they also stand within numbers and sentences.
SEPARATORS = ("\t", ";", "|", ",")

#: Any number of blanks, where nothing else separates numbers.
BLANKS = r"\s+"

# Bytes that no text holds, whatever its language.
_BINARY = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d{3})*([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?")
_COMMA_NUMBER = re.compile(r"[+-]?(\d*|\d{1,3}(\.\d{3})+),\d+([eE][+-]?\d+)?")
_POINT_NUMBER = re.compile(r"[+-]?(\d*|\d{1,3}(,\d{3})+)\.\d+([eE][+-]?\d+)?")
# Thousands may be meant: "1.016" is a little over one, or a thousand and sixteen.
_EITHER_NUMBER = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}(\1\d{3})*")


@dataclass(frozen=True)
class Dialect:
    """How a text file is written.

    Attributes
    ----------
    encoding : str
        Of its letters.
    separator : str
        What stands between two cells.
    decimal : str
        What stands before the decimals of a number.
    has_header : bool
        Whether the first line names the columns.
    has_row_names : bool
        Whether lines begin with a name that the header leaves out, as R writes them.
    ends_blank : bool
        Whether lines end with one separator too many.
    n_skipped : int
        Lines before the table.
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
        """What may stand between the thousands of a number."""
        return "." if self.decimal == "," else ","


def sniff(path: Path) -> Dialect:
    """Look at the first lines of a file; refuse what is no text."""
    packed = path.suffix.lower() == ".gz"
    with gzip.open(path) if packed else path.open("rb") as file:
        head, is_all = _read_head(file)
    encoding = _encoding(path, head)
    text = head.decode(encoding, errors="ignore")
    return sniff_text(text if is_all else text[: text.rfind("\n")], encoding)


def _read_head(file: GzipFile | BufferedReader) -> tuple[bytes, bool]:
    """Return the first lines, and whether there are no others."""
    head = file.read(HEAD)
    while head.count(b"\n") < SOME_LINES and len(head) < MOST_BYTES:
        more = file.read(len(head))
        if not more:
            return head, True
        head += more
    return head, not file.read(1)


def sniff_text(text: str, encoding: str = "utf-8") -> Dialect:
    r"""Tell how a text is written, from its first lines.

    Examples
    --------
    >>> dialect = sniff_text("size;mass\n1,5;2\n2,5;3\n")
    >>> dialect.separator, dialect.decimal, dialect.has_header
    (';', ',', True)
    """
    every_line = text.splitlines()
    told = re.fullmatch(r'"?sep=(.)"?', every_line[0]) if every_line else None
    n_skipped = 1 if told else _count_remarks(every_line)  # the first is Excel's note to itself
    lines = [line for line in every_line[n_skipped:] if line.strip()]
    separator = told[1] if told else _separator(lines)
    rows = _cut(lines, separator)
    decimal = "," if separator != "," and _writes_commas(rows[1:] or rows) else "."
    last_cells = _cells_beyond_the_header(rows)
    return Dialect(
        encoding,
        separator,
        decimal,
        has_header=bool(rows) and not _is_data(rows[0]),
        has_row_names=any(last_cells),
        ends_blank=bool(last_cells) and not any(last_cells),
        n_skipped=n_skipped,
    )


def _count_remarks(lines: list[str]) -> int:
    """Return how many lines of remarks a table begins with, such as "# made in May".

    The last of them names the columns if it has as many cells as the line below, and that numbers.
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
        message = f"{path.name} is no text: it holds bytes that no CSV file has."
        raise ValueError(message)
    try:
        codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8-sig"


def _separator(lines: list[str]) -> str:
    """Return the first separator that gives all lines the same number of cells, above one."""
    counts = {mark: [len(row) for row in csv.reader(lines, delimiter=mark)] for mark in SEPARATORS}
    for mark, widths in counts.items():
        body = widths[1:] or widths
        # R's header has no cell above the names of the rows.
        if min(body, default=0) == max(body, default=0) > 1 and widths[0] in (body[0], body[0] - 1):
            return mark
    if _is_cut_by_blanks(lines):
        return BLANKS
    return max(SEPARATORS, key=lambda mark: sum(counts[mark]))


def _is_cut_by_blanks(lines: list[str]) -> bool:
    """Whether blanks give all lines the same number of cells, and numbers among them."""
    rows = _cut(lines, BLANKS)
    body = rows[1:]
    if not body or len({len(row) for row in body}) > 1 or len(body[0]) < 2:
        return False
    with_numbers = all(any(_NUMBER.fullmatch(cell) for cell in row) for row in body)
    return with_numbers and len(rows[0]) in (len(body[0]), len(body[0]) - 1)


def _cut(lines: list[str], separator: str) -> list[list[str]]:
    """Cut lines into cells."""
    if separator == BLANKS:
        return [line.split() for line in lines]
    return list(csv.reader(lines, delimiter=separator))


def _writes_commas(rows: list[list[str]]) -> bool:
    """Whether numbers have decimal commas; those that can only be read one way decide."""
    cells = [cell.strip() for row in rows for cell in row]
    sure = [cell for cell in cells if not _EITHER_NUMBER.fullmatch(cell)]
    for some in (sure, cells):
        with_comma = sum(bool(_COMMA_NUMBER.fullmatch(cell)) for cell in some)
        with_point = sum(bool(_POINT_NUMBER.fullmatch(cell)) for cell in some)
        if with_comma or with_point:
            return with_comma > with_point
    return False


def _is_data(first: list[str]) -> bool:
    """Whether a first line holds numbers only, and these do not just count the columns."""
    cells = [cell.strip() for cell in first]
    if not all(_NUMBER.fullmatch(cell) for cell in cells):
        return False
    return len(cells) == 1 or cells != [str(k) for k in range(len(cells))]


def _cells_beyond_the_header(rows: list[list[str]]) -> list[str]:
    """Return the last cells of all lines if each has one cell more than the header."""
    longer = all(len(row) == len(rows[0]) + 1 for row in rows[1:])
    return [row[-1].strip() for row in rows[1:]] if longer else []
