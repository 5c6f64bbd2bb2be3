"""The import: sources are read one by one, what is new goes into a pack, and one transaction of the store brings it to the files.

Nothing is visible before that transaction, and from its journal on it only rolls forward: a killed import has either not happened
or is finished by the next command. So a second run loses nothing, and finds everything unchanged or new.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from memtree.engine.importing.chats import read_chat
from memtree.engine.importing.documents import read_document
from memtree.engine.importing.mail import read_mail
from memtree.engine.importing.mailbox import read_mailbox
from memtree.engine.importing.record import Record
from memtree.engine.importing.report import ImportReport, NothingToImport, Remark, SourceReport, Tell, Unfit
from memtree.engine.importing.settling import Settling
from memtree.engine.importing.sources import Source, choose_sources
from memtree.engine.importing.walking import Format, Found, walk
from memtree.engine.store.bulk_writer import BulkWriter
from memtree.engine.store.report import CommitReport, GitBusy, WrongBranch
from memtree.engine.workspace import Workspace

Progress = Callable[[int], None]


def import_sources(
    workspace: Workspace, places: Sequence[str], *, name: str = "", dry_run: bool = False, progress: Progress | None = None
) -> ImportReport:
    """Import files and folders; with `dry_run` only say what would happen. The indexes are not brought up to date here.

    Raises NothingToImport when there is nothing of a kind that is read, else what the store raises; nothing is committed then.
    """
    return import_from(workspace, choose_sources(workspace, places, name), dry_run=dry_run, progress=progress)


def import_from(
    workspace: Workspace, sources: Sequence[Source], *, dry_run: bool = False, progress: Progress | None = None
) -> ImportReport:
    """The same for sources that were chosen already."""
    workspace.store.recover()
    refuse_unready(workspace)
    bulk = BulkWriter(workspace.repo, workspace.files, workspace.git, workspace.places, dry=dry_run)
    reports = {source.name: SourceReport(source.name) for source in sources}
    settling = Settling(workspace, bulk.stored)
    with bulk.packing():
        for source in sources:
            for record in _records(source, workspace, reports[source.name]):
                settling.add(record, reports[source.name])
                if progress is not None:
                    progress(1)
    found = tuple(reports.values())
    if not any(report.taken for report in found):
        raise NothingToImport([remark for report in found for remark in report.skipped])
    for report in found:
        settling.supersede(report)
    notes = tuple(workspace.said())
    if dry_run or not settling.edits:
        tip = workspace.repo.tip(workspace.settings.ref)
        return ImportReport(found, CommitReport(tip, tip), notes)
    commit = workspace.store.apply_edits(dict(sorted(settling.edits.items())), message=_message(found))
    return ImportReport(found, commit, (*notes, *workspace.said()))


def refuse_unready(workspace: Workspace) -> None:
    """Raise now what the store would raise after all the reading."""
    if busy := workspace.repo.busy_with():
        raise GitBusy(busy)
    if (head := workspace.repo.head()) != workspace.settings.ref:
        raise WrongBranch(workspace.settings.ref, head)


def _records(source: Source, workspace: Workspace, report: SourceReport) -> Iterator[Record]:
    several = report.skipped.append
    for found in source.found if source.found is not None else walk(source.place, os.path.realpath(workspace.root), several):
        try:
            yield from _read(found, several, report.remarks.append)
        except Unfit as unfit:
            several(Remark(found.id, unfit.reason))


def _read(found: Found, skip: Tell, remark: Tell) -> Iterator[Record]:
    if found.form is Format.CHAT:
        yield from read_chat(found, skip)
    elif found.form is Format.MAILBOX:
        yield from read_mailbox(found, skip)
    elif found.form is Format.MAIL:
        yield read_mail(found.read())
    else:
        yield read_document(found, remark)


def _message(reports: Sequence[SourceReport]) -> str:
    changed = [report for report in reports if report.imported or report.updated or report.superseded]
    count = sum(report.imported + report.updated for report in changed)
    names = ", ".join(report.name for report in changed)
    what = "1 document" if count == 1 else f"{count:,} documents"
    return f"import {what} from {names}\n\nMemtree-Writer: import\nMemtree-Source: {names}\n"
