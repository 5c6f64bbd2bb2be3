"""log, review, show, diff, blame, restore, undo: what was, what changed, and bringing it back."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import click

from memtree.engine.typed_paths import NoSuchPath, no_such_path, path_in, readings
from memtree.tools.commands.common import conflict_lines, counted, json_option, notes, opens_workspace, say, say_lines, screen
from memtree.tools.render import Span
from memtree.tools.render_views import blame_lines, change_lines, diff_lines, log_lines, review_lines, short
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.history import LogItem, LogQuery
    from memtree.engine.review import Review
    from memtree.engine.workspace import RestoreReport, Workspace
    from memtree.tree.objects import CommitId
    from memtree.tree.paths import RepoPath
    from memtree.tree.words import Detail, FileDiff

_REVIEW_MOST = 50
_raw_option = click.option("--raw", is_flag=True, help="Show facts as the lines of their files, too, not as what happened to them.")


@click.command()
@click.argument("path", required=False, type=click.Path())
@click.option("--writer", default="", help="Only by this writer: editor, cli, sync, archivist, … (git: plain git commits).")
@click.option("--session", default="", help="Only of this agent session.")
@click.option("--since", metavar="WHEN", help="Only from then on: 2026-03-31, 3d, 2w, yesterday.")
@click.option("--until", metavar="WHEN", help="Only up to then.")
@click.option("--grep", default="", metavar="TEXT", help="Only with this text in the message.")
@click.option("-n", "--limit", type=click.IntRange(1), help="At most this many.")
@json_option
@opens_workspace
def log(
    workspace: Workspace,
    path: str | None,
    writer: str,
    session: str,
    since: str | None,
    until: str | None,
    grep: str,
    limit: int | None,
    as_json: bool,
) -> None:
    """Show the commits, newest first; of PATH only, followed through renames.

    Example: memtree log projects/heron.md --since 2w --writer editor
    """
    from memtree.engine.history import LogQuery
    from memtree.engine.when import Edge, parse_when

    now = int(time.time())
    query = LogQuery(
        writer=writer,
        session=session,
        since=parse_when(since, now) if since else None,
        until=parse_when(until, now, edge=Edge.END) if until else None,
        grep=grep,
        limit=limit,
    )
    items = _log(workspace, path, query)
    if as_json:
        screen().json(list(items))
        return
    first = next(items, None)
    if first is None:
        say("No commit matches." if workspace.repo.tip("HEAD") is not None else "Nothing has been saved yet: memtree save")
        return
    say_lines(log_lines(chain((first,), items)))


def _log(workspace: Workspace, typed: str | None, query: LogQuery) -> Iterator[LogItem]:
    """The commits of the first reading of a typed path that has any; raise NoSuchPath when none ever had."""
    from memtree.engine.history import LogQuery
    from memtree.engine.history import log as walk

    tip = workspace.repo.tip("HEAD")
    if tip is None:
        return iter(())
    if typed is None:
        return walk(workspace.repo, tip, query)
    paths = readings(workspace, typed)
    for path in paths:
        if not path or next(walk(workspace.repo, tip, LogQuery(path)), None) is not None:
            return walk(workspace.repo, tip, replace(query, path=path))
    raise no_such_path(workspace, paths[0])


@click.command()
@click.option("--keep", is_flag=True, help="Only look: do not mark it read.")
@click.option("--all", "everything", is_flag=True, help=f"Show more than {_REVIEW_MOST} files, and each turn of conversations.")
@_raw_option
@json_option
@opens_workspace
def review(workspace: Workspace, keep: bool, everything: bool, raw: bool, as_json: bool) -> None:
    """Show everything since you last looked, file by file, as word diffs; then mark it read.

    Unsaved edits are committed first, so that they are seen too. Of facts it tells what happened to each.

    Example: memtree review --keep
    """
    from memtree.engine import review as review_module

    remarks = workspace.capture_quietly()
    tip = workspace.repo.tip("HEAD")
    if tip is None:
        if as_json:
            screen().json(None)
        else:
            say("Nothing has been saved yet: memtree save")
        return
    most = None if everything or as_json else _REVIEW_MOST
    content = None if most is None else workspace.settings.content
    found = review_module.pending(workspace.repo, workspace.places.folder, tip, diffs=most, content=content)
    if as_json:
        screen().json(found)
    else:
        _show_review(workspace, found, most, raw=raw)
        notes(remarks)
    sys.stdout.flush()
    if not keep:
        # Marked last: what never reached the reader stays unread.
        review_module.mark(workspace.places.folder, tip)


def _show_review(workspace: Workspace, found: Review, most: int | None, *, raw: bool) -> None:
    from memtree.engine.facts.changed import stories_of
    from memtree.tools.render_facts import fact_change_lines
    from memtree.tree.fact import is_fact_file

    out = screen()
    of_facts = () if raw else tuple(file for file in found.files if is_fact_file(file.change.path))
    told = stories_of(workspace.repo, (file.change for file in of_facts), found.to, workspace.settings.content)
    paths = {path for story in told for path in story.paths}
    out.show(review_lines(found, colour=out.colour, most=most or len(found.files), without=paths))
    writers = sorted({writer for file in of_facts for writer in file.writers})
    if told:
        say("")
        out.show(fact_change_lines(told, colour=out.colour, most=most, by=", ".join(writers)))


@click.command()
@click.argument("path", type=click.Path())
@click.option("--at", "revision", metavar="REV", help="At this commit (HEAD).")
@json_option
@opens_workspace
def show(workspace: Workspace, path: str, revision: str | None, as_json: bool) -> None:
    """Print the file PATH as it was at a commit, byte for byte; of a folder the paths of its files.

    What a fact says, and how it stands, is told on standard error.

    Example: memtree show projects/heron.md --at HEAD~3
    """
    from memtree.engine.history import file_entry
    from memtree.tree.fact import is_fact_file
    from memtree.tree.fact_diff import fact_reading

    commit = workspace.resolve(revision)
    try:
        where = path_in(workspace, path, commit)
    except NoSuchPath as error:
        raise _perhaps_a_commit(workspace, path, error) from error
    if _is_folder(workspace, where, commit):
        files = [found for found, _ in workspace.repo.files(commit, where)]
        if as_json:
            screen().json({"path": where, "commit": commit, "files": files})
        else:
            say_lines((Span(file),) for file in files)
        return
    if workspace.repo.entry(commit, where) is None:
        raise no_such_path(workspace, where, commit)
    data = workspace.repo.blob(file_entry(workspace.repo, where, commit).id)
    if as_json:
        screen().json({"path": where, "commit": commit, "content": data})
        return
    if is_fact_file(where):
        notes(fact_reading(data, where))
    sys.stdout.flush()
    with os.fdopen(os.dup(sys.stdout.fileno()), "wb") as out:
        out.write(data)


def _perhaps_a_commit(workspace: Workspace, typed: str, error: NoSuchPath) -> NoSuchPath:
    """Who knows git may ask to show a commit: say which command does that here."""
    from memtree.engine.repo_errors import UnknownRevision

    try:
        commit = workspace.resolve(typed)
    except UnknownRevision:
        return error
    hint = f"{typed} is a commit: memtree diff {short(commit)}~1 {short(commit)} shows what it changed"
    return NoSuchPath(typed, "among the files", hint)


def _is_folder(workspace: Workspace, path: RepoPath, commit: CommitId) -> bool:
    from memtree.tree.objects import FOLDER

    entry = workspace.repo.entry(commit, path) if path else None
    return not path or (entry is not None and entry.mode == FOLDER)


@click.command()
@click.argument("words", nargs=-1, metavar="[REV [REV]] [PATH]")
@click.option("--words", "by_words", is_flag=True, help="Mark changed words instead of whole lines.")
@_raw_option
@json_option
@opens_workspace
def diff(workspace: Workspace, words: tuple[str, ...], by_words: bool, raw: bool, as_json: bool) -> None:
    """Show what changed: on disk since the last commit, since REV, or between two commits; of PATH only when given.

    Of facts it tells what happened to each; with --raw all is a patch that `git apply` takes.

    Example: memtree diff HEAD~3 projects --words
    """
    from memtree.engine.history import diff as compare
    from memtree.tree.fact import is_fact_file
    from memtree.tree.words import Detail

    revisions, path = _revisions_and_path(workspace, words)
    detail = Detail.WORDS if by_words else Detail.LINES
    found: Iterator[FileDiff]
    if len(revisions) == 2:
        found = iter(compare(workspace.repo, revisions[0], revisions[1], path, detail=detail))
    else:
        found = _against_disk(workspace, revisions[0] if revisions else None, path, detail)
    if as_json:
        screen().json(list(found))
        return
    out = screen()
    one = None
    of_facts: list[FileDiff] = []
    for one in found:
        if not raw and is_fact_file(one.path):
            of_facts.append(one)
        else:
            out.show(diff_lines(one, detail, colour=out.colour))
    if of_facts:
        _tell_facts(workspace, of_facts, revisions[0] if revisions else workspace.repo.tip("HEAD"), detail)
    if one is None:
        _tell_no_difference(workspace, path)


def _tell_facts(workspace: Workspace, diffs: list[FileDiff], base: CommitId | None, detail: Detail) -> None:
    """What happened to facts; a file that holds none is shown as any other."""
    from memtree.engine.facts.changed import stories_in
    from memtree.tools.render_facts import fact_change_lines

    out = screen()
    told = stories_in(workspace.repo, diffs, base, workspace.settings.content)
    paths = {path for story in told for path in story.paths}
    for one in diffs:
        if one.path not in paths:
            out.show(diff_lines(one, detail, colour=out.colour))
    out.show(fact_change_lines(told, colour=out.colour))


def _tell_no_difference(workspace: Workspace, path: str) -> None:
    """Say that nothing differs, on standard error: a patch that is piped on stays empty."""
    if path and not workspace.scope().holds(path) and not os.path.isdir(os.path.join(workspace.root, path)):
        notes([f"{path} is outside what memtree captures: git diff shows its edits"])
    else:
        notes(["nothing differs"])


def _revisions_and_path(workspace: Workspace, words: tuple[str, ...]) -> tuple[list[CommitId], str]:
    """Sort the arguments as git does: leading words that name commits are revisions, the last may be a path."""
    from memtree.engine.repo_errors import UnknownRevision

    revisions: list[CommitId] = []
    for number, word in enumerate(words):
        try:
            revisions.append(workspace.resolve(word))
        except UnknownRevision as error:
            if number < len(words) - 1:
                raise
            return revisions, _path_in_any(workspace, word, revisions, error)
    if len(revisions) > 2:
        raise click.UsageError("at most two revisions and one path")
    return revisions, ""


def _path_in_any(workspace: Workspace, word: str, revisions: list[CommitId], unknown: UserError) -> RepoPath:
    """The path that a word means in one of the revisions, at HEAD or on the disk."""
    missing: NoSuchPath | None = None
    commits: list[CommitId | None] = [*revisions] or [None]
    for commit in commits:
        try:
            return path_in(workspace, word, commit)
        except NoSuchPath as error:
            missing = error
    assert missing is not None
    if revisions or "did you mean" in missing.hint:
        raise missing
    raise type(missing)(word, "here, neither a path nor a revision", unknown.hint) from unknown


def _against_disk(workspace: Workspace, revision: CommitId | None, path: str, detail: object) -> Iterator[FileDiff]:
    from memtree.engine.uncommitted import against_disk
    from memtree.tree.words import Detail

    assert isinstance(detail, Detail)
    return against_disk(workspace, revision, path, detail)


@click.command()
@click.argument("path", type=click.Path())
@click.option("--at", "revision", metavar="REV", help="As of this commit (HEAD).")
@json_option
@opens_workspace
def blame(workspace: Workspace, path: str, revision: str | None, as_json: bool) -> None:
    """Show who wrote each line of PATH, in which commit, and when.

    Example: memtree blame projects/heron.md
    """
    from memtree.engine.blame import blame as owners

    commit = workspace.resolve(revision)
    where = path_in(workspace, path, commit)
    if workspace.repo.entry(commit, where) is None:
        raise no_such_path(workspace, where, commit)
    lines = owners(workspace.repo, where, commit)
    if as_json:
        screen().json(lines)
    else:
        say_lines(blame_lines(lines))


@click.command()
@click.argument("path", type=click.Path())
@click.option("--at", "revision", metavar="REV", required=True, help="The commit to take it from.")
@json_option
@opens_workspace
def restore(workspace: Workspace, path: str, revision: str, as_json: bool) -> None:
    """Bring PATH (a file or a folder) back as it was at REV, as a new commit. Unsaved edits are committed first.

    Example: memtree restore projects/heron.md --at HEAD~3
    """
    commit = workspace.resolve(revision)
    where = path_in(workspace, path, commit)
    if where and workspace.repo.entry(commit, where) is None:
        raise no_such_path(workspace, where, commit)
    _tell(workspace.restore(where, commit), "Restored", as_json=as_json)


@click.command()
@click.argument("revision", metavar="REV")
@json_option
@opens_workspace
def undo(workspace: Workspace, revision: str, as_json: bool) -> None:
    """Take the changes of commit REV back by a new commit; later changes stay.

    Example: memtree undo HEAD, or the id that memtree log shows
    """
    _tell(workspace.undo(workspace.resolve(revision)), "Undone", as_json=as_json)


def _tell(report: RestoreReport, verb: str, *, as_json: bool) -> None:
    if as_json:
        after = report.commit.after if report.commit.changed else None
        screen().json({"commit": after, "changes": report.changes, "conflicts": report.conflicts, "notes": report.notes})
        return
    if not report.commit.changed:
        say("Nothing to change: it is like that already.")
    elif report.commit.after is not None:
        say(f"{verb} {counted(len(report.changes), 'file')} as {short(report.commit.after)}.")
    say_lines(change_lines(islice(report.changes, 20)))
    say_lines(conflict_lines(report.conflicts, "save"))
    notes(report.notes)
