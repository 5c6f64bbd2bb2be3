"""Code mentions: what programmers write down: paths of files, identifiers, numbers of issues.

Each rule looks at whole runs of characters, once from a run's start, and decides about a run by taking it apart: linear in any
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memtree.tree.address_mentions import HAN, WORD
from memtree.tree.code_places import Place
from memtree.tree.code_words import BRANDS, FILE_ENDINGS, NO_PROJECT, TOP_DOMAINS

_LONGEST = 200

# -- paths
_PATH_CHARS = r"\w.@+~%{}$\-"
_BEFORE_SLASH = re.compile(rf"[{_PATH_CHARS}]*+")  # read backwards
_FROM_SLASH = re.compile(rf"[{_PATH_CHARS}/]*+")
_NO_PATH_BEHIND = frozenset("\\:#<>&*)]\u2026")
_WINDOWS = re.compile(r"(?<![\w\\/:])[A-Za-z]:\\(?:[^\\/:*?\"<>|\s\0,;]+\\?)*+")
_EXTENSION = re.compile(r"[a-z][a-z0-9]{0,9}(?![A-Za-z0-9_])|[A-Z][A-Z0-9]{0,3}(?![A-Za-z0-9_])")
_LED = re.compile(r"(?:~|\.{1,2})?/")
_RUN_ON_START = re.compile(rf"[{HAN}]+(?=[A-Za-z0-9._~/])")
_RUN_ON_END = re.compile(rf"(?<=[A-Za-z0-9])[{HAN}].*", re.DOTALL)

# -- identifiers
_PART = r"[A-Za-z_$][A-Za-z0-9_$]*+"
_TELLING = r"[a-z$]*+(?:[A-Z0-9_]|\.[A-Za-z_]|::|\(\))"  # what only identifiers have behind their small letters
_CODE_HINT = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|\w\(\)|\w\.\w+\.\w|\w::\w")
_CODE_RUN = re.compile(rf"(?<![{WORD}_$.@#/\\-])(?=[A-Za-z_$]{_TELLING}){_PART}(?:(?:\.|::){_PART})*+(?:\(\))?")
_SNAKE = re.compile(r"_*+[A-Za-z$][A-Za-z0-9$]*+(?:_+[A-Za-z0-9$]++)++_*+")
_HUMPS = re.compile(
    r"[a-z$_][A-Za-z0-9$]*[a-z0-9][A-Z][A-Za-z0-9]*|[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+|[A-Z]{2,}[a-z]{2,}[A-Za-z0-9]*"
)
_MAC = re.compile(r"(?:Mc|Mac|De|Di|Du|Fitz|La|Le|Van|Von)[A-Z][a-z]+")
_QUOTED = re.compile(r"-{0,2}[A-Za-z_$@.][\w$@-]*(?:(?:\.|::|->|#)[\w$-]+)*(?:\(\))?[?!]?")
_FILE_NAME = re.compile(r"[\w@+-][\w.@+-]*\.([a-z0-9]{1,8})")

# -- issues
_HASH_NUMBER = re.compile(rf"#(?<![{WORD}_/&#]#)(?<!\]\(#)([1-9][0-9]{{0,6}})(?![{WORD}_#-]|\.[0-9])")
_NAMED_BEFORE = re.compile(
    r"(?:issues?|bugs?|pull requests?|prs?|mrs?|tickets?|fix(?:e[sd])?|close[sd]?|resolve[sd]?|see|refs?|gh|问题|工单)"
    r"[ :]*\(?\Z",
    re.IGNORECASE,
)
_KEYED = re.compile(rf"-([1-9][0-9]{{0,6}})(?![{WORD}_-]|\.[0-9])")
_KEY = re.compile(rf"[A-Z]{{2,10}}(?![{WORD}_/.#-])")  # read backwards
_REPOSITORY = re.compile(r"[\w.-]{1,100}/[A-Za-z0-9-]{1,39}(?![\w./@:-])", re.ASCII)  # read backwards
_REPOSITORY_NUMBER = re.compile(rf"(?<=[A-Za-z0-9_.-])#[1-9][0-9]{{0,6}}(?![{WORD}_#-])")


def paths(text: str) -> Iterator[Place]:
    """Yield paths: with a separator and an ending, or led by `./`, `../`, `~/`, `/` or a drive."""
    if "\\" in text:
        for found in _WINDOWS.finditer(text):
            end = found.start() + len(found[0].rstrip(".!)]'*`"))
            if end - found.start() > 3:
                yield Place(found.start(), end)
    if "/" not in text:
        return
    end, at = 0, text.find("/")
    while at >= 0:
        low = max(end, at - _LONGEST)
        before = _BEFORE_SLASH.match(text[low:at][::-1])
        start = at - before.end() if before else at
        behind = _FROM_SLASH.match(text, at)
        end = behind.end() if behind else at + 1
        if end - start <= _LONGEST and text[max(0, start - 1) : start] not in _NO_PATH_BEHIND:
            ahead = _RUN_ON_START.match(text, start, at)
            start = ahead.end() if ahead is not None else start
            path = _path(text[start:end])
            if path:
                yield Place(start, start + len(path))
        at = text.find("/", end)


def _path(run: str) -> str:
    """What of a run of characters is a path, '' when nothing is."""
    run = run.rstrip(".-~$%")
    *folders, last = run.split("/")
    cut = _RUN_ON_END.search(last)
    if cut is not None:
        run, last = run[: len(run) - (len(last) - cut.start())], last[: cut.start()]
        run, last = run.rstrip("."), last.rstrip(".")
    stem, dot, ending = last.rpartition(".")
    has_ending = bool(dot and stem and _EXTENSION.fullmatch(ending))
    names = [name for name in (*folders, last) if any(char.isalnum() for char in name)]
    if "//" in run or not names:
        return ""
    if _LED.match(run):
        return run if run[0] != "/" or len(names) > 1 or has_ending else ""
    if len(folders[0]) > 1 and folders[0][0] == "." and folders[0][1].isalpha():
        return run
    first = folders[0].rpartition(".")
    if not has_ending or not folders[0] or (first[1] and first[2].casefold() in TOP_DOMAINS):
        return ""
    return run


def identifiers(text: str) -> Iterator[Place]:
    """Yield identifiers of program code by their form: `snake_case`, `camelCase`, `a.dotted.name()`, `call()`."""
    if _CODE_HINT.search(text) is None:
        return
    for found in _CODE_RUN.finditer(text):
        name = found[0].removesuffix("()")
        if _is_code(name, called=len(name) < len(found[0])):
            yield Place(found.start(), found.start() + len(name))


def _is_code(name: str, *, called: bool) -> bool:
    parts = re.split(r"\.|::", name) if "." in name or "::" in name else [name]
    if len(name) < 3 or len(name) > _LONGEST or not all(parts):
        return False
    if len(parts) == 1:
        return called or _is_identifier(name)
    if called or "::" in name:
        return True
    if parts[-1].casefold() in TOP_DOMAINS or len(parts[0]) < 2 or any(part[0].isupper() for part in parts[1:]):
        return False  # a host's name, or a sentence that goes on without a blank
    return len(parts) > 2 and min(map(len, parts)) > 1 if not any(map(_is_identifier, parts)) else True


def _is_identifier(word: str) -> bool:
    if "_" in word:
        return _SNAKE.fullmatch(word) is not None
    if word.islower() or word.isupper() or word.istitle() or _HUMPS.fullmatch(word) is None:
        return False
    return word.casefold() not in BRANDS and _MAC.fullmatch(word) is None and not (word[:-1].isupper() and word[-1] == "s")


def quoted(text: str, spans: list[Place]) -> Iterator[tuple[Place, bool]]:
    """Yield what stands alone between backticks and has the form of an identifier; True with the name of a file."""
    for start, end in spans:
        word = text[start:end]
        start += len(word) - len(word.lstrip(" "))
        word = word.strip(" ")
        if not 1 < len(word) <= _LONGEST or _QUOTED.fullmatch(word) is None or not any(char.isalpha() for char in word):
            continue
        name = _FILE_NAME.fullmatch(word)
        word = word.removesuffix("()").rstrip("?!.")
        if len(word) > 1:
            yield Place(start, start + len(word)), name is not None and name[1] in FILE_ENDINGS


def issues(text: str) -> Iterator[Place]:
    """Yield numbers of issues: `#123`, `PROJ-123`, `GH-12`, `owner/repo#12`. A bare year, rank or colour is none."""
    if "#" in text:
        for found in _HASH_NUMBER.finditer(text):
            if _is_issue(found[1]) or _NAMED_BEFORE.search(text, max(0, found.start() - 20), found.start()):
                yield Place(found.start(), found.end())
        for found in _REPOSITORY_NUMBER.finditer(text):
            low = max(0, found.start() - 141)
            name = _REPOSITORY.match(text[low : found.start()][::-1])
            if name is not None:
                yield Place(found.start() - name.end(), found.end())
    if "-" in text:
        for found in _KEYED.finditer(text):
            low = max(0, found.start() - 11)
            key = _KEY.match(text[low : found.start()][::-1])
            if key is None:
                continue
            project = key[0][::-1]
            if project not in NO_PROJECT and (project == "GH" or not _is_year(found[1])):
                yield Place(found.start() - len(project), found.end())


def _is_issue(number: str) -> bool:
    """Whether a number behind # is one by itself: no rank, year, or colour."""
    return 1 < len(number) < 6 and not _is_year(number) and not (len(number) == 3 and len(set(number)) == 1)


def _is_year(number: str) -> bool:
    return len(number) == 4 and number[:2] in ("19", "20")
