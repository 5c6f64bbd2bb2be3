"""What a person does to a text in an editor: pure functions of the text, a kind of edit, some picks and new words.

Every word that is ever added is nobody else's (`w` and a number), so that it can be looked for wherever it went.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence

Words = Callable[[int], str]  # so many new words, joined by blanks

_WORD = re.compile(rb"\bw[0-9]+\b")
_TEXT_WORD = re.compile(r"\bw[0-9]+\b")
_FRONT = re.compile(r"\A---\n.*?^---\n", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(rb"^(?:> ?)*#{1,6} .*$", re.MULTILINE)


def words_in(data: bytes) -> set[bytes]:
    return set(_WORD.findall(data))


def heading_words(data: bytes) -> set[bytes]:
    return {word for line in _HEADING.findall(data) for word in _WORD.findall(line)}


def touched(path: str, before: bytes, after: bytes) -> set[bytes]:
    """The words of the passages that an edit changed: in a note its paragraphs and items, elsewhere the whole file."""
    if before == after:
        return set()
    old, new = Counter(_passages(path, before)), Counter(_passages(path, after))
    return {word for text in (old - new) + (new - old) for word in _WORD.findall(text)}


def companions(path: str, data: bytes, words: set[bytes]) -> dict[bytes, set[bytes]]:
    """For some words of a text, all that stand in one passage with each."""
    found: dict[bytes, set[bytes]] = {}
    for passage in _passages(path, data):
        here = words_in(passage)
        for word in here & words:
            found[word] = found.get(word, set()) | here
    return found


def _passages(path: str, data: bytes) -> list[bytes]:
    if not path.endswith(".md"):
        return [data]
    found: list[bytes] = []
    for chunk in re.split(rb"\n[ \t]*\n", data.replace(b"\r\n", b"\n")):
        by_lines = chunk.startswith(b"---\n") or all(line.startswith(b"- ") for line in chunk.strip().split(b"\n"))
        found += chunk.split(b"\n") if by_lines else [chunk]
    return [text.strip() for text in found]


def edited(path: str, data: bytes, kind: str, picks: Sequence[int], words: Words) -> bytes:
    """The file after one edit, on the line ends that it had; one that means nothing here adds a paragraph."""
    text = data.decode()
    crlf = "\r\n" in text
    text = text.replace("\r\n", "\n")
    if kind == "line ends":
        crlf = not crlf
    elif kind == "rewrite":
        text = f"{words(4)}\n\n{words(3)}\n" if path.endswith(".md") else f"{words(3)}\n{words(3)}\n"
    elif path.endswith(".md"):
        text = _edit_note(text, kind, picks, words)
    else:
        text = _edit_lines(text, kind, picks, words)
    return (text.replace("\n", "\r\n") if crlf else text).encode()


EDITS = (
    "insert", "word", "word", "words", "delete", "move", "item", "drop item", "move item", "title", "tag", "heading", "fence",
    "settle", "line ends", "rewrite",
)  # fmt: skip


def _edit_lines(text: str, kind: str, picks: Sequence[int], words: Words) -> str:
    lines = text.splitlines()
    at = picks[0] % len(lines) if lines else 0
    if kind in ("delete", "drop item") and lines:
        del lines[at]
    elif kind in ("word", "words") and lines:
        lines[at] = _with_new_word(lines[at], picks[1], words)
    elif kind in ("move", "move item") and lines:
        lines.insert(picks[1] % len(lines), lines.pop(at))
    else:
        lines.insert(at, words(3))
    return "\n".join(lines) + "\n" if lines else ""


def _edit_note(text: str, kind: str, picks: Sequence[int], words: Words) -> str:
    front = _FRONT.match(text)
    head, body = (front[0], text[front.end() :]) if front else ("", text)
    if kind in ("title", "tag"):
        return _edit_front(head, kind, words) + (body if head else "\n" + body)
    chunks = [chunk for chunk in re.split(r"\n[ \t]*\n", body.strip("\n")) if chunk]
    change = _CHANGES.get(kind, _insert)
    change(chunks, picks, words)
    return (head + "\n" if head else "") + "\n\n".join(chunks) + ("\n" if chunks else "")


def _edit_front(head: str, kind: str, words: Words) -> str:
    """Set the title, or add a tag; a front matter is made where there is none."""
    lines = head.splitlines()[1:-1]
    if kind == "title":
        lines = [line for line in lines if not line.startswith("title:")]
        lines.insert(0, f"title: {words(2)}")
    elif "tags:" in lines:
        lines.insert(lines.index("tags:") + 1, f"- {words(1)}")
    else:
        lines += ["tags:", f"- {words(1)}"]
    return "\n".join(["---", *lines, "---"]) + "\n"


def _insert(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    text = words(4) if picks[1] % 3 else f"{words(3)}\n{words(3)}"
    chunks.insert(picks[0] % (len(chunks) + 1), text)


def _heading(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    chunks.insert(picks[0] % (len(chunks) + 1), f"## {words(2)}")


def _fence(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    chunks.insert(picks[0] % (len(chunks) + 1), f"```\n{words(2)}\n{words(2)}\n```")


def _word(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    if not chunks:
        return _insert(chunks, picks, words)
    at = picks[0] % len(chunks)
    chunks[at] = _with_new_word(chunks[at], picks[1], words)
    return None


def _words(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    """Two edits of one paragraph: a word replaced, and more words behind it."""
    _word(chunks, picks, words)
    at = picks[0] % len(chunks)
    if not chunks[at].endswith("```"):
        chunks[at] += " " + words(2)


def _with_new_word(text: str, pick: int, words: Words) -> str:
    found = list(_TEXT_WORD.finditer(text))
    if not found:
        return text
    word = found[pick % len(found)]
    return text[: word.start()] + words(1) + text[word.end() :]


def _delete(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    if chunks:
        del chunks[picks[0] % len(chunks)]


def _move(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    if chunks:
        chunk = chunks.pop(picks[0] % len(chunks))
        chunks.insert(picks[1] % (len(chunks) + 1), chunk)


def _lists(chunks: list[str]) -> list[int]:
    return [at for at, chunk in enumerate(chunks) if all(line.startswith("- ") for line in chunk.split("\n"))]


def _item(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    lists = _lists(chunks)
    if not lists:
        chunks.append(f"- {words(3)}")
        return
    at = lists[picks[0] % len(lists)]
    items = chunks[at].split("\n")
    items.insert(picks[1] % (len(items) + 1), f"- {words(3)}")
    chunks[at] = "\n".join(items)


def _drop_item(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    lists = _lists(chunks)
    if lists:
        at = lists[picks[0] % len(lists)]
        items = chunks[at].split("\n")
        del items[picks[1] % len(items)]
        chunks[at : at + 1] = ["\n".join(items)] if items else []


def _move_item(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    lists = _lists(chunks)
    if lists:
        at = lists[picks[0] % len(lists)]
        items = chunks[at].split("\n")
        items.insert(picks[2] % len(items), items.pop(picks[1] % len(items)))
        chunks[at] = "\n".join(items)


def _settle(chunks: list[str], picks: Sequence[int], words: Words) -> None:
    """Decide a conflict as a person does: delete a variant, or the callout, or leave one variant as plain text in its place."""
    callouts = [at for at, chunk in enumerate(chunks) if chunk.startswith("> [!conflict]")]
    if not callouts:
        return _word(chunks, picks, words)
    at = callouts[picks[0] % len(callouts)]
    first, _, rest = chunks[at].partition("\n")
    variants = rest.split("\n>\n")
    chosen = variants[picks[1] % len(variants)]
    if picks[2] % 3 == 0:
        del chunks[at]
    elif picks[2] % 3 == 1:
        variants.remove(chosen)
        chunks[at : at + 1] = [first + "\n" + "\n>\n".join(variants)] if variants else []
    else:
        chunks[at] = "\n".join(line.removeprefix("> > ") for line in chosen.split("\n"))
    return None


_CHANGES: dict[str, Callable[[list[str], Sequence[int], Words], None]] = {
    "insert": _insert,
    "word": _word,
    "words": _words,
    "delete": _delete,
    "move": _move,
    "item": _item,
    "drop item": _drop_item,
    "move item": _move_item,
    "heading": _heading,
    "fence": _fence,
    "settle": _settle,
}
