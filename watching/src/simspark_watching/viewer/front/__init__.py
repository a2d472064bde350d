"""Style and script of the page, which are put into viser's own."""

from __future__ import annotations

import gzip
from functools import lru_cache
from pathlib import Path
from typing import Any

TITLE = "simspark"

_HERE = Path(__file__).parent
_HEAD_END = b"</head>"


def put_front(response: Any) -> None:
    """Put style, script and title into an answer of viser that is a page; any other stays as it is."""
    if not response.headers.get("Content-Type", "").startswith("text/html"):
        return
    response.body = _with_front(response.body, response.headers.get("Content-Encoding") == "gzip")
    del response.headers["Content-Length"]
    response.headers["Content-Length"] = str(len(response.body))


@lru_cache(maxsize=2)
def _with_front(body: bytes, is_packed: bool) -> bytes:
    page = gzip.decompress(body) if is_packed else body
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    front = f"<style>{style}</style><script>{script}</script>".encode()
    page = page.replace(b"<title>Viser</title>", f"<title>{TITLE}</title>".encode(), 1)
    page = page.replace(_HEAD_END, front + _HEAD_END, 1)
    return gzip.compress(page) if is_packed else page
