"""The last look before a person's own push: every commit that leaves is looked through for secrets, as `memtree push` does."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from memtree.engine.files import Durability, Files
from memtree.engine.repo import Repo
from memtree.engine.secrets.guard import SecretGuard
from memtree.engine.secrets.scan import refuse_secrets_in
from memtree.engine.traces import REMOTES
from memtree.hooks.githooks.serving import place_of
from memtree.tree.errors import UserError
from memtree.tree.objects import CommitId


class NoPush(UserError):
    """What came on standard input is not what git tells a pre-push hook."""

    def __init__(self) -> None:
        super().__init__("this is not what git tells a pre-push hook", hint="let git call it: memtree hooks install git")


class NoRepository(UserError):
    def __init__(self, folder: str) -> None:
        super().__init__(f"{folder} is not the top of a git repository", hint="let git call it: memtree hooks install git")


@dataclass(frozen=True, slots=True)
class Sent:
    """An object that a push sends, and what the remote has under that name now, None for nothing."""

    local: CommitId
    remote: CommitId | None


def sent(lines: Iterable[str]) -> Iterator[Sent]:
    """What git says about each ref, `<local ref> <local id> <remote ref> <remote id>`; deletions send nothing. Raise NoPush."""
    for line in lines:
        # From the end: the local ref is as it was typed, such as `HEAD^{/two words}`.
        words = line.rsplit(" ", 3)
        if len(words) != 4 or not all(_is_id(word) for word in words[1::2]):
            raise NoPush
        local, remote = (CommitId(word) if word.strip("0") else None for word in words[1::2])
        if local is not None:
            yield Sent(local, remote)


def refuse_push(remote: str, lines: Iterable[str], environment: Mapping[str, str], folder: str) -> None:
    """Raise PushBlocked when what a push would send to `remote` (its name or address) holds secrets that nobody allowed.

    What is known to be there is not looked through again: what the remote has now, if that is here too, and where it was last seen.
    """
    leaving = list(sent(lines))
    if not leaving:
        return
    place = place_of(environment, folder)
    if place is None:
        raise NoRepository(folder)
    repo = Repo.open(os.path.dirname(place.state))
    try:
        guard = SecretGuard(repo, place.state, Files(Durability.FAST))
        there = [one.remote for one in leaving if one.remote is not None]
        there += repo.refs(f"{REMOTES}{remote}/").values()
        refuse_secrets_in(repo, guard, dict.fromkeys(one.local for one in leaving), there)
    finally:
        repo.close()


def _is_id(word: str) -> bool:
    return len(word) in (40, 64) and not word.strip("0123456789abcdef")
