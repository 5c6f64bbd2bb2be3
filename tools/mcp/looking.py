"""The tools that only look: search, read, history, diff, status. Each takes an open workspace and answers in both forms."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp.types import CallToolResult

from memtree.engine import reading
from memtree.engine.history import LogItem, LogQuery, changes_between, diff_change, log
from memtree.engine.retrieval.context import load_context
from memtree.engine.status import RemoteStatus
from memtree.engine.status import status as status_of
from memtree.engine.when import Edge
from memtree.indexers.query import Hit, Mode, Query
from memtree.tools.mcp import arguments
from memtree.tools.mcp.answers import (
    CitedItem,
    CommitItem,
    ContentAnswer,
    ContextAnswer,
    DiffAnswer,
    FactStanding,
    Found,
    HistoryAnswer,
    RemoteItem,
    SearchAnswer,
    StatusAnswer,
    answered,
    iso,
)
from memtree.tools.mcp.keeping import Keeper
from memtree.tools.render import harmless
from memtree.tools.render_views import diff_lines
from memtree.tree.errors import UserError
from memtree.tree.kinds import Kind
from memtree.tree.paths import refusal
from memtree.tree.scalars import clean
from memtree.tree.words import Detail

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.tree.objects import Change, CommitId

_PATHS = 20  # of a commit that are named
_FILES = 100  # of a status that are named
_COMPARED = 200  # files that a diff compares


class NothingSaved(UserError):
    def __init__(self) -> None:
        super().__init__("nothing has been saved in this workspace yet", hint="store something first")


def search(
    keeper: Keeper,
    query: str,
    limit: int,
    kinds: Sequence[str],
    path: str,
    since: str,
    until: str,
    mode: str,
) -> CallToolResult:
    workspace = keeper.workspace()
    now = int(time.time())
    asked = Query(
        arguments.needed("query", query, arguments.QUERY),
        limit=limit,
        kinds=tuple(Kind(kind) for kind in dict.fromkeys(kinds)),
        path=arguments.text("path", path).strip().strip("/"),
        since=arguments.moment("since", since, now, Edge.START),
        until=arguments.moment("until", until, now, Edge.END),
        mode=Mode(mode) if mode else workspace.settings.search.mode,
    )
    notes = keeper.fresh(workspace)
    report = workspace.search(asked, capture=False)
    keeper.warm()
    hits = [_found(number, hit) for number, hit in enumerate(report.hits, 1)]
    fields = SearchAnswer(query=asked.text, commit=report.commit, hits=hits, notes=[*notes, *report.notes])
    return answered("\n\n".join(map(_shown, hits)) or "Nothing was found.", fields)


def _found(number: int, hit: Hit) -> Found:
    lines = f"{hit.start_line}" if hit.start_line == hit.end_line else f"{hit.start_line}-{hit.end_line}"
    return Found(
        id=f"[{number}] {clean(hit.path)}:{lines}",
        path=clean(hit.path),
        start_line=hit.start_line,
        end_line=hit.end_line,
        title=hit.title,
        heading=hit.heading,
        kind=hit.kind.value,
        score=hit.score,
        time=iso(hit.time),
        snippet=hit.snippet,
        fact=FactStanding(**hit.fact._asdict()) if hit.fact is not None else None,
    )


def _shown(found: Found) -> str:
    title = " > ".join(dict.fromkeys(filter(None, (found.title, found.heading))))
    mark = found.fact.mark if found.fact is not None else ""
    facts = ", ".join(filter(None, (found.kind, mark, found.time, f"score {found.score:g}")))
    return f"{found.id}\n{f'{title} ({facts})'.lstrip()}\n{found.snippet}"


def context(keeper: Keeper, query: str, session_id: str) -> CallToolResult:
    workspace = keeper.workspace()
    asked, session = arguments.text("query", query, arguments.QUERY), arguments.text("session_id", session_id)
    notes = keeper.fresh(workspace)
    with workspace.searching.turn:
        notes += workspace.searching.refresh()
        found = load_context(workspace, asked, session=session, now=time.time())
    cited = [
        CitedItem(
            id=one.id,
            path=clean(one.path),
            start_line=one.start_line,
            end_line=one.end_line,
            score=one.score,
            time=iso(one.timestamp),
            snippet=clean(one.snippet),
        )
        for one in found.citations
    ]
    fields = ContextAnswer(text=clean(found.text), citations=cited, notes=[*notes, *found.notes])
    # Fenced already, by what laid it out.
    return answered(fields.text or "Memory has nothing to say to this.", fields, laid_out=True)


def read_content(keeper: Keeper, path: str, start_line: int, end_line: int | None, revision: str) -> CallToolResult:
    workspace = keeper.workspace()
    where = reading.readable(workspace, arguments.needed("path", path))
    notes: list[str] = []
    commit = _commit_named(workspace, "revision", revision)
    if commit is not None:
        data = reading.at_commit(workspace, where, commit)
    else:
        data, redacted = reading.on_disk(workspace, where)
        if redacted:
            notes.append("secrets in it were taken out; the file is not committed because of them")
    whole = reading.as_text(where, data)
    total = whole.count("\n") + (whole[-1:] not in ("", "\n"))
    if start_line > max(total, 1) or (end_line is not None and end_line < start_line):
        raise arguments.UnfitArgument(
            f"lines {start_line} to {end_line or total} are not in {where}, which has {total:,}", hint="ask for lines that it has"
        )
    part = reading.lines_of(whole, start_line, end_line)
    wanted = part.total if end_line is None else min(end_line, part.total)
    following = part.last + 1 if part.last < wanted else None
    if part.cut:
        notes.append(f"line {part.last} is longer than {reading.LONGEST:,} characters and was cut")
    fields = ContentAnswer(
        path=where,
        revision=commit,
        start_line=part.first,
        end_line=part.last,
        total_lines=part.total,
        next_line=following,
        text=part.text,
        notes=notes,
    )
    head = f"{where} lines {part.first}-{part.last} of {part.total}{f' at {commit[:12]}' if commit else ''}"
    more = f"\n\n(more: start_line {following})" if following else ""
    return answered(f"{head}\n\n{part.text}{more}", fields)


def file_text(keeper: Keeper, path: str) -> str:
    """A whole file, or its first part; for clients that read resources."""
    workspace = keeper.workspace()
    where = reading.readable(workspace, arguments.text("path", path))
    data, _ = reading.on_disk(workspace, where)
    part = reading.lines_of(reading.as_text(where, data))
    more = part.cut or part.last < part.total
    return part.text + (f"\n\n(cut after line {part.last} of {part.total}: read_content reads on)" if more else "")


def history(keeper: Keeper, path: str, limit: int) -> CallToolResult:
    workspace = keeper.workspace()
    where = _optional(path)
    notes = keeper.fresh(workspace)
    found = list(log(workspace.repo, _tip(workspace), LogQuery(path=where, limit=limit)))
    scope = workspace.scope()
    items = [_commit(item, [change for change in item.changes if scope.holds(change.path)]) for item in found]
    fields = HistoryAnswer(path=where, commits=items, notes=notes)
    text = "\n".join(
        f"{item.commit[:12]} {item.time} {item.writer}: {item.subject}\n  {', '.join(item.paths)}"
        + (f" and {item.changed - len(item.paths):,} more" if item.changed > len(item.paths) else "")
        for item in items
    )
    return answered(text or f"No commit touched {where}.", fields)


def _commit(item: LogItem, changes: Sequence[Change]) -> CommitItem:
    return CommitItem(
        commit=item.commit.id,
        time=iso(item.commit.time) or "",
        writer=harmless(item.writer),
        subject=harmless(item.commit.subject)[:300],
        paths=[f"{change.kind.value} {harmless(change.path)}" for change in changes[:_PATHS]],
        changed=len(changes),
    )


def diff(keeper: Keeper, path: str, before: str, after: str, *, words: bool) -> CallToolResult:
    workspace = keeper.workspace()
    where = _optional(path)
    notes = keeper.fresh(workspace)
    tip = _tip(workspace)
    new = _commit_named(workspace, "to_revision", after) or tip
    old = _commit_named(workspace, "from_revision", before) or _before_last(workspace, new, where)
    scope = workspace.scope()
    every = [
        one
        for one in changes_between(workspace.repo, old, new, where)
        if scope.holds(one.path) and not reading.is_settings(one.path)
    ]
    detail = Detail.WORDS if words else Detail.LINES
    compared = [diff_change(workspace.repo, change, detail=detail) for change in every[:_COMPARED]]
    kept: list[str] = []
    left = reading.LONGEST
    for line in (line for one in compared for line in diff_lines(one, detail, colour=False)):
        shown = "".join(harmless(span.text) for span in line)
        left -= len(shown) + 1
        if left < 0:
            break
        kept.append(shown)
    cut = left < 0 or len(every) > len(compared)
    if cut:
        notes = [*notes, "the difference is longer than what is shown: name a file, or commits that are nearer"]
    fields = DiffAnswer(
        path=where,
        before=old,
        after=new,
        files=len(every),
        added=sum(one.added for one in compared),
        deleted=sum(one.deleted for one in compared),
        cut=cut,
        text="\n".join(kept),
        notes=notes,
    )
    return answered(fields.text or "Nothing differs.", fields)


def _commit_named(workspace: Workspace, name: str, revision: str) -> CommitId | None:
    """The commit that an argument names, None when it names none."""
    named = arguments.text(name, revision).strip()
    return workspace.resolve(named) if named else None


def _before_last(workspace: Workspace, tip: CommitId, path: str) -> CommitId | None:
    """The commit before the last one that touched a path: its last change is what differs then."""
    last = next(iter(log(workspace.repo, tip, LogQuery(path=path, limit=1))), None)
    if last is None:
        raise reading.NotReadable(f"no commit touched {path}", hint="search finds the files there are")
    return next(iter(last.commit.parents), None)


def sync_status(keeper: Keeper) -> CallToolResult:
    workspace = keeper.workspace()
    found = status_of(workspace)
    waiting = [path for path in found.survey.due if path not in {one.path for one in found.survey.held}]
    fields = StatusAnswer(
        branch=found.branch,
        head=found.head,
        on_branch=found.on_branch,
        busy_with=found.busy_with,
        uncommitted=list(waiting[:_FILES]),
        uncommitted_count=len(waiting),
        held=[f"{one.path}: {one.reason}" for one in found.survey.held[:_FILES]],
        conflicts=found.conflicts,
        index_current=found.index.current,
        remotes=[_remote(one) for one in found.remotes],
        notes=list(found.notes),
    )
    return answered("\n".join(_told(fields)), fields)


def _told(fields: StatusAnswer) -> list[str]:
    lines = [f"branch {fields.branch} at {(fields.head or 'nothing yet')[:12]}"]
    if not fields.on_branch:
        lines.append("HEAD is not on that branch: nothing is committed until it is")
    if fields.busy_with:
        lines.append(f"a {fields.busy_with} of git's is in progress")
    lines.append(f"uncommitted: {fields.uncommitted_count}" + "".join(f"\n  {path}" for path in fields.uncommitted))
    lines += [f"held: {one}" for one in fields.held]
    lines.append(f"open conflicts: {fields.conflicts}" + (" (memtree conflicts shows them)" if fields.conflicts else ""))
    for one in fields.remotes:
        failed = f", last error: {one.error}" if one.error else ""
        lines.append(f"remote {one.name}: {one.ahead} ahead, {one.behind} behind, last sync {one.last_sync or 'never'}{failed}")
    return lines if fields.remotes else [*lines, "no remote: this machine alone has this memory"]


def _remote(found: RemoteStatus) -> RemoteItem:
    return RemoteItem(
        name=found.name, ahead=found.ahead, behind=found.behind, last_sync=iso(found.last_sync), error=found.error[:500]
    )


def _optional(path: str) -> str:
    """A file or a folder as it is called from the root, '' for everything."""
    given = arguments.text("path", path).strip().rstrip("/")
    if given in ("", "."):
        return ""
    reason = refusal(given)
    if reason or reading.is_settings(given):
        raise reading.NotReadable(f"the path is refused: {reason or 'it holds settings'}", hint="name it from the workspace's root")
    return given


def _tip(workspace: Workspace) -> CommitId:
    tip = workspace.repo.tip("HEAD")
    if tip is None:
        raise NothingSaved
    return tip
