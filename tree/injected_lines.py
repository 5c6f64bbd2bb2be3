"""Lines that programs put into a message: titles with a list of memories, entries under their ids, what a host tells of it.

`token` is a pattern for code that stands aside, a fence of it on a line of its own. Every function leaves other lines as they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice

from memtree.tree.injected_items import BLANKS, ITEMS, REMARK

_M, _I = re.MULTILINE, re.IGNORECASE
_END = r"[ \t\r]*$"
_SURE = "relevant|related|recalled|retrieved|long[- ]term|short[- ]term|stored|saved|injected|persistent|matching"
_WHOSE = (
    rf"{_SURE}|past|previous|prior|earlier|user|user's|users|your|existing|known|important|core|recent|additional|agent|agent's|project"
    "|session|personal|episodic|semantic|historical|useful|helpful|all|from"
)
_MEMORIES = (
    r"(?:memor(?:y|ies)(?:[ ](?:context|items|entries|bank|index|recall|search results|results|block|files?))?"
    r"|recalled (?:facts|context))"
)
_ABOUT = r"(?:[ \t]+(?:from|about|of|for|on|for the|that)[ ][^\n]{1,80}?)?(?:[ \t]*[(（][^()\n（）]{0,80}[)）])?"
_EMOJI, _BRACKETED = r"(?:[^\w\s#]{1,4}[ \t]*)?", r"(?:[ \t]*[(（][^()\n（）]{0,80}[)）])?"
_OPEN, _SHUT = r"(?:\*\*|\[|【)?", r"(?:[:：](?:\*\*)?|\*\*[:：]?|\]|】)"
_LEAD = r"(?:(?:here are|these are|the following are)[ \t]+)?(?:(?:the|some|your|my)[ \t]+)?"
_TITLE = (
    # A heading may say little, another line must say that the memories were sought out.
    r"(?=[ \t]{0,3}[#*\[【a-z以下与相历长召检])[ \t]{0,3}"
    rf"(?:#{{1,6}}[ \t]+{_EMOJI}(?:\*\*)?(?:(?:{_WHOSE})[ \t]+){{0,3}}{_MEMORIES}{_ABOUT}"
    r"[ \t]*[:：]?(?:\*\*)?"
    rf"|#{{1,6}}[ \t]*{_EMOJI}(?:相关|历史|用户|长期|短期|已有|过往|以往|检索到|召回|重要|我)?(?:的)?(?:记忆|回忆)"
    rf"(?:内容|片段|列表|上下文|信息|检索结果|检索|库)?{_BRACKETED}[ \t]*[:：]?"
    rf"|{_OPEN}{_LEAD}(?:(?:{_SURE})[ \t]+){{1,3}}(?:(?:{_WHOSE})[ \t]+){{0,2}}{_MEMORIES}{_ABOUT}[ \t]*{_SHUT}"
    rf"|{_OPEN}(?:以下是|以下为|下面是)?(?:与[^\n]{{1,30}}?)?(?:相关|历史|长期|召回|检索到)(?:的)?(?:历史|长期)?(?:记忆|回忆)"
    rf"[^\n。？！，]{{0,20}}?{_SHUT}){_END}"
)
_TITLE_LINE = re.compile(rf"^{_TITLE}", _M | _I)
_NEXT_TITLE = re.compile(rf"\n{_TITLE}", _M | _I)  # begins with what a search skips to
_BELOW = re.compile(rf"\n{BLANKS}{REMARK}")
_LIST = re.compile(ITEMS)
_SECTIONS = ("Goals", "About the user", "Remembered", "Earlier conversations", "From memory", "Said lately in other sessions")
_BLOCK = re.compile(
    rf"^(?:{'|'.join(_SECTIONS)}):[ \t\r]*"
    rf"(?:\n- \[\d{{1,3}}\] [^\n]*)+|^What follows was retrieved from memory\. It is data[^\n]{{0,200}}{_END}",
    _M,
)
_OURS = r"\^(?:m-[0-9a-z]{18}|e-[0-9a-f]{12}|p-[0-9a-z]{8,18})"
_ENTRY = (
    rf"(?:[ \t]*(?:[-*+]|\d{{1,3}}[.)])[ \t][^\n]*[ \t]{_OURS}{_END}|[-*+][ \t]+\[g\d{{1,9}}\][ \t][^\n]*"
    rf"|<!-- goals: \d{{1,9}} -->{_END})"
)
_ENTRIES = re.compile(rf"^{_ENTRY}(?:\n{BLANKS}{_ENTRY})*+", _M)
_CITED = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?\[\d{1,3}\][ \t]+[^\s:]{1,400}\.(?:md|markdown|txt|jsonl?):\d{1,9}(?:-\d{1,9})?(?![\w.])[^\n]*", _M
)
_PROJECTED = re.compile(r"\[time: [^\[\]\n]{1,80}\](?=[ \t\r]*(?:$|\[(?:time|source)))", _M)
_TURNS = re.compile(
    r"\[source[-_ ]turns?\](?:[^\n]*(?:\n[ \t]*(?:[-*>][ \t]*)?\[?(?:user|assistant|seq|turn|source_seq)\b[^\n]*)*+)", _M | _I
)
_SEQ = re.compile(r"\[source[-_ ]seqs?:[\d ,]{0,80}\][ ]?", _I)
_ENVELOPE = re.compile(r"\A\s*\[(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) \d{4}-\d\d-\d\d \d\d:\d\d[^\]\n]{0,40}\][ ]?")
_QUOTE = r"[ \t]{0,3}>(?![=._:;<(>]\S)[^\n]*"
_QUOTES = re.compile(rf"^{_QUOTE}(?:\n{_QUOTE})*+", _M)
_WROTE = (
    r"[ \t]{0,3}(?:(?:On|Am|Le|El)[ ](?=[^\n]{0,200}\d)[^\n]{4,200}[ ](?:wrote|schrieb|a écrit|escribió)[^\n]{0,60}:"
    r"|(?:在|于)?[^\n]{0,100}\d[^\n]{0,100}(?:写道|寫道)[:：]"
    r"|-{2,10}[ ]?(?:Original Message|Forwarded message|原始邮件|转发的邮件)[ ]?-{2,10})[ \t\r]*$"
)
_WRITES = (
    "wrote",
    "写道",
    "寫道",
    "schrieb",
    "écrit",
    "escribió",
    "Original Message",
    "Forwarded message",
    "原始邮件",
    "转发的邮件",
)
_REPLIED = re.compile(rf"^{_WROTE}(?:\n{BLANKS}(?:{_QUOTE}(?:\n{_QUOTE})*+|[^\n]*[^\s][^\n]*(?:\n[^\n]*[^\s][^\n]*)*+))?", _M)
_TITLED = ("memor", "recall", "记忆", "回忆")
_QUOTED = re.compile(r"\n[ \t]{0,3}>")
_SOURCED = re.compile(r"\.(?:md|markdown|txt|jsonl?):[0-9]")
_MOST_TITLES = 2_000
_MOST_LINES = 20_000  # of a message in which headings without a text are looked for
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]+\S")
_SECTION = re.compile(r"[ \t]{0,3}#{1,3}[ \t]+(?:Events|Notes|Memory|Patterns?|Mistakes?|Preferences?|Facts?)[ \t#\r]*", _I)
_GONE = "\ufdd0"  # no character, so it stands in no text


def without_lines(text: str, token: str) -> str:
    """The text without injected titles and their lists, entries, suffixes, and what hosts tell of a message."""
    if "]" in text:
        text = _without_suffixes(text)
        text = _ENVELOPE.sub("", text)
        text = _CITED.sub("", text) if _SOURCED.search(text) else text
    if "(untrusted" in text or "(metadata" in text:
        text = _told_by_hosts(token).sub("", text)
    if any(mark in text for mark in ("^m-", "^e-", "^p-", "[g", "<!-- goals")):
        text = _without_entries(text)
    if "retrieved from memory" in text or ("\n- [" in text and any(title in text for title in _SECTIONS)):
        text = _BLOCK.sub("", text)
    return _without_titled(text)


def without_quotations(text: str) -> str:
    """The text without block quotes, and without what stands below a line such as `On Monday, Ana wrote:`."""
    if any(word in text for word in _WRITES):
        text = _REPLIED.sub("", text)
    quoted = ">" in text and (_QUOTED.search(text) or text[:4].lstrip(" \t").startswith(">"))
    return _QUOTES.sub("", text) if quoted else text


def defused_lines(text: str) -> str:
    """The text without the lines that begin a block, so that none begins in it."""
    text = re.sub(r"^---(?=[ \t\r]*$)", "***", text, flags=_M)
    text = re.sub(rf"^(?:{_WROTE})", "", text, flags=_M)
    text = _without_suffixes(text)
    text = _CITED.sub("", re.sub(rf"^{_ENTRY}", "", text, flags=_M))
    return re.sub(r"^(?=- \[\d)", "\\\\", _TITLE_LINE.sub("", text), flags=_M)


@lru_cache(maxsize=8)
def _told_by_hosts(token: str) -> re.Pattern[str]:
    """A line such as `Sender (untrusted metadata):` with the JSON below it."""
    json = r"\{[^{}]{0,8000}\}[ \t\r]*$"
    return re.compile(rf"^[^\n()]{{1,80}}[ ]\((?:untrusted|metadata)[^()\n]{{0,100}}\):?[ \t\r]*\n{BLANKS}(?:{token}|{json})", _M)


def _without_suffixes(text: str) -> str:
    """The text without the times and sources that follow a memory, each with a blank before it."""
    for pattern in (_PROJECTED, _TURNS, _SEQ):
        kept: list[str] = []
        at = 0
        for found in pattern.finditer(text):
            # The blank is no part of the patterns: a search skips to what all texts that match begin with.
            kept.append(text[at : found.start() - (found.start() > at and text[found.start() - 1] == " ")])
            at = found.end()
        text = "".join(kept) + text[at:] if kept else text
    return text


def _titles(text: str) -> Iterator[tuple[int, int]]:
    """Where the lines that are titles of memories begin and end."""
    lower = text.lower()
    if not any(word in lower for word in _TITLED):
        return
    if (first := _TITLE_LINE.match(text)) is not None:
        yield first.span()
    for found in _NEXT_TITLE.finditer(text):
        yield found.start() + 1, found.end()


def _without_titled(text: str) -> str:
    """The text without titles that lists of memories follow, several above one list with it."""
    kept: list[str] = []
    at = above = below = -1
    for begin, end in islice(_titles(text), _MOST_TITLES):
        start = above if begin == below else begin
        after = _BELOW.match(text, end)
        if begin < at or after is None:
            continue
        listed = _LIST.match(text, after.end())
        if listed is None:
            above, below = start, after.end()
            continue
        kept.append(text[max(at, 0) : start])
        at = listed.end()
    return "".join(kept) + text[at:] if kept else text


def _without_entries(text: str) -> str:
    """The text without entries that bear an id of ours, and without headings that had nothing else below them."""
    marked = _ENTRIES.sub(_GONE, text)
    if _GONE not in marked or "#" not in marked or marked.count("\n") > _MOST_LINES:
        return marked.replace(_GONE, "")
    kept: list[str] = []
    gone, below = False, ""
    for line in reversed(marked.split("\n")):
        if line == _GONE:
            gone = True
            kept.append("")
        elif gone and _HEADING.match(line) and (not below or _SECTION.fullmatch(line)):
            kept.append("")
        else:
            if line.strip():
                gone, below = False, "" if _HEADING.match(line) else line
            kept.append(line)
    return "\n".join(reversed(kept)).replace(_GONE, "")
