"""Doctor: looks for what could hurt later, says what it would do, and with `repair` does it. Never touches a user's file."""

from __future__ import annotations

import contextlib
import enum
import os
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from memtree.engine.adopt import prepare
from memtree.engine.git import Git, GitFailed
from memtree.engine.merge_driver import register, registered
from memtree.engine.outbox_state import outbox_status
from memtree.engine.source import RepoSource
from memtree.engine.status import IndexStatus, graph_status, index_status, vector_status, writer
from memtree.engine.store.plan import JournalDamaged, decode
from memtree.engine.workspace import Workspace
from memtree.indexers.base import View
from memtree.indexers.catch_up import catch_up
from memtree.indexers.query import Mode
from memtree.tree.document import Document
from memtree.tree.errors import Error
from memtree.tree.paths import portability_warning, twins

_STRAY_AGE = 3600.0  # seconds; younger temporary files may belong to a program that runs
_MOST = 20  # names listed per finding


class Level(enum.Enum):
    FINE = "fine"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """One check's outcome. `action` is what --repair would do (or did) when `repairable`, else what a person can do."""

    check: str
    level: Level
    message: str
    action: str = ""
    repairable: bool = False
    repaired: bool = False


Repair = Callable[[], object]
_Check = tuple[Finding, Repair | None]


def examine(workspace: Workspace, *, repair: bool = False) -> list[Finding]:
    """Run every check; with `repair` do what can be done and say so."""
    findings = []
    for name, check in _CHECKS.items():
        for finding, fix in _outcomes(name, check, workspace):
            if fix is None:
                findings.append(finding)
                continue
            finding = replace(finding, repairable=True)
            findings.append(_repaired(finding, fix) if repair else finding)
    return findings


def _outcomes(name: str, check: Callable[[Workspace], Iterator[_Check]], workspace: Workspace) -> Iterator[_Check]:
    """A check's findings; damage that keeps it from looking is one of them, and the other checks still run."""
    try:
        yield from check(workspace)
    except Error as error:
        yield Finding(name, Level.PROBLEM, f"could not look: {error}", error.hint), None
    except OSError as error:
        yield Finding(name, Level.PROBLEM, f"could not look: {error.filename or ''} {error.strerror or error}".strip()), None


def _repaired(finding: Finding, fix: Repair) -> Finding:
    try:
        fix()
    except (Error, OSError) as error:
        return replace(finding, level=Level.PROBLEM, message=f"{finding.message}; repairing failed: {error}")
    return replace(finding, repaired=True)


def _journal(workspace: Workspace) -> Iterator[_Check]:
    path = workspace.places.journal
    try:
        with open(path, "rb") as file:
            plan = decode(file.read(), path)
    except FileNotFoundError:
        if workspace.store.leftovers() and not writer(workspace):
            message = "an earlier run left temporary files"
            yield Finding("journal", Level.NOTE, message, "clear them away"), workspace.store.recover
        else:
            yield Finding("journal", Level.FINE, "nothing is unfinished"), None
    except JournalDamaged as error:
        action = "set the journal aside, as journal.damaged beside it"
        yield Finding("journal", Level.PROBLEM, str(error), action), lambda: _set_aside(workspace, path)
    else:
        message = f"a {plan.kind.value} of {len(plan.paths)} files by {plan.maker} is unfinished"
        yield Finding("journal", Level.NOTE, message, "finish it"), workspace.store.recover


def _set_aside(workspace: Workspace, journal: str) -> None:
    # Nothing is lost by it: the files are as they are, and what differs from HEAD is an edit for the next save.
    os.replace(journal, journal + ".damaged")
    workspace.store.recover()


def _locks(workspace: Workspace) -> Iterator[_Check]:
    holder = writer(workspace)
    if holder:
        yield Finding("locks", Level.NOTE, f"the workspace is being written by {holder}"), None
    lock = workspace.places.index_lock
    if os.path.lexists(lock):
        age = time.time() - os.lstat(lock).st_mtime
        if workspace.store.git_index.owns_lock():
            yield Finding("locks", Level.NOTE, "index.lock is left over from a killed run", "remove it"), workspace.store.recover
        else:
            message = f"another program has held {lock} for {age:.0f} s"
            yield Finding("locks", Level.PROBLEM, message, "end that program; if none is running, remove the file yourself"), None
    elif not holder:
        yield Finding("locks", Level.FINE, "no lock is held"), None


