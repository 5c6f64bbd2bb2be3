"""Managing secrets: what is held and what a push would give away, allowing some of it, accepting what history holds already."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memtree.engine.secrets.allowed import ALLOWED, extended, remark
from memtree.engine.secrets.found import FoundSecret
from memtree.engine.secrets.held import HeldFile
from memtree.engine.secrets.scan import scan_range
from memtree.engine.store.report import CommitReport
from memtree.engine.transport import tracking
from memtree.engine.workspace import Workspace
from memtree.tree.errors import UserError
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath


class UnknownFingerprint(UserError):
    def __init__(self, fingerprint: str) -> None:
        super().__init__(
            f"no file is held and no push is blocked by a secret with the fingerprint {fingerprint!r}", hint="memtree secrets list"
        )
        self.fingerprint = fingerprint


@dataclass(frozen=True, slots=True)
class Blocked:
    """A secret that commits hold which some remotes do not have yet."""

    secret: FoundSecret
    remotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """The held files, and what blocks a push."""

    held: tuple[HeldFile, ...]
    blocked: tuple[Blocked, ...]


@dataclass(frozen=True, slots=True)
class Allowed:
    """What is allowed from now on (by fingerprint: what and where it is), and the files that were saved because of it."""

    remarks: Mapping[str, str]
    commit: CommitId | None
    released: tuple[RepoPath, ...] = ()
    notes: tuple[str, ...] = ()


def listing(workspace: Workspace) -> Listing:
    """What is held and blocked now. The remotes are taken as they were when we last heard of them."""
    return Listing(workspace.capture.survey().held, blocked(workspace))


def blocked(workspace: Workspace) -> tuple[Blocked, ...]:
    """What keeps commits from being sent, by remote."""
    tip = workspace.repo.tip(workspace.settings.ref)
    if tip is None:
        return ()
    found: dict[FoundSecret, list[str]] = {}
    for remote in workspace.remotes.all():
        there = workspace.repo.tip(tracking(remote.name, workspace.settings.branch))
        for secret in scan_range(workspace.repo, workspace.secrets, tip, [there] if there is not None else []):
            found.setdefault(secret, []).append(remote.name)
    return tuple(Blocked(secret, tuple(names)) for secret, names in found.items())


def allow(workspace: Workspace, fingerprints: Sequence[str]) -> Allowed:
    """Let secrets be committed and sent from now on, on every machine; what only they held back is saved at once.

    Raise UnknownFingerprint, and change nothing, when one stands for nothing that is held or blocked.
    """
    present = listing(workspace)
    where = _where((*present.held, *(one.secret for one in present.blocked)))
    for fingerprint in fingerprints:
        if fingerprint not in where and fingerprint not in workspace.secrets.allow_list.fingerprints():
            raise UnknownFingerprint(fingerprint)
    chosen = {fingerprint: where[fingerprint] for fingerprint in fingerprints if fingerprint in where}
    commit = _write(workspace, chosen, f"allow {_counted(len(chosen))}")
    freed = {one.path for one in present.held}
    saved, _ = workspace.capture.take(only=freed)
    notes = (*workspace.said(), *workspace.refresh_index())
    return Allowed(chosen, commit.after if commit.changed else None, tuple(path for path in saved.paths if path in freed), notes)


def baseline(workspace: Workspace, *, dry_run: bool = False) -> Allowed:
    """Accept every secret that the present history holds; with `dry_run` only say which."""
    tip = workspace.repo.tip(workspace.settings.ref)
    found = scan_range(workspace.repo, workspace.secrets, tip, []) if tip is not None else []
    where = _where(found)
    if dry_run or not where:
        return Allowed(where, None)
    commit = _write(workspace, where, f"accept {_counted(len(where))} that history holds")
    return Allowed(where, commit.after, (), (*workspace.said(), *workspace.refresh_index()))


def _where(found: Iterable[HeldFile | FoundSecret]) -> dict[str, str]:
    """By fingerprint, in the order found: the rule and the paths."""
    rules: dict[str, str] = {}
    paths: dict[str, list[str]] = {}
    for one in found:
        rules.setdefault(one.fingerprint, one.rule)
        paths.setdefault(one.fingerprint, []).append(one.path)
    return {fingerprint: remark(rule, paths[fingerprint]) for fingerprint, rule in rules.items()}


def _write(workspace: Workspace, remarks: Mapping[str, str], subject: str) -> CommitReport:
    # What a person wrote there by hand is saved first, so that the lines are added to it.
    before, _ = workspace.capture.take(only=(ALLOWED,))
    data = workspace.secrets.allow_list.content()
    added = extended(data, remarks)
    if added == data:
        return CommitReport(before.after, before.after)
    return workspace.write({ALLOWED: added}, f"{subject}\n\nMemtree-Writer: cli\n")


def _counted(number: int) -> str:
    return f"{number:,} secret{'' if number == 1 else 's'}"
