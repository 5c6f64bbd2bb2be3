"""What must hold when a workspace is reopened after something went wrong, looked at with the git program and plain file reads."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from support.faultscenarios import Scenario

Tree = dict[str, str]  # path to mode and blob id

_SECOND = re.compile(r"-[0-9a-f]{8,40}(?=\.[^.]*$)")  # the mark in a second version's name


@dataclass
class Reopened:
    """One look at a workspace."""

    tree: Tree
    disk: Tree
    status: list[str]
    left: list[str]
    texts: str = ""  # everything HEAD's files say
    history: str = ""  # everything any commit of the branch's history says
    fsck: str = ""
    markers: list[str] = field(default_factory=list)


def git(root: str, *arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, check=False)
    return (done.stdout + (done.stderr if done.returncode else b"")).decode("utf-8", "surrogateescape")


def tree_of(root: str) -> Tree:
    """HEAD's files, '' for an unborn branch."""
    listed = git(root, "ls-tree", "-r", "-z", "HEAD")
    if not listed.endswith("\0"):
        return {}
    rows = (row.split("\t", 1) for row in listed.split("\0") if row)
    return {path: f"{head.split()[0]} {head.split()[2]}" for head, path in rows}


def disk_of(root: str) -> Tree:
    found: Tree = {}
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            full = os.path.join(folder, name)
            with open(full, "rb") as file:
                data = file.read()
            mode = "100755" if os.stat(full).st_mode & 0o100 else "100644"
            blob = hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()
            found[os.path.relpath(full, root)] = f"{mode} {blob}"
    return found


def examine(root: str, *, thorough: bool = False) -> Reopened:
    status = [row for row in git(root, "status", "--porcelain", "-z", "-uall", "--no-renames").split("\0") if row]
    seen = Reopened(tree_of(root), disk_of(root), sorted(status), leftovers(root))
    if thorough:
        fsck = git(root, "fsck", "--strict").splitlines()
        seen.fsck = "\n".join(line for line in fsck if not line.startswith(("dangling ", "notice: HEAD points to an unborn")))
        now, ever = [value.split()[1] for value in seen.tree.values()], _every_blob(root)
        contents = _contents(root, dict.fromkeys([*now, *ever]))
        seen.texts, seen.history = ("\n".join(contents.get(blob, "") for blob in blobs) for blobs in (now, ever))
        seen.markers = [line for line in seen.texts.splitlines() if line.startswith(("<<<<<<< ", ">>>>>>> "))]
    return seen


def _contents(root: str, ids: Iterable[str]) -> dict[str, str]:
    """What the objects hold, by id; '' for one that is missing."""
    asked = "".join(f"{one}\n" for one in ids).encode()
    done = subprocess.run(("git", "cat-file", "--batch"), cwd=root, input=asked, capture_output=True, check=False)
    found: dict[str, str] = {}
    at = 0
    while at < len(done.stdout):
        head, _, _ = done.stdout[at:].partition(b"\n")
        one, *rest = head.decode().split()
        start = at + len(head) + 1
        size = int(rest[1]) if len(rest) == 2 else -1  # "missing" has no size, and no content either
        found[one] = done.stdout[start : start + max(size, 0)].decode("utf-8", "replace")
        at = start + size + 1
    return found


def _every_blob(root: str) -> list[str]:
    rows = git(root, "rev-list", "--objects", "HEAD").splitlines()
    return [row.split()[0] for row in rows if " " in row and row.endswith(".md")]


def leftovers(root: str) -> list[str]:
    """Locks, journal, temps: what a finished command must not leave."""
    state = os.path.join(root, ".git", "memtree")
    names = ["index.lock", "refs/heads/main.lock", "HEAD.lock"]
    left = [name for name in names if os.path.lexists(os.path.join(root, ".git", name))]
    left += [name for name in os.listdir(state) if name in ("journal", "journal.new", "index.new", "index.full", "ref.new")]
    left += [name for name in os.listdir(os.path.join(state, "tmp")) if name != "displaced"]
    return left


