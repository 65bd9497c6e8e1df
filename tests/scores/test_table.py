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


def test_html_has_every_cell_and_is_escaped():
    table = Table(("", "<b>"), [("<script>alert(1)</script> left", 0.25)], "1 < 2 & 3")
    html = table.to_html()
    assert "<script>" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; left" in html
    assert "<th>&lt;b&gt;</th>" in html
    assert "<td>0.250</td>" in html
    assert "1 &lt; 2 &amp; 3" in html
    assert TABLE.to_html().count("<tr>") == 4
