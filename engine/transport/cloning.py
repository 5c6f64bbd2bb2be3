"""A clone by libgit2: a new repository that holds every branch of a remote, nothing checked out yet."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtree.engine.git import Git
from memtree.engine.repo import Repo
from memtree.engine.transport.base import Limits, tracking
from memtree.engine.transport.libgit import open_link, translated
from memtree.engine.transport.link import Direction, LinkFailed
from memtree.engine.transport.local import RemoteSettings, move_ref, stand_on
from memtree.tree.redaction import without_credentials

_BRANCHES = "refs/heads/"


def clone_by_library(
    url: str, root: str, *, environment: Mapping[str, str] | None, limits: Limits | None = None, durable: bool = True
) -> None:
    """Make the repository at `root`, HEAD where the remote's is, `origin` set up. Raises what a transport raises."""
    repo = Repo.create(root, git_folder=None, branch="main")
    folder = repo.git_folder
    repo.close()
    RemoteSettings(folder).create("origin", url)
    # What is added to the address by the user's `insteadOf` belongs to it.
    address = (RemoteSettings(folder).addresses("origin") or (url, url))[0]
    seen = os.environ if environment is None else environment
    try:
        with open_link(
            folder,
            address,
            Direction.FETCH,
            environment=seen,
            git=Git(root, seen) if Git(root, seen).present() else None,
            limits=limits or Limits(),
            durable=durable,
        ) as link:
            head = link.head()
            tips = {ref: tip for ref, tip in link.tips().items() if ref.startswith(_BRANCHES)}
            if tips:
                link.fetch([*tips])
    except LinkFailed as error:
        raise translated(without_credentials(url), error) from error
    for ref, tip in tips.items():
        move_ref(folder, tracking("origin", ref.removeprefix(_BRANCHES)), tip, durable=durable)
    if head.startswith(_BRANCHES):
        stand_on(folder, head, tips.get(head))
