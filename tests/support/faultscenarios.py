"""Scenarios of the fault suite: a workspace to start from, and operations that say when they are done.

An operation reads what it changes and passes the versions it read, as a writer does; so each text that it adds must stay visible
whatever happens around it. A scenario's folder holds the workspace as `ws` and, where there is one, its remote as `remote.git`.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from memtree.engine.arrivals import Accept, Arrivals
from memtree.engine.scope import Scope
from memtree.engine.settings import Settings, render
from memtree.engine.sync import Syncer, Target
from memtree.engine.transport import GitTransport
from memtree.engine.workspace import Options, Workspace
from memtree.tree.objects import Entry
from memtree.tree.paths import RepoPath
from support.gitrepo import GitRepo

Operation = Callable[[Workspace], None]

NOTES: Mapping[str, str] = {
    "notes/change.md": "# Change\n\nfirst line\n",
    "notes/delete.md": "# Delete\n\ngoes away\n",
    "notes/keep.md": "# Keep\n\nnobody touches this\n",
    "notes/deep/er/move.md": "# Move\n\nmoves with its folder\n",
    "notes/deep/other.md": "# Other\n\nbelow a folder\n",
    "top.md": "# Top\n\nat the root\n",
}


@dataclass(frozen=True)
class Scenario:
    """`paths` are where outside edits race; `texts` say per operation what must stay visible once it is acknowledged."""

    name: str
    build: Callable[[str], None]
    operations: tuple[Operation, ...]
    paths: tuple[str, ...]
    texts: tuple[tuple[str, ...], ...] = field(default=())


def write(contents: Mapping[str, str | None], *, append: Mapping[str, str] | None = None) -> Operation:
    """A writer's commit; `append` adds to what the tip holds now."""

    def run(workspace: Workspace) -> None:
        tip = workspace.repo.tip("HEAD")
        wanted: dict[RepoPath, bytes | None] = {RepoPath(p): t.encode() if t is not None else None for p, t in contents.items()}
        bases: dict[RepoPath, Entry | None] = {path: workspace.repo.entry(tip, path) for path in wanted}
        for path, text in (append or {}).items():
            entry = bases[RepoPath(path)] = workspace.repo.entry(tip, path)
            present = workspace.repo.blob(entry.id).decode() if entry is not None else ""
            wanted[RepoPath(path)] = (present if text in present else present + text).encode()  # tried again: only once
        workspace.write(wanted, "write\n\nMemtree-Writer: cli\n", bases=bases)

    return run


def capture(workspace: Workspace) -> None:
    workspace.capture.take(message="captured\n\nMemtree-Writer: editor\n")


def restore(workspace: Workspace) -> None:
    first = workspace.resolve("start")
    entries: dict[RepoPath, Entry | None] = dict(workspace.repo.files(first, "notes"))
    workspace.store.restore(entries, message="restore\n\nMemtree-Writer: cli\n")


def sync(workspace: Workspace) -> None:
    def scope() -> Scope:
        return Scope(workspace.settings)

    transport = GitTransport(workspace.repo, workspace.git)
    arrivals = Arrivals(workspace.repo, workspace.store, scope)
    outcome = Syncer(workspace.repo, workspace.store, transport, "main", arrivals, lambda _tip, _known: None).sync(
        [Target("origin")], Accept()
    )
    for _, error in outcome.failures:
        raise error


def start(folder: str, notes: Mapping[str, str] = NOTES) -> GitRepo:
    """A workspace whose notes are committed, its last commit made by the engine."""
    repo = GitRepo(os.path.join(folder, "ws"))
    shutil.rmtree(os.path.join(repo.path, ".git", "hooks"), ignore_errors=True)
    repo.git("config", "user.name", "Ada")
    repo.git("config", "user.email", "ada@example.com")
    repo.git("config", "memtree.device", "desk")
    repo.write("memtree.toml", render(Settings()))
    for path, text in notes.items():
        repo.write(path, text)
    repo.commit("start")
    repo.git("tag", "start")
    with Workspace.open(repo.path, Options()) as workspace:
        write({"notes/acknowledged.md": "acknowledged long ago\n"})(workspace)
    return repo


def _build_capture(folder: str) -> None:
    repo = start(folder)
    repo.write("notes/change.md", "# Change\n\nfirst line\ncaptured-change\n")
    repo.write("notes/fresh/new.md", "captured-new\n")
    repo.remove("notes/delete.md")
    repo.move("top.md", "notes/top-renamed.md")
    repo.move("notes/deep/er", "notes/moved")


