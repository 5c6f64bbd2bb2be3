"""status, doctor, reindex, maintain: how a workspace stands, and keeping it well."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import amount, counted, json_option, notes, opens_workspace, progress, say, say_lines, screen
from memtree.tools.render import Line, Look, Span, fields
from memtree.tools.render_views import short, when
from memtree.tree.errors import UserError
from memtree.tree.redaction import without_credentials

if TYPE_CHECKING:
    from memtree.engine.doctor import Finding
    from memtree.engine.status import IndexStatus, RemoteStatus, Status
    from memtree.engine.workspace import Workspace
    from memtree.tree.paths import RepoPath

_MOST = 20


@click.command()
@json_option
@opens_workspace
def status(workspace: Workspace, as_json: bool) -> None:
    """Show the branch, edits not saved, held files, the indexes, each remote, and open conflicts."""
    from memtree.engine import status as status_module

    found = status_module.status(workspace)
    if as_json:
        screen().json(found)
        return
    say_lines(fields(_summary(found)))
    shown = found.survey.due[:_MOST]
    _tell_edits(found, {path for path in shown if workspace.repo.entry(found.head, path) is None})
    notes(found.notes)


def _summary(found: Status) -> list[tuple[str, str]]:
    where = (
        found.branch
        if found.on_branch
        else f"{found.head_ref.removeprefix('refs/heads/') or 'detached HEAD'} (syncs {found.branch})"
    )
    rows = [("workspace", found.root), ("branch", f"{where} at {short(found.head)}" if found.head else f"{where}, no commit yet")]
    if found.busy_with:
        rows.append(("git", f"a {found.busy_with} of yours is in progress: nothing is committed until it is over"))
    if found.writer:
        rows.append(("writing", found.writer))
    rows.append(("daemon", f"runs since {when(found.daemon.since)}" if found.daemon is not None else "none: memtree daemon start"))
    rows += [("index", _index(found, found.index)), ("vectors", _index(found, found.vectors))]
    if found.graph is not None:
        rows.append(("graph", _index(found, found.graph)))
    rows += [(f"remote {remote.name}", _remote(remote)) for remote in found.remotes]
    if not found.remotes:
        rows.append(("remote", "none: memtree remote add origin URL"))
    if found.conflicts:
        rows.append(("conflicts", f"{found.conflicts:,} open: memtree conflicts"))
    if any((found.outbox.waiting, found.outbox.failed, found.outbox.dropped)):
        rows.append(("agents", _outbox(found)))
    if found.facts.any:
        rows.append(("facts", _facts(found)))
    rows.append(("device", found.device))
    rows.append(("librarian", _librarian(found)))
    if found.captures:
        rows.append(("captures", f"{', '.join(found.captures)} (capture in memtree.toml)"))
    return rows


def _librarian(found: Status) -> str:
    if not found.librarian:
        return "none: memtree librarian take"
    return "this machine" if found.librarian == found.device else found.librarian


def _index(found: Status, index: IndexStatus | None) -> str:
    if index is None:
        return "left out (embedding.model is none)"
    if index.cure:
        return without_credentials(f"not in use ({index.problem}; {index.cure})")
    if found.head is None:
        return "empty"
    if index.pending:
        return f"{index.coverage} (a daemon goes on, or memtree reindex)"
    if index.current:
        return "up to date"
    if "never built" in index.problem:
        return "not built yet; the first search builds it"
    return f"behind ({index.problem or 'the next search catches up'})"


def _facts(found: Status) -> str:
    facts = found.facts
    pinned = f" ({facts.pinned:,} pinned)" if facts.pinned else ""
    parts = [f"{facts.active:,} active{pinned}"]
    parts += [f"{count:,} {word}" for count, word in ((facts.superseded, "superseded"), (facts.retracted, "retracted")) if count]
    if facts.quarantined:
        parts.append(f"{facts.quarantined:,} in quarantine")
    if facts.waiting:
        parts.append(
            f"{counted(facts.waiting, 'segment')} to learn from" + (f", last error: {facts.reason}" if facts.reason else "")
        )
    return "; ".join(parts)


def _outbox(found: Status) -> str:
    waiting, failed, dropped = found.outbox.waiting, found.outbox.failed, found.outbox.dropped
    parts = [f"{counted(waiting, 'event')} to record: memtree hook flush"] if waiting else []
    if failed:
        parts.append(f"{failed:,} failed (.git/memtree/hooks.log): memtree hook flush --again")
    if dropped:
        parts.append(f"{dropped:,} dropped, too many waited")
    return "; ".join(parts)


def _remote(remote: RemoteStatus) -> str:
    parts = [remote.url]
    if remote.direction.value != "both":
        parts.append(f"{remote.direction.value}-only")
    if remote.known:
        parts.append(f"{remote.ahead} ahead, {remote.behind} behind")
    elif remote.direction.value == "pull":
        parts.append("nothing received yet")
    else:
        parts.append(f"never synced, {counted(remote.ahead, 'commit')} to send")
    if remote.last_sync is not None:
        parts.append(f"last sync {when(int(remote.last_sync))}")
    if remote.error:
        parts.append(f"last try failed: {remote.error.removeprefix(f'remote {remote.name} ')}")
    return "; ".join(parts)


def _tell_edits(found: Status, new: set[RepoPath]) -> None:
    survey = found.survey
    gone = set(survey.gone)
    lines: list[Line] = []
    if survey.due:
        lines.append((Span(f"{counted(len(survey.due), 'edit')} not saved yet:"),))
        lines += [(_mark(gone=path in gone, new=path in new), Span(path)) for path in survey.due[:_MOST]]
        if len(survey.due) > _MOST:
            lines.append((Span(f"  ... and {len(survey.due) - _MOST:,} more", Look.FAINT),))
    else:
        lines.append((Span("Nothing to save.", Look.FAINT),))
    lines += [(Span("  staged  ", Look.WARNING), Span(path)) for path in survey.staged]
    lines += [(Span("  left    ", Look.FAINT), Span(f"{left.path} ({left.reason})")) for left in survey.left]
    say_lines(lines)


def _mark(*, gone: bool, new: bool) -> Span:
    if gone:
        return Span("  gone    ", Look.BAD)
    return Span("  new     ", Look.GOOD) if new else Span("  edited  ", Look.WARNING)


@click.command()
@click.option("--repair", is_flag=True, help="Do what can be done.")
@click.option("--memory", is_flag=True, help="Say what keeps memory from answering whole, as agents are told; change nothing.")
@json_option
@opens_workspace
def doctor(workspace: Workspace, repair: bool, memory: bool, as_json: bool) -> None:
    """Check repository, locks, journal, both indexes, names and documents; say what --repair would do.

    Example: memtree doctor --repair
    """
    if memory:
        if repair:
            raise UserError("--memory only looks", hint="repair first: memtree doctor --repair")
        _memory(workspace, as_json=as_json)
        return
    from memtree.engine.doctor import Level, examine

    findings = examine(workspace, repair=repair)
    healthy = all(finding.level is not Level.PROBLEM or finding.repaired for finding in findings)
    if as_json:
        screen().json({"healthy": healthy, "findings": findings})
    else:
        say_lines(_finding_lines(findings, repair=repair))
        notes(workspace.said())
    if not healthy:
        raise click.exceptions.Exit(4)


def _memory(workspace: Workspace, *, as_json: bool) -> None:
    from memtree.engine.retrieval.checkup import check_up
    from memtree.tools.check_up_view import check_up_lines

    found = check_up(workspace)
    if as_json:
        screen().json(found)
    else:
        say_lines(check_up_lines(found))
    if not found.healthy:
        raise click.exceptions.Exit(4)


def _finding_lines(findings: list[Finding], *, repair: bool) -> list[Line]:
    looks = {"fine": Look.GOOD, "note": Look.WARNING, "problem": Look.BAD}
    lines: list[Line] = []
    for finding in findings:
        mark = "repaired" if finding.repaired else finding.level.value
        lines.append(
            (Span(f"{mark:9}", looks[finding.level.value]), Span(without_credentials(f"{finding.check}: {finding.message}")))
        )
        if finding.action and not finding.repaired:
            lines.append((Span(f"{'':10}{without_credentials(_action(finding, repair=repair))}", Look.FAINT),))
    return lines


def _action(finding: Finding, *, repair: bool) -> str:
    if not finding.repairable:
        return f"you can: {finding.action}"
    return f"could not: {finding.action}" if repair else f"--repair would: {finding.action}"


@click.command()
@json_option
@opens_workspace
def reindex(workspace: Workspace, as_json: bool) -> None:
    """Build the search indexes anew from the present commit."""
    started = time.perf_counter()
    with progress("indexing") as step:
        done, remarks = workspace.searching.rebuild(step)
    with progress("embedding", "passage") as step:
        if workspace.searching.embed_rest(step):
            remarks = workspace.refresh_index()
    seconds = time.perf_counter() - started
    files = done.changed if done is not None else 0
    if as_json:
        commit = done.after if done is not None else None
        screen().json({"files": files, "commit": commit, "seconds": round(seconds, 3), "notes": remarks})
    else:
        say(f"Indexed {counted(files, 'file')} in {seconds:.1f} s.")
        notes(remarks)


@click.command()
@json_option
@opens_workspace
def maintain(workspace: Workspace, as_json: bool) -> None:
    """Pack the history, refresh git's file times, drop replaced contents that were kept a while."""
    from memtree.engine import maintain as maintain_module

    report = maintain_module.maintain(workspace)
    if as_json:
        screen().json(report)
        return
    packed = max(report.loose_before - report.loose_after, 0)
    say(f"Packed {counted(packed, 'loose object')} with {report.packed_by};")
    say(f"history takes {amount(report.bytes_after)}, it was {amount(report.bytes_before)}.")
