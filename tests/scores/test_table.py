import re

from unprior.scores._table import Table

TABLE = Table(
    ("", "measure", "score", "want"),
    [
        ("age left", "purity", -0.0004, "chance"),
        ("age left", "area", 12.0, "chance"),
        ("x", "y", 0.5, "high"),
    ],
    "a note",
)


def test_text_is_aligned_and_names_what_repeats_once():
    assert TABLE.to_text().splitlines() == [
        "          measure   score  want",
        "age left  purity    0.000  chance",
        "          area     12.000  chance",
        "x         y         0.500  high",
        "a note",
    ]


def test_what_there_is_no_number_for_is_a_dash():
    table = Table(("", "rest"), [("a", float("nan")), ("b", 0.5)])
    assert table.to_text().splitlines() == ["    rest", "a      –", "b  0.500"]


def test_html_has_every_cell_and_is_escaped():
    table = Table(("", "<b>"), [("<script>alert(1)</script> left", 0.25)], "1 < 2 & 3\nand so on")
    html = table.to_html()
    assert "<script>" not in html
    assert ">&lt;script&gt;alert(1)&lt;/script&gt; left</td>" in html
    assert ">&lt;b&gt;</th>" in html
    assert ">0.250</td>" in html
    assert "<p>1 &lt; 2 &amp; 3<br>and so on</p>" in html
    assert TABLE.to_html().count("<tr>") == 4


def test_html_has_words_at_the_left_and_numbers_at_the_right():
    sides = re.findall(r'<(t.) style="text-align: (\w+)">', TABLE.to_html())
    assert sides[:8] == [
        (tag, side) for tag in ("th", "td") for side in ("left", "left", "right", "left")
    ]