def _head(workspace: Workspace) -> Iterator[_Check]:
    head, ref, busy = workspace.repo.head(), workspace.settings.ref, workspace.repo.busy_with()
    if head != ref:
        where = head.removeprefix("refs/heads/") or "a detached HEAD"
        action = f"git switch {workspace.settings.branch}, to commit and sync again"
        yield Finding("branch", Level.NOTE, f"the work tree is at {where}, not on {workspace.settings.branch}", action), None
    elif busy:
        yield Finding("branch", Level.NOTE, f"a {busy} of yours is in progress", "finish or abort it with git"), None
    else:
        yield Finding("branch", Level.FINE, f"on {workspace.settings.branch}"), None


def _repository(workspace: Workspace) -> Iterator[_Check]:
    if not Git.available():
        yield (
            Finding("repository", Level.NOTE, "git is not installed: objects were not checked", "install git to check and sync"),
            None,
        )
        return
    try:
        workspace.git.run("fsck", "--connectivity-only", "--no-dangling", "--no-progress", timeout=None)
    except GitFailed as error:
        action = "fetch the missing objects from a remote (git fetch), or restore the repository from a copy"
        yield Finding("repository", Level.PROBLEM, f"git fsck finds damage: {error}", action), None
    else:
        yield Finding("repository", Level.FINE, "all objects are there"), None
    for remote in workspace.remotes.all():
        if _holds_credentials(workspace.repo.config(f"remote.{remote.name}.url") or ""):
            message = f"the URL of remote {remote.name} in .git/config holds credentials"
            yield Finding("repository", Level.PROBLEM, message, f"git remote set-url {remote.name} URL-without-them"), None


def _holds_credentials(url: str) -> bool:
    """Whether a URL has a password, or before an http host a name, which often is a token. `ssh://git@host` has neither."""
    found = re.match(r"(?i)([a-z][a-z0-9+.-]*)://([^/]*)@", url)
    return found is not None and (":" in found[2] or found[1].casefold().startswith(("http", "ftp")))


def _private_files(workspace: Workspace) -> Iterator[_Check]:
    info = os.path.join(workspace.repo.common_folder, "info")
    present = all(
        _contains(os.path.join(info, name), mark) for name, mark in (("attributes", "merge=memtree"), ("exclude", "# memtree"))
    )
    if not present:
        message = "git's private files lack memtree's lines (byte-exact notes, temporary names)"
        yield Finding("git files", Level.NOTE, message, "add them"), lambda: prepare(workspace.repo, workspace.settings)
    if not registered(workspace.repo):
        message = "git does not know memtree's merge driver: its own merges of notes would leave markers"
        yield Finding("git files", Level.NOTE, message, "register it"), lambda: register(workspace.repo)
    if not workspace.files.can_exchange:
        message = "this file system cannot exchange two files in one step: an edit in the very moment of a write could be missed"
        yield Finding("file system", Level.NOTE, message, "keep the workspace on another file system if you can"), None


def _contains(path: str, text: str) -> bool:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return text in file.read()
    except FileNotFoundError:
        return False


def _index(workspace: Workspace) -> Iterator[_Check]:
    from memtree.indexers.fulltext import FullTextIndex

    def verified() -> list[str]:
        index = workspace.index()
        return index.verify() if isinstance(index, FullTextIndex) else []

    yield _index_check(workspace, "search index", index_status(workspace), verified, workspace.catch_up)


def _vectors(workspace: Workspace) -> Iterator[_Check]:
    found = vector_status(workspace)
    if found is None:
        yield Finding("vector index", Level.FINE, "left out: embedding.model is none"), None
    elif found.cure:
        yield Finding("vector index", Level.NOTE, found.problem, found.cure), None
    elif workspace.settings.search.mode is Mode.TEXT and not found.current:
        yield Finding("vector index", Level.FINE, "not kept up to date: search.mode is text"), None
    else:
        vectors = workspace.searching.meaning().vectors
        assert vectors is not None
        yield _index_check(workspace, "vector index", found, vectors.verify, lambda: _bring(workspace, vectors))
        if found.pending:
            yield Finding("vector index", Level.NOTE, found.coverage, "embed all"), workspace.searching.embed_pending


