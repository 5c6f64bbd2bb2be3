"""What is on disk and in no commit yet, as diffs."""

from __future__ import annotations

from collections.abc import Iterator

from memtree.engine.history import diff_text
from memtree.engine.tree_diff import diff_commits
from memtree.engine.workspace import Workspace
from memtree.tree.objects import CommitId
from memtree.tree.secrets import redacted
from memtree.tree.words import Detail, FileDiff


def against_disk(workspace: Workspace, revision: CommitId | None, path: str, detail: Detail) -> Iterator[FileDiff]:
    """The differences between a commit (HEAD by default) and the files, inside the scope; at or below `path`.

    Held files are among them, without the secrets that hold them.
    """
    head = workspace.repo.tip("HEAD")
    base = revision or head
    survey = workspace.capture.survey(include_staged=True)
    held = {one.path for one in survey.held}
    touched = {*survey.due, *held}
    if base != head:
        scope = workspace.scope()
        touched |= {change.path for change in diff_commits(workspace.repo, base, head) if scope.holds(change.path)}
    for item in sorted(touched):
        if item.within(path):
            data = workspace.store.working_copy.content(item)
            if item in held and data is not None:
                data = redacted(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
            found = diff_text(workspace.repo, base, item, data, detail=detail)
            if found.hunks or found.binary:
                yield found