def _build_bulk(folder: str) -> None:
    """So many new files that their blobs go into one pack."""
    repo = start(folder)
    repo.write("notes/change.md", "# Change\n\nfirst line\nbulk-change\n")
    for number in range(310):
        repo.write(f"bulk/{number % 10}/{number}.md", f"bulk-{number}\n")


def _build_first(folder: str) -> None:
    repo = GitRepo(os.path.join(folder, "ws"))
    shutil.rmtree(os.path.join(repo.path, ".git", "hooks"), ignore_errors=True)
    repo.git("config", "memtree.device", "desk")
    repo.write("memtree.toml", render(Settings()))
    repo.write("notes/change.md", "first-change\n")
    repo.write("notes/deep/other.md", "first-other\n")


def _build_restore(folder: str) -> None:
    repo = start(folder)
    with Workspace.open(repo.path, Options()) as workspace:
        write({"notes/change.md": "restored over\n", "notes/delete.md": None, "notes/deep/later.md": "later\n"})(workspace)


def _build_remote(folder: str, ours: Mapping[str, str | None], theirs: Mapping[str, str | None]) -> None:
    repo = start(folder)
    remote = os.path.join(folder, "remote.git")
    repo.git("clone", "--quiet", "--bare", "--no-local", repo.path, remote)
    shutil.rmtree(os.path.join(remote, "hooks"), ignore_errors=True)
    repo.git("remote", "add", "origin", "../remote.git")
    repo.git("config", "remote.origin.memtree", "true")
    other = GitRepo(os.path.join(folder, "other"))
    other.git("pull", "--quiet", remote, "main")
    _change(other, theirs)
    other.commit("theirs")
    other.git("push", "--quiet", remote, "main")
    shutil.rmtree(other.path)
    if ours:
        with Workspace.open(repo.path, Options()) as workspace:
            write(ours)(workspace)


def _change(repo: GitRepo, changes: Mapping[str, str | None]) -> None:
    for path, text in changes.items():
        if text is None:
            repo.remove(path)
        else:
            repo.write(path, text)


_THEIRS: Mapping[str, str | None] = {
    "notes/change.md": "# Change\n\nfirst line\ntheirs-change\n",
    "notes/delete.md": None,
    "notes/theirs/new.md": "theirs-new\n",
}


def _build_forward(folder: str) -> None:
    _build_remote(folder, {}, _THEIRS)


def _build_merge(folder: str) -> None:
    _build_remote(folder, {"top.md": "# Top\n\nours-top\n", "notes/deep/other.md": None, "notes/ours.md": "ours-new\n"}, _THEIRS)


def _build_both(folder: str) -> None:
    _build_remote(folder, {"notes/change.md": "# Change\n\nours-change\n", "notes/ours.md": "ours-new\n"}, _THEIRS)


SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            "commit",
            lambda folder: start(folder) and None,
            (
                write(
                    {"notes/new/in/new.md": "written-new\n", "notes/delete.md": None},
                    append={"notes/change.md": "written-change\n", "top.md": "written-top\n"},
                ),
                write({}, append={"notes/change.md": "written-again\n"}),
            ),
            ("notes/change.md", "notes/delete.md", "notes/new/in/new.md"),
            (("written-new", "written-change", "written-top"), ("written-again",)),
        ),
        Scenario(
            "capture",
            _build_capture,
            (capture,),
            ("notes/change.md", "notes/fresh/new.md", "notes/delete.md"),
            (("captured-change", "captured-new"),),
        ),
        Scenario("bulk", _build_bulk, (capture,), ("notes/change.md",), (("bulk-change", "bulk-0\n", "bulk-309\n"),)),
        Scenario("first", _build_first, (capture,), ("notes/change.md",), (("first-change", "first-other"),)),
        Scenario("restore", _build_restore, (restore,), ("notes/change.md", "notes/delete.md"), (("first line", "goes away"),)),
        Scenario(
            "sync-forward",
            _build_forward,
            (sync,),
            ("notes/change.md", "notes/delete.md", "notes/theirs/new.md"),
            (("theirs-change", "theirs-new"),),
        ),
        Scenario(
            "sync-merge",
            _build_merge,
            (sync,),
            ("notes/change.md", "notes/delete.md", "notes/theirs/new.md"),
            (("ours-top", "ours-new", "theirs-change", "theirs-new"),),
        ),
        Scenario(
            "sync-both",
            _build_both,
            (sync,),
            ("notes/change.md", "notes/theirs/new.md"),
            (("ours-change", "ours-new", "theirs-change", "theirs-new"),),
        ),
    )
}