def _graph(workspace: Workspace) -> Iterator[_Check]:
    found = graph_status(workspace)
    if found is None:
        yield Finding("entity graph", Level.FINE, "built when it is first asked for"), None
    else:
        graph = workspace.searching.graph()
        yield _index_check(workspace, "entity graph", found, graph.verify, lambda: _bring(workspace, graph))


def _bring(workspace: Workspace, index: View) -> None:
    tip = workspace.repo.tip("HEAD")
    if tip is not None:
        catch_up(index, RepoSource(workspace.repo, workspace.scope()), tip)


def _index_check(workspace: Workspace, check: str, found: IndexStatus, verify: Callable[[], list[str]], fix: Repair) -> _Check:
    """One index: whether its files hold what was written, which a search alone would mostly not notice, and where it stands."""
    try:
        damaged = verify()
    except (Error, OSError):
        damaged = []  # told by the status
    if damaged:
        message = f"{len(damaged)} of its files are damaged: {_names_of(damaged)}"
        return Finding(check, Level.PROBLEM, message, "build it anew"), fix
    if found.current:
        return Finding(check, Level.FINE, "reflects the present commit"), None
    if workspace.repo.tip("HEAD") is None:
        return Finding(check, Level.FINE, "nothing has been saved yet"), None
    message = found.problem or f"stands at {(found.commit or '')[:10]}, behind the present commit"
    return Finding(check, Level.NOTE, message, "bring it up to date"), fix


def _temps(workspace: Workspace) -> Iterator[_Check]:
    stray = [path for path in _stray_objects(workspace) if _age(path) > _STRAY_AGE]
    if stray:
        message = f"{len(stray)} temporary object files are left from killed runs"
        yield Finding("temporary files", Level.NOTE, message, "remove them"), lambda: _remove(stray)
    displaced = workspace.store.displaced.count()
    if displaced:
        message = f"the contents of {displaced} replaced files are kept for editors that may still hold them open"
        yield Finding("temporary files", Level.FINE, message, "memtree maintain removes those older than an hour"), None


def _age(path: str) -> float:
    try:
        return time.time() - os.lstat(path).st_mtime
    except FileNotFoundError:
        return 0.0  # its program finished just now


def _remove(paths: list[str]) -> None:
    for path in paths:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)


def _stray_objects(workspace: Workspace) -> Iterator[str]:
    objects = os.path.join(workspace.repo.common_folder, "objects")
    for folder in os.scandir(objects):
        if folder.is_dir() and (len(folder.name) == 2 or folder.name == "pack"):
            yield from (
                entry.path for entry in os.scandir(folder.path) if entry.name.startswith(("tmp_obj", "tmp_pack", "tmp_idx"))
            )


def _settings(workspace: Workspace) -> Iterator[_Check]:
    if workspace.settings.unknown:
        message = f"memtree.toml has keys that this version does not know: {', '.join(workspace.settings.unknown)}"
        yield Finding("settings", Level.NOTE, message, "update memtree, or correct the spelling"), None


def _survey(workspace: Workspace) -> Iterator[_Check]:
    survey = workspace.capture.survey()
    for left in survey.left[:_MOST]:
        yield Finding("files", Level.NOTE, f"{left.path} is not captured: {left.reason}"), None
    if len(survey.left) > _MOST:
        message = f"{len(survey.left) - _MOST:,} more files are not captured"
        yield Finding("files", Level.NOTE, message, "see them all: memtree status"), None
    if survey.staged:
        names = _names_of(list(survey.staged))
        yield (
            Finding("files", Level.NOTE, f"staged by you and left so: {names}", "git commit, or memtree save --include-staged"),
            None,
        )


def _secrets(workspace: Workspace) -> Iterator[_Check]:
    from memtree.engine.secrets.managing import blocked

    found = blocked(workspace)
    for one in found[:_MOST]:
        secret = one.secret
        message = f"{secret.where} in commit {secret.commit[:8]} ({secret.rule}) keeps commits from {', '.join(one.remotes)}"
        yield Finding("secrets", Level.NOTE, message, f"memtree secrets allow {secret.fingerprint}, or memtree forget"), None
    if not found:
        yield Finding("secrets", Level.FINE, "nothing blocks a push"), None


