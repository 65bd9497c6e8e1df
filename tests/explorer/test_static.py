"""The built page is small, needs no eval, and makes no requests to other hosts."""

import base64
import gzip
import hashlib
import re

from unprior.explorer._html import read_static, write_html

MOST_BYTES = 60_000


def test_the_script_is_small():
    assert len(gzip.compress(read_static("explorer.js").encode())) <= MOST_BYTES


def test_the_script_needs_no_eval_and_no_network():
    script, style = read_static("explorer.js"), read_static("explorer.css")
    assert not re.search(
        r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write", script
    )
    assert {*re.findall(r"https?://[^\"'`]+", script)} == {"http://www.w3.org/2000/svg"}
    assert "url(" not in style
    assert "@import" not in style
    assert "</script" not in script.lower()
    assert "</style" not in style.lower()


def test_the_file_allows_its_own_script_and_style(tmp_path):
    write_html(tmp_path / "page.html", b"abc", 'a "title" & <b>')
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for tag, name in (('<script type="module">', "explorer.js"), ("<style>", "explorer.css")):
        text = read_static(name)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{tag}{text}" in page
        assert f"'sha256-{digest}'" in page
    assert "<title>a &quot;title&quot; &amp; &lt;b&gt;</title>" in page
    assert base64.b64encode(b"abc").decode() in page
