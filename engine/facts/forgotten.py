"""Forgotten: a turn whose text is forgotten takes the facts with it that rest on it alone, in whatever words they tell it.

A fact that other turns tell too, or that what is left of the turn still tells, stays, without the source that is gone. One that
goes leaves a stub in its file, which beats in every merge what another machine made of it, and keeps it from being learned again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memtree.engine.closing.open_turns import Sessions, turn_number
from memtree.engine.facts.evolving import Evolving
from memtree.engine.facts.view import FactView, drop_kept
from memtree.engine.facts.writing import write_files
from memtree.engine.store.report import CommitReport
from memtree.engine.tree_diff import diff_commits
from memtree.tree.episode import InvalidEpisode, is_turn_file, session_folder
from memtree.tree.errors import Error
from memtree.tree.evidence_words import evidence_tokens
from memtree.tree.fact import PERSON, FactSource, ReadFact, is_fact_file, quote_hash
from memtree.tree.forgetting import WHOLE
from memtree.tree.forgotten import STUB
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_ROUNDS = 5


@dataclass(frozen=True, slots=True)
class ForgottenFacts:
    """The commit, None where no fact rested on it; the files that are stubs now; what a person should know."""

    commit: CommitReport | None = None
    gone: tuple[RepoPath, ...] = ()
    notes: tuple[str, ...] = ()


def forget_in_facts(workspace: Workspace, before: CommitId | None) -> ForgottenFacts:
    """Forget the facts of turns that changed since a commit.

    What was remembered of facts beside memory is dropped in any case. What goes wrong is told: where it stood, it is forgotten.
    """
    drop_kept(workspace)
    try:
        for _ in range(_ROUNDS):
            turns, told = _changed(workspace, before)
            view = FactView.look(workspace) if turns or told else FactView()
            files, persons = _without(workspace, view, turns)
            notes = tuple(f"{path} was written by hand and may still tell of it" for path in persons)
            if not files:
                return ForgottenFacts(notes=notes)
            message = f"facts without it: {len(files)} changed\n\nMemtree-Writer: facts\n"
            commit = write_files(workspace, view, files, message)
            if commit is not None:
                drop_kept(workspace)
                _drop_displaced(workspace, view, files)
                return ForgottenFacts(commit, tuple(path for path, data in files.items() if data == WHOLE), notes)
    except (Error, OSError) as error:
        return ForgottenFacts(notes=(f"facts may still tell of it: {error}; memtree facts list shows them",))
    return ForgottenFacts(notes=("facts may still tell of it: they changed all the time; run the same command again",))


def _drop_displaced(workspace: Workspace, view: FactView, files: Mapping[RepoPath, bytes | None]) -> None:
    """Remove what was set aside of these files when they were written: it still tells all of it."""
    blobs = {one.blob for one in view.facts if files.get(one.path) == WHOLE}
    with workspace.store.exclusive():
        workspace.store.displaced.forget(
            lambda path, data: (path is not None and files.get(path) == WHOLE) or workspace.repo.hash_blob(data) in blobs
        )


def _changed(workspace: Workspace, before: CommitId | None) -> tuple[frozenset[tuple[str, int]], bool]:
    """The turns that changed, by their session's folder and their number; and whether a fact's own file did."""
    tip = workspace.repo.tip(workspace.settings.ref)
    paths = [change.path for change in diff_commits(workspace.repo, before, tip) if change.before is not None]
    turns = frozenset((RepoPath(path.folder).name, turn_number(path)) for path in paths if is_turn_file(path))
    return turns, any(map(is_fact_file, paths))


def _without(
    workspace: Workspace, view: FactView, turns: frozenset[tuple[str, int]]
) -> tuple[Mapping[RepoPath, bytes], list[RepoPath]]:
    """The files of the facts that change, and those of persons' facts that stay as they are."""
    facts, gone = Evolving(view), {}
    persons: list[RepoPath] = []
    left: dict[FactSource, str] = {}
    for one in view.facts:
        if STUB.decode() in one.fact.text and one.fact.generator != PERSON:
            gone[one.path] = WHOLE  # what is left of one sentence says either nothing or too much
            continue
        hit = [source for source in one.fact.sources if (_folder(source), source.seq) in turns]
        if not hit:
            continue
        for source in hit:
            left.setdefault(source, _text_of(workspace, source))
        kept = _standing(one, hit, left)
        if kept is None:
            gone[one.path] = WHOLE
            continue
        if one.edited and len(kept) < len(one.fact.sources):
            persons.append(one.path)
        if kept != one.fact.sources:
            facts.put(replace(one.fact, sources=kept, generator=PERSON if one.edited else one.fact.generator), edited=one.edited)
    return {**facts.files(), **gone}, persons


def _standing(one: ReadFact, hit: list[FactSource], left: Mapping[FactSource, str]) -> tuple[FactSource, ...] | None:
    """The sources of a fact that still tell it, () for a person's own words without any; None when nothing does."""
    words = evidence_tokens(one.fact.text)
    kept = []
    for source in one.fact.sources:
        if source not in hit:
            kept.append(source)
        elif left[source] and words and words <= evidence_tokens(left[source]):
            kept.append(source._replace(quote_hash=quote_hash(left[source])))
    return tuple(kept) if kept or one.edited or one.fact.pinned else None


def _text_of(workspace: Workspace, source: FactSource) -> str:
    """What the turn says now, '' where it is gone."""
    found = Sessions.of(workspace).messages(_folder(source), source.seq, source.seq)
    return "\n".join(message.text for message in found)


def _folder(source: FactSource) -> str:
    try:
        return session_folder(source.session)
    except InvalidEpisode:
        return ""
