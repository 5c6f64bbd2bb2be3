"""HookLog: what hooks and their worker could not tell anybody else, a line each, in a file that stays small.

No line holds what was said in a conversation, and none a secret.
"""

from __future__ import annotations

import os
import re
import time
from typing import NamedTuple

from memtree.engine.local_state import add_line

NAME = "hooks.log"
LIMIT = 256 * 1024  # bytes; then the file becomes the old one, of which one is kept
_LONGEST = 600  # characters of a message
_PLAIN = re.compile(r"[A-Za-z0-9./_-]*")
# A long run, and how the secrets begin that need none; the table of them is not loaded for an id or a path without any of it.
_PERHAPS_SECRET = re.compile(
    r"[A-Za-z0-9]{13}|github_pat_|gl[a-z]{2,5}-|AIza|ya29\.|GOCSPX-|1//0|xox[a-z]-|xapp-|\.com/|[sr]k_live_|whsec_|pypi-|sk-|SG\.|eyJ"
    r"|[\w-]{24}\.[\w-]{6}\."
)


class HookLog(NamedTuple):
    """The log in a workspace's state folder."""

    state: str

    @property
    def path(self) -> str:
        return os.path.join(self.state, NAME)

    def line(self, agent: str, event: str, session: str, message: str) -> None:
        """Add a line. A disk that takes nothing loses it: a hook must not fail for its log."""
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        told = (harmless(agent, 40), harmless(event, 40), harmless(session, 80))
        line = f"{stamp} {' '.join(word.replace(' ', '_') or '-' for word in told)} {harmless(message, _LONGEST)}\n"
        add_line(self.path, line, LIMIT)


def told(error: BaseException) -> str:
    """An error in words for a log. What a bug says may be what was said in a conversation: only its place is told."""
    from memtree.tree.errors import Error

    if isinstance(error, Error):
        return f"{error}; {error.hint}" if error.hint else str(error)
    if isinstance(error, OSError):
        return f"{error.filename or ''}: {error.strerror or type(error).__name__}".lstrip(": ")
    if type(error).__module__.startswith("memtree."):
        return str(error)
    frame = error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    where = f" in {os.path.basename(frame.tb_frame.f_code.co_filename)}, line {frame.tb_lineno}" if frame is not None else ""
    return f"{type(error).__name__}{where}"


def is_plain(text: str) -> bool:
    """Whether a text surely holds no secret: letters and digits in short runs and what joins them in ids and paths, without spaces.

    The table of secrets takes longer to load than all else that a hook does.
    """
    return _PLAIN.fullmatch(text) is not None and _PERHAPS_SECRET.search(text) is None


def harmless(text: str, most: int) -> str:
    """A text for a log: on one line, without secrets, not endless."""
    if not is_plain(text):
        from memtree.tree.redaction import without_credentials

        # What is cut away first is not looked at; what the cut would halve stands behind the end that is shown.
        text = without_credentials(text[: most * 8])
    text = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return text if len(text) <= most else text[: most - 1] + "…"
