"""ingest_document: a document that an agent found elsewhere becomes evidence, as an import of it would.

It is named by its source id within its provider, so that a changed one takes the old one's place, a person's edits of which are
merged, and the same again changes nothing. Its date is that of when it came, or last changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from memtree.engine.importing.encoding import cleaned, one_line
from memtree.engine.importing.importer import refuse_unready
from memtree.engine.importing.record import Record, SourceKind, Value, content_hash
from memtree.engine.importing.report import SourceReport
from memtree.engine.importing.settling import Settling
from memtree.engine.importing.sources import refuse_name, source_name
from memtree.engine.memory_tree.asked import Asked
from memtree.engine.memory_tree.hits import BadRequest, Ingested
from memtree.engine.memory_tree.present import now
from memtree.engine.store.bulk_writer import BulkWriter
from memtree.tree.document import Document
from memtree.tree.episode import iso_time
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

PROVIDER = "agent"
_LONGEST = 500  # characters of a title, an id, a reference


def ingest_document(workspace: Workspace, asked: Asked) -> Ingested:
    """Commit the document under `raw/`, and bring the indexes along. Raises BadRequest, and what the store raises."""
    source = _source(workspace, asked.provider or PROVIDER)
    workspace.store.recover()
    refuse_unready(workspace)
    record = _record(workspace, asked, source)
    report = SourceReport(source)
    bulk = BulkWriter(workspace.repo, workspace.files, workspace.git, workspace.places)
    settling = Settling(workspace, bulk.stored)
    with bulk.packing():
        settling.add(record, report)
    notes = [f"{remark.place}: {remark.reason}" for remark in report.remarks]
    path = record.path(workspace.settings.content, source)
    if not settling.edits:
        return Ingested(path, "unchanged", workspace.repo.tip("HEAD"), (*notes, *workspace.said()))
    message = (
        f"ingest {record.redacted(workspace.redactor).title} from {source}\n\nMemtree-Writer: import\nMemtree-Source: {source}\n"
    )
    commit = workspace.store.apply_edits(settling.edits, message=message)
    notes += [f"{conflict.path} has two versions now: memtree conflicts shows them" for conflict in commit.conflicts]
    notes += [*workspace.said(), *workspace.refresh_index()]
    return Ingested(path, "updated" if report.updated else "new", commit.after, tuple(dict.fromkeys(notes)))


def _source(workspace: Workspace, provider: str) -> str:
    try:
        name = source_name(provider)
        refuse_name(workspace, name)
    except UserError as error:
        raise BadRequest(
            "provider", f"documents of {provider[:80]!r} cannot be kept: {error}", "choose another provider"
        ) from error
    return name


def _record(workspace: Workspace, asked: Asked, source: str) -> Record:
    """The document as its file will have it; what says the same as the file that there is has that file's date."""
    body = cleaned(asked.body)
    title = one_line(workspace.redactor.text(asked.title), _LONGEST)
    # A token in an address is no part of what names a document.
    origin = one_line(workspace.redactor.text(asked.source_id), _LONGEST)
    for name, text in (("title", title), ("body", body), ("source_id", origin)):
        if not text.strip():
            raise BadRequest(name, f"{name} holds no text", "give some text that can be read")
    reference = one_line(asked.source_ref, _LONGEST)
    known: tuple[tuple[str, Value], ...] = (("source_ref", reference),) if reference else ()
    plain = Record(SourceKind.MARKDOWN, origin, title, body, known)
    path = plain.path(workspace.settings.content, source)
    entry = workspace.repo.entry(workspace.repo.tip(workspace.settings.ref), path)
    if entry is not None and entry.is_file:
        old = workspace.repo.blob(entry.id)
        same = _dated(plain, Document.parse(old).front_matter().text("date"))
        if content_hash(same.redacted(workspace.redactor).render(source)) == content_hash(old):
            return same
    return _dated(plain, iso_time(1000 * now(workspace)))


def _dated(record: Record, date: str) -> Record:
    return Record(
        record.kind, record.source_id, record.title, record.body, (*record.fields, ("date", date)) if date else record.fields
    )
