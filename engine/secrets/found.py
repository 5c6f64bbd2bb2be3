"""What was found where, without the secret itself."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.tree.objects import CommitId
from memtree.tree.secrets import find_secrets

# Text above this is not looked through. Nobody writes such a file, and looking would hold up every save of it.
MOST = 20 * 2**20
_PEEK = 8000  # bytes; where git looks for the NUL that makes a file binary
_WIDE = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Spot:
    """A secret in some content: its line (from 1), its rule, its fingerprint."""

    line: int
    rule: str
    fingerprint: str


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret that a commit brings in. The path is '' where it stands in the commit's own message."""

    path: str
    line: int
    rule: str
    fingerprint: str
    commit: CommitId

    @property
    def where(self) -> str:
        return f"{self.path or 'the commit message'}:{self.line}"


def spots_in(data: bytes) -> tuple[Spot, ...]:
    """The secrets in a content, none in what is no text (a NUL near the start) or larger than MOST."""
    if len(data) > MOST:
        return ()
    text: bytes | str = data
    if data.startswith(_WIDE):
        text = data.decode("utf-16", "replace")
    elif b"\0" in data[:_PEEK]:
        return ()
    return tuple(Spot(secret.line, secret.rule, secret.fingerprint) for secret in find_secrets(text))
