"""HTML as markdown. The only module that imports the converter."""

from __future__ import annotations

import html
import re

from memtree.engine.importing.encoding import cleaned, moment, one_line
from memtree.engine.importing.report import Unfit

LIMIT = 10 * 1024 * 1024
_HEAD = 1 << 16  # where titles and dates stand
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,2000})", re.IGNORECASE)
_META = re.compile(r"<meta\s([^<>]{0,1000})>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w:.-]{1,40})\s{0,9}=\s{0,9}(?:"([^"]{0,500})"|'([^']{0,500})'|([^\s"'>]{1,500}))""")
_CHARSET = re.compile(rb"""<meta[^<>]{0,500}charset\s{0,9}=\s{0,9}["']?([A-Za-z0-9_.:-]{1,40})""", re.IGNORECASE)
_CREATED = ("article:published_time", "dcterms.created", "date", "dc.date", "dcterms.date", "created")
_UPDATED = ("article:modified_time", "dcterms.modified", "last-modified", "updated")


def charset(data: bytes) -> str:
    """The encoding that a page says it is in, '' when it says none."""
    found = _CHARSET.search(data, 0, _HEAD)
    return found[1].decode() if found else ""


def title(text: str) -> str:
    found = _TITLE.search(text, 0, _HEAD)
    return one_line(html.unescape(found[1])) if found else ""


def times(text: str) -> tuple[str, str]:
    """When a page says it was written and changed, '' where it does not."""
    meta: dict[str, str] = {}
    for match in _META.finditer(text, 0, _HEAD):
        pairs = {key.lower(): one or two or three for key, one, two, three in _ATTRIBUTE.findall(match[1])}
        name = pairs.get("name") or pairs.get("property") or pairs.get("http-equiv") or ""
        meta.setdefault(name.lower(), pairs.get("content", ""))
    created = next((found for key in _CREATED if (found := moment(meta.get(key, "")))), "")
    updated = next((found for key in _UPDATED if (found := moment(meta.get(key, "")))), "")
    return created, updated


def markdown(text: str) -> str:
    """A page's text as markdown, scripts and styles dropped; raise Unfit for what is too large to convert in a moment."""
    # Costs 90 ms to load, which only who imports HTML need pay.
    from html_to_markdown import ConversionOptions, convert

    if len(text) > LIMIT:
        raise Unfit(f"HTML larger than {LIMIT // 2**20} MB")
    options = ConversionOptions(extract_metadata=False, infer_dimensions=False, inline_data_media="alt_text_only")
    try:
        found = convert(cleaned(text), options).content
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of compiled code is no Exception; it costs this page, never the import
        raise Unfit(f"HTML that cannot be converted ({one_line(str(error), 100)})") from error
    return cleaned(found or "").strip("\n")