def _outbox(workspace: Workspace) -> Iterator[_Check]:
    found = outbox_status(workspace.places.folder)
    if found.failed:
        message = f"events of agents that could not be recorded: {found.failed:,}; .git/memtree/hooks.log says why"
        again = "memtree hook flush --again; or delete them: .git/memtree/outbox/failed"
        yield Finding("outbox", Level.NOTE, message, again), None
    if found.dropped:
        message = f"events of agents that were dropped, because too many waited: {found.dropped:,}"
        yield Finding("outbox", Level.NOTE, message, "memtree import reads what the agents' own transcripts still hold"), None
    if found.waiting:
        yield Finding("outbox", Level.NOTE, f"events of agents that wait: {found.waiting:,}", "memtree hook flush"), None


def _closing(workspace: Workspace) -> Iterator[_Check]:
    from memtree.engine.closing.queue import Queue

    found = Queue(workspace.places.folder).status()
    if found.failing:
        message = f"steps of closed conversations that failed and are tried again: {found.failing:,} ({found.reason})"
        yield Finding("conversations", Level.NOTE, message, "memtree hook session-end --again tries them now"), None
    elif found.waiting:
        message = f"steps of closed conversations that wait: {found.waiting:,}"
        yield Finding("conversations", Level.NOTE, message, "memtree hook session-end --again does them now"), None


def _models(workspace: Workspace) -> Iterator[_Check]:
    from memtree.engine.llm.roles import Models, hindrances

    models = Models.of(workspace)
    asked = models.roles()
    found = hindrances(models)
    for why, roles in found.items():
        yield Finding("models", Level.NOTE, f"{', '.join(roles)}: {why.message}", why.cure), None
    if not asked:
        yield Finding("models", Level.FINE, "none is configured; everything works without one"), None
    elif not found:
        yield Finding("models", Level.FINE, f"can be asked for {', '.join(asked)}"), None


def _names(workspace: Workspace) -> Iterator[_Check]:
    scope, tip = workspace.scope(), workspace.repo.tip("HEAD")
    paths = [path for path, _ in workspace.repo.files(tip) if scope.holds(path)]
    for group in twins(paths)[:_MOST]:
        message = f"{_names_of(list(group))} differ only in case or Unicode form: macOS and Windows cannot hold both"
        yield Finding("names", Level.NOTE, message, "rename one of them"), None
    for path in [path for path in paths if portability_warning(path)][:_MOST]:
        yield Finding("names", Level.NOTE, f"{path}: {portability_warning(path)}", "rename it if you use such a system"), None


def _documents(workspace: Workspace) -> Iterator[_Check]:
    tip = workspace.repo.tip("HEAD")
    if tip is None:
        return
    source = RepoSource(workspace.repo, workspace.scope())
    bad = []
    for change in source.changes(None, tip):
        if change.path.suffix == ".md" and change.after is not None and workspace.repo.size(change.after.id) < 2**21:
            problem = Document.parse(source.blob(change.after.id)).front_matter().problem
            if problem:
                bad.append((change.path, problem))
    for path, problem in bad[:_MOST]:
        message = f"{path}: the front matter cannot be read ({problem}); the note is searched as plain text"
        yield Finding("documents", Level.NOTE, message, "correct it in an editor"), None


def _names_of(paths: list[str]) -> str:
    more = f" and {len(paths) - 5} more" if len(paths) > 5 else ""
    return ", ".join(paths[:5]) + more


_CHECKS: dict[str, Callable[[Workspace], Iterator[_Check]]] = {
    "journal": _journal,
    "locks": _locks,
    "branch": _head,
    "repository": _repository,
    "git files": _private_files,
    "search index": _index,
    "vector index": _vectors,
    "entity graph": _graph,
    "temporary files": _temps,
    "settings": _settings,
    "files": _survey,
    "secrets": _secrets,
    "outbox": _outbox,
    "conversations": _closing,
    "models": _models,
    "names": _names,
    "documents": _documents,
}
