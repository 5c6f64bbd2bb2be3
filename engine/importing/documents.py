"""Documents: one file, one record. Markdown keeps its own front matter; text stays as it is; pages become markdown."""

from __future__ import annotations

import os
import re

from memtree.engine.importing import pages
from memtree.engine.importing.encoding import cleaned, decode, moment, one_line
from memtree.engine.importing.record import Record, SourceKind, Value, is_simple, kept_header
from memtree.engine.importing.report import Remark, Tell, Unfit
from memtree.engine.importing.walking import Format, Found
from memtree.tree.document import Document
from memtree.tree.front_matter import TIME_KEYS, FrontMatter

_HEADING = re.compile(r"#[ \t]+(.+?)[ \t#]*$")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)
_LOOK = 200  # lines in which a first heading is looked for


def read_document(found: Found, tell: Tell) -> Record:
    """The record of a document; raise Unfit."""
    data = found.read()
    if not data.strip():
        raise Unfit("empty")
    text, remark = decode(data, pages.charset(data) if found.form is Format.HTML else "")
    if remark:
        tell(Remark(found.id, remark))
    if found.form is Format.HTML:
        return _page(found, text)
    if found.form is Format.MARKDOWN:
        return _markdown(found, cleaned(text))
    return Record(SourceKind.TEXT, found.id, _title(found), cleaned(text), _date(found))


def _markdown(found: Found, text: str) -> Record:
    document = Document.parse(text.encode())
    body, header, fields = text, "", _date(found)
    titled = False
    if document.header is not None:
        kept = kept_header(document.data[document.header.start : document.header.end].decode())
        if kept is not None:  # else it is text like any other
            header, body = kept, document.body_bytes().decode()
            titled, dated = _says(kept)
            fields = () if dated else fields
    title = "" if titled else _first_heading(body) or _title(found)
    return Record(SourceKind.MARKDOWN, found.id, title, body, fields, header)


def _says(header: str) -> tuple[bool, bool]:
    """Whether a header holds a title, and a time."""
    if is_simple(header):
        keys = {line.partition(":")[0] for line in header.split("\n") if not line.rstrip().endswith(":")}
        return "title" in keys, not keys.isdisjoint(TIME_KEYS)
    front = FrontMatter.parse(header.encode())
    return bool(front.title), any(front.text(key) for key in TIME_KEYS)


def _page(found: Found, text: str) -> Record:
    body = pages.markdown(text)
    if not body:
        raise Unfit("a page without text")
    created, updated = pages.times(text)
    fields: list[tuple[str, Value]] = [("created", created), ("updated", updated)]
    if not created and not updated:
        fields += _date(found)
    return Record(SourceKind.HTML, found.id, pages.title(text) or _first_heading(body) or _title(found), body, tuple(fields))


def _title(found: Found) -> str:
    return one_line(os.path.splitext(os.path.basename(found.id))[0])


def _first_heading(body: str) -> str:
    fenced = False
    for line in body[:20_000].split("\n")[:_LOOK]:
        if _FENCE.match(line):
            fenced = not fenced
        elif not fenced and line.startswith("#") and (match := _HEADING.match(line)):
            return one_line(match[1])
    return ""


def _date(found: Found) -> tuple[tuple[str, Value], ...]:
    """The date in a file's name: the new name does not hold it any more."""
    dates = [date for date in _DATE.findall(os.path.basename(found.id)) if moment(date)]
    return (("date", dates[0]),) if dates else ()
