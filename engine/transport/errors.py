"""What can go wrong with a remote. None of it touches what is here."""

from __future__ import annotations

from memtree.tree.errors import StateError, TransientError, UserError

_SAFE = "your commits are safe here"


class RemoteUnreachable(TransientError):
    def __init__(self, name: str, detail: str) -> None:
        super().__init__(f"remote {name} cannot be reached: {detail}", hint=f"{_SAFE}; sync again when it can")
        self.name = name


class RemoteRefused(StateError):
    """The remote answered and said no (credentials, permissions, a hook), or it is not the machine we know."""

    def __init__(self, name: str, detail: str, *, hint: str = "") -> None:
        super().__init__(f"remote {name} refused: {detail}", hint=f"{_SAFE}; {hint or 'check the access to that remote'}")
        self.name = name


class RemoteRewritten(StateError):
    def __init__(self, name: str, branch: str) -> None:
        super().__init__(
            f"the history of {branch} on remote {name} was replaced; nothing was changed here",
            hint="if that was meant, run: memtree sync --accept-rewritten (what you have here is kept and merged)",
        )
        self.name = name


class RemoteBranchGone(StateError):
    """The remote had the branch when we last heard of it, and has it no more."""

    def __init__(self, name: str, branch: str) -> None:
        super().__init__(
            f"remote {name} no longer has the branch {branch}; nothing was changed here",
            hint="if that was meant, run: memtree sync --accept-rewritten (what you have here is kept and sent again)",
        )
        self.name = name


class PushRaced(TransientError):
    """Somebody else pushed first."""

    def __init__(self, name: str) -> None:
        super().__init__(f"somebody pushed to {name} at the same moment", hint="try again")
        self.name = name


class UnknownRemote(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no remote {name!r} here", hint="memtree remote list shows them; memtree remote add NAME URL")