def true_status(seen: Reopened) -> list[str]:
    """What `git status` must say when the index stands at HEAD."""
    rows = []
    for path in seen.tree.keys() | seen.disk.keys():
        head, disk = seen.tree.get(path), seen.disk.get(path)
        if head == disk or path.endswith(".swp"):
            continue
        rows.append(f"{'??' if head is None else ' D' if disk is None else ' M'} {path}")
    return sorted(rows)


def judge(
    scenario: Scenario,
    trees: Sequence[Tree],
    acknowledged: int,
    seen: tuple[Reopened, Reopened],
    races: Sequence[tuple[int, str, str]],
    after: Sequence[tuple[str, str]],
    tokens: Sequence[str],
    undone: set[str],
) -> list[str]:
    """Everything that is wrong, in words; empty when all is well.

    `seen` is before and after the person's save, `tokens` are outside edits' texts, `undone` are lines that the person took away.
    """
    first, last = seen
    kinds = {kind for _, kind, _ in races} | {kind for kind, _ in after}
    touched = {path for _, _, path in races} | {path for _, path in after}
    capture = scenario.name in ("capture", "bulk", "first")
    plumbing = bool(kinds & {"commit", "commit-same"})
    superseded = bool(
        kinds & {"delete", "stale", "folder", "commit-same", "git-reset"}
    )  # a later version of the person's may lack a text
    problems = [f"left behind: {look.left}" for look in seen if look.left]
    problems += [f"fsck: {last.fsck}"] if last.fsck else []
    problems += [f"conflict markers: {last.markers}"] if last.markers else []
    if not plumbing:  # moves the branch without index and files, so git itself shows differences
        problems += [f"status {look.status} but really {true_status(look)}" for look in seen if look.status != true_status(look)]
        problems += [f"still uncommitted after a save: {last.status}"] if last.status else []
        problems += _half_done(trees, acknowledged, first, last, touched, capture=capture)
    for text in (text for done in scenario.texts[:acknowledged] for text in done):
        where = last.history if superseded else last.texts
        if text not in where and not (capture and text in undone):
            problems.append(f"an acknowledged text is lost: {text}")
    # A restore takes the place of what stands there: an edit made before it looked is its own commit below.
    superseded = superseded or scenario.name == "restore"
    for text in tokens:
        if text not in (last.history if superseded else last.texts):
            problems.append(f"an outside edit's text is lost: {text.strip()}")
    return problems


def _half_done(
    trees: Sequence[Tree], acknowledged: int, first: Reopened, last: Reopened, touched: set[str], *, capture: bool
) -> Iterable[str]:
    """The killed operation must be there as a whole or not at all, beside the paths that were raced."""
    allowed = [_without(tree, touched) for tree in trees[acknowledged : acknowledged + 2]]
    if _without(first.tree, touched) not in allowed:
        yield f"half an operation: HEAD differs from all allowed by {_difference(_without(first.tree, touched), allowed)}"
    wanted = [allowed[-1]] if capture else allowed
    if _without(last.tree, touched) not in wanted:
        yield f"half an operation was saved as an edit: differs by {_difference(_without(last.tree, touched), wanted)}"


def _without(tree: Mapping[str, str], touched: set[str]) -> Tree:
    def raced(path: str) -> bool:
        path = path.removesuffix("-aside")
        return (
            path in touched
            or _SECOND.sub("", path) in touched
            or any(path.startswith((f"{one}/", f"{one}-aside/")) for one in touched)
        )

    return {path: value for path, value in tree.items() if not raced(path)}


def _difference(tree: Tree, allowed: Sequence[Tree]) -> list[list[str]]:
    return [sorted(p for p in tree.keys() | one.keys() if tree.get(p) != one.get(p)) for one in allowed]
