"""Lines that a program wrote, such as logs and traces that were pasted into a message: they are nobody's words.

2026-03-09 10:12:44 ERROR billing Task failed       goes
WARN: disk almost full                              goes
  File "app.py", line 3, in main                    goes
On 2026-03-09 we moved the billing to db2.          stays
"""

from __future__ import annotations

import re

_LEVEL = r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|SEVERE|CRITICAL|FATAL|PANIC)"
_TIME = r"\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[ ]?[+-]\d{2}:?\d{2})?"
_STAMP = rf"\[?(?:\d{{4}}[-/]\d{{2}}[-/]\d{{2}}[T ]{_TIME}|\d{{2}}[-/]\d{{2}}[-/]\d{{4}}[ ]{_TIME}|{_TIME})\]?"
_LINE = re.compile(
    rf"[ \t]{{0,12}}(?:{_STAMP}(?=[ \t|,:\]-]|\Z)"
    rf"|\[?{_LEVEL}\]?(?::|[ ]{{1,8}}[\[|]|[ ]{{1,8}}[\w$]{{1,80}}[.:][\w$]|[ ]{{2,8}}\S)"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[ ]{1,2}\d{1,2} \d{2}:\d{2}:\d{2} \S"
    r"|Traceback \(most recent call last\):"
    r'|[ ]{2}File "[^"\n]{1,400}", line \d'
    r"|at [\w$.<>/]{1,200}\((?:[\w$.-]{1,120}:\d|Native Method|Unknown Source)"
    r"|(?:[a-z_]\w{0,80}\.){0,8}[A-Z]\w{0,80}(?:Error|Exception|Warning): "
    r"|(?:PASSED|FAILED|SKIPPED|ERROR) \S{1,200}::"
    r"|\S{1,200}::\S{1,200} (?:PASSED|FAILED|SKIPPED|ERROR)\b"
    r"|E {3,7}\S)"
)


def without_log_lines(text: str) -> str:
    """The text without these lines; as it was where there are none."""
    kept = [line for line in text.split("\n") if _LINE.match(line) is None]
    return "\n".join(kept)
