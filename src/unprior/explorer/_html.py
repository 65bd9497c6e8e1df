"""Write the explorer as one HTML file that works offline."""

from __future__ import annotations

import base64
import hashlib
import html
from importlib.resources import files
from pathlib import Path

#: Allows the page's own script and style, and nothing else.
POLICY = (
    "default-src 'none'; script-src {script}; style-src {style}; img-src data: blob:; "
    "connect-src 'none'; base-uri 'none'; form-action 'none'"
)

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<div id="unprior-explorer"></div>
<noscript>This page needs JavaScript, which is switched off here.</noscript>
<script type="application/octet-stream" id="unprior-bundle">{bundle}</script>
<script type="module">{script}</script>
</body>
</html>
"""


def read_static(name: str) -> str:
    """Return a file of the built page."""
    return (files("unprior.explorer") / "static" / name).read_text(encoding="utf-8")


def write_html(path: Path, bundle: bytes, title: str) -> None:
    """Write the page with data, script and style inline."""
    from unprior.files import write_whole

    script, style = read_static("explorer.js"), read_static("explorer.css")
    policy = POLICY.format(script=_source(script), style=_source(style))
    page = PAGE.format(
        policy=policy,
        title=html.escape(title),
        style=style,
        bundle=base64.b64encode(bundle).decode(),
        script=script,
    )
    write_whole(path, lambda part: part.write_text(page, encoding="utf-8"))


def _source(text: str) -> str:
    """Return the policy's source expression of an inline script or style: its digest."""
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
