"""What a transport promises, whatever it goes by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from memtree.tree.objects import CommitId


class Transport(Protocol):
    """Fetches and pushes one branch. The only refs of this repository that it moves are remote-tracking ones.

    Both verbs raise RemoteUnreachable when the remote could not be asked and RemoteRefused when it said no.
    """

    def fetch(self, remote: str, branch: str, *, accept_rewritten: bool = False) -> CommitId | None:
        """Bring the remote's commits here; return its tip, or None when it has no such branch yet.

        Raise RemoteRewritten or RemoteBranchGone when the branch lost what it had, unless that is accepted.
        """

    def push(self, remote: str, branch: str, commit: CommitId) -> None:
        """Move the remote's branch forward to `commit`; raise PushRaced when it is not a fast-forward any more."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How many seconds a remote may take to be connected to, to say its next word, and in all. A first sync may take long."""

    connect: float = 15.0
    silence: float = 60.0
    total: float = 3600.0


def tracking(remote: str, branch: str) -> str:
    """The ref that says where the remote's branch stood when we last heard of it."""
    return f"refs/remotes/{remote}/{branch}"
