"""Prose: what was said in a message, without what a program put into it.

Calls of tools and their answers, reminders of the harness, JSON, marks of images, data in addresses, control characters and long
code go. Words, lists, links, quotations and short code stay as they were written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache

_SHORT = 16_384  # characters of a text whose prose is remembered for a while
_LONG_CODE = 400  # characters
_LONG_LINES = 8
_CODE_LINES = 5  # that many lines of code without a fence are code that was pasted
_JSON_TRIES, _JSON_LONGEST = 40, 65_536

# Elements whose content nobody said. Their end may be missing, where the text was cut.
_MARKUP = (
    "tool_calls?|tool_uses?|tool_results?|tool_responses?|tool_output|tool_code|function_calls?|function_results?|function_response"
    "|function|invoke|antml:[a-z_]+|use_mcp_tool|system-reminder|system_reminder|thinking|think|scratchpad|ide_selection|ide_opened_file"
    "|local-command-stdout|local-command-stderr|local-command-caveat|command-name|command-message|command-args|command-contents"
    "|bash-input|bash-stdout|bash-stderr|environment_context|environment_details|user_instructions|user-prompt-submit-hook|image|artifact"
)
_OPENS = re.compile(rf"<({_MARKUP})(?:[ \t=][^<>\n]{{0,1000}})?>", re.IGNORECASE)
# What follows these is kept where they never end.
_SPOKEN_OF = frozenset({"image", "function", "think", "thinking", "artifact", "invoke", "scratchpad"})
_ALONE = re.compile(rf"(?<!`)</?(?:{_MARKUP}|parameter)(?:[ \t=][^<>\n]{{0,1000}})?/?>", re.IGNORECASE)
_BRACKETED = re.compile(r"\[(/?)(TOOL_CALLS?|TOOL_RESULTS?|TOOL_REQUEST|END_TOOL_REQUEST)\]")
_IMAGE = re.compile(
    r"!\[[^\[\]]{0,300}\]\([^()\s]{0,4000}(?:[ \t][^()\n]{0,300})?\)|!\[\[[^\[\]\n]{1,300}\]\]"
    r"|\[(?:image|img|图片|screenshot|attached image)\b[^\[\]\n]{0,300}\]|\[图片[^\[\]\n]{0,100}\]|<img\b[^<>]{0,2000}>",
    re.IGNORECASE,
)
_DATA = re.compile(r"\bdata:[\w.+-]{1,60}/[\w.+-]{1,80}(?:;[\w=.+-]{1,60}){0,4},[\w+/=%.~-]*", re.ASCII)
_BLOB = re.compile(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{200,}={0,2}", re.ASCII)
_COMMENT = re.compile(r"<!--(?:(?!-->|<!--).){0,4000}-->", re.DOTALL)
_CONTROL = re.compile("\x1b\\[[0-9;?]{0,20}[A-Za-z]|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufeff\ud800-\udfff]")
_FENCE = re.compile(r"[ \t]*(?:[-*+] +|>[ \t]?)?(`{3,}|~{3,})([^\n]*)")
_CODE = re.compile(
    r"(?![ \t]*(?:[-*+]|\d+[.)])[ \t]+[A-Za-z])[^\n]*[;{}]\s*$|\s*(?:at [\w.$<]+\(|File \"|def \w+\(|class \w+[:({]"
    r"|(?:import|from) [\w.]+(?: import\b|$)|#include\b|public |private |const \w+ =|let \w+ =|var \w+ =|return\b[^.]*$|\$ \w|>>> "
    r"|\+{3} |-{3} \S|@@ |diff --git|[+-]\s{2,}\S|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d|\[?\d\d:\d\d:\d\d\b"
    r"|\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|TRACE)\b|Traceback \(|[\w.]+(?:Error|Exception): |</?\w+[^<>]*>\s*$)"
)
_JSON = re.compile(r"^[ \t]*(?=[{\[])", re.MULTILINE)
_BLANKS = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")


def prose_of(text: str) -> str:
    """What was said, as prose, '' when nothing was. The lines keep their order and their list marks."""
    return _remembered(text) if len(text) <= _SHORT else _prose(text)


# Whoever closes a conversation asks for the prose of each message several times within a segment.
@lru_cache(maxsize=128)
def _remembered(text: str) -> str:
    return _prose(text)


def _prose(text: str) -> str:
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    text = _without_markup(text)
    text = "\n".join(_without_code(text.split("\n")))
    text = _without_json(text)
    if "<!--" in text:
        text = _COMMENT.sub("", text)
    text = _DATA.sub("", _IMAGE.sub("", text))
    text = "\n".join(line.rstrip() for line in _BLOB.sub("", text).split("\n"))
    return _BLANKS.sub("\n\n", text).strip()


def _without_markup(text: str) -> str:
    """The text without the elements that hold what tools were asked and said.

    One that never ends takes what follows, unless its name is a word that people write of, such as `<image>`, or stands in code.
    """
    kept: list[str] = []
    at = start = 0
    endless: set[str] = set()
    while (found := _OPENS.search(text, start)) is not None:
        start, name = found.end(), found[1].lower()
        if text[found.start() - 1 : found.start()] == "`":
            continue
        end = None if name in endless or found[0].endswith("/>") else _closing(name).search(text, start)
        if end is None and not found[0].endswith("/>"):
            endless.add(name)
            if name in _SPOKEN_OF:
                continue
        kept.append(text[at : found.start()])
        at = start = end.end() if end is not None else start if found[0].endswith("/>") else len(text)
    text = "".join(kept) + text[at:]
    if "<" in text:
        text = _ALONE.sub("", text)
    return _without_brackets(text)


@lru_cache(maxsize=64)
def _closing(name: str) -> re.Pattern[str]:
    return re.compile(rf"</{re.escape(name)}[^<>]{{0,100}}>", re.IGNORECASE)


def _without_brackets(text: str) -> str:
    """The text without what stands between `[TOOL_CALL]` and its end."""
    if "TOOL_" not in text:
        return text
    kept: list[str] = []
    at, opened = 0, False
    for found in _BRACKETED.finditer(text):
        closes = bool(found[1]) or found[2].startswith("END")
        if not opened:
            kept.append(text[at : found.start()])
        at, opened = found.end(), not closes
    return "".join(kept) + ("" if opened else text[at:])


def _without_code(lines: list[str]) -> Iterator[str]:
    """The lines without code that is long, in a fence or pasted without one."""
    held: list[str] = []
    fence = ""
    for line in lines:
        found = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            held.append(line)
            if found and found[1].startswith(fence) and not found[2].strip():
                yield from _short(held)
                held, fence = [], ""
        elif found and not (found[1][0] == "`" and "`" in found[2]):
            yield from _unfenced(held)
            held, fence = [line], found[1]
        elif _CODE.match(line[:400]) or (held and not line.strip()):
            held.append(line)
        else:
            yield from _unfenced(held)
            held = []
            yield line
    yield from _short(held) if fence else _unfenced(held)


def _short(block: list[str]) -> list[str]:
    long = len(block) - 2 > _LONG_LINES or sum(map(len, block)) > _LONG_CODE
    return [""] if long else block


def _unfenced(lines: list[str]) -> list[str]:
    return [""] if sum(bool(line.strip()) for line in lines) >= _CODE_LINES else lines


def _without_json(text: str) -> str:
    """The text without the JSON objects, and lists of them, that begin a line."""
    decoder = json.JSONDecoder()
    kept: list[str] = []
    at, left = 0, _JSON_TRIES
    for found in _JSON.finditer(text):
        if found.start() < at:
            continue
        if left == 0:
            break
        try:
            value, end = decoder.raw_decode(text[found.end() : found.end() + _JSON_LONGEST])
        except (ValueError, RecursionError):
            left -= 1
            continue
        if isinstance(value, dict) or (isinstance(value, list) and value and all(isinstance(item, dict) for item in value)):
            kept.append(text[at : found.start()])
            at = found.end() + end
        else:
            left -= 1
    return "".join(kept) + text[at:]
