"""The present that a question is answered from: indexes brought to HEAD, and one commit for the whole answer.

What could not be done is a note, never an error: memory that is behind, or has lost an index, still answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from memtree.engine.memory_tree.narrowing import Sources, sources_of
from memtree.engine.memory_tree.scoring import Words
from memtree.engine.repo import Repo
from memtree.indexers.base import IndexCorrupt
from memtree.indexers.query import Mode
from memtree.tree.errors import CorruptionError, StateError, TransientError
from memtree.tree.kinds import Kind
from memtree.tree.objects import FOLDER, CommitId
from memtree.tree.source_names import Place
from memtree.tree.summary import summaries_folder

if TYPE_CHECKING:
    from memtree.engine.facts.recalling import Facts
    from memtree.engine.wiki.view import WikiView
    from memtree.engine.workspace import Workspace
    from memtree.indexers.embedder import Embedder, TokenEmbedder, Vectors
    from memtree.indexers.entity_graph import EntityGraph
    from memtree.indexers.fulltext import FullTextIndex
    from memtree.indexers.vectors import VectorIndex
    from memtree.tree.redactor import Redactor

T = TypeVar("T")
Progress = Callable[[int], None]
PATIENCE = 1.0  # seconds that a question waits for another process that is indexing


class Present:
    """One commit, and what there is to look into it with. Made by `present`; whoever uses it holds the indexes' turn."""

    def __init__(self, workspace: Workspace, tip: CommitId, notes: Iterable[str] = (), as_of: int | None = None) -> None:
        self.workspace = workspace
        self.tip = tip
        self.notes = list(dict.fromkeys(notes))
        self._as_of = as_of

    @property
    def repo(self) -> Repo:
        return self.workspace.repo

    @property
    def content(self) -> str:
        """The content root."""
        return self.workspace.settings.content

    @property
    def redactor(self) -> Redactor:
        return self.workspace.redactor

    @property
    def text(self) -> FullTextIndex:
        return self.workspace.searching.index()

    @cached_property
    def fresh(self) -> bool:
        """Whether the full-text index reflects just this commit."""
        try:
            return self.text.position() == self.tip
        except CorruptionError:
            return False

    @cached_property
    def words(self) -> Words:
        return Words(self.text.stem, self._frequency, self.healed(self.text.size) or 0)

    def _frequency(self, stem: str) -> int:
        return self.healed(lambda: self.text.frequency(stem)) or 0

    @cached_property
    def graph(self) -> EntityGraph:
        """The entity graph, brought to HEAD."""
        for note in self.workspace.searching.refresh_graph(patience=PATIENCE):
            self.note(note)
        return self.workspace.searching.graph()

    @cached_property
    def facts(self) -> Facts:
        """Facts, with which of them hold."""
        return self.workspace.searching.facts(self.tip, self._as_of)

    @cached_property
    def sources(self) -> Sources:
        """The sources that there are."""
        return sources_of(self.workspace, self.tip)

    @cached_property
    def wiki(self) -> WikiView:
        """The summaries of this commit."""
        from memtree.engine.wiki.view import WikiView

        return WikiView.at(self.workspace, self.tip)

    @cached_property
    def pages(self) -> tuple[Place, ...]:
        """What lies in the wiki beside the summaries."""
        root, summaries = "/".join(filter(None, (self.content, "wiki"))), summaries_folder(self.content)
        entry = self.repo.entry(self.tip, root)
        names = self.repo.items(entry.id) if entry is not None and entry.mode == FOLDER else ()
        return tuple(Place(Kind.WIKI, path) for path in (f"{root}/{name}" for name in names) if path != summaries)

    @cached_property
    def meaning(self) -> tuple[VectorIndex, Embedder] | None:
        """What looks things up by meaning; None where the settings leave it out, or it cannot be had now."""
        if self.workspace.settings.search.mode is Mode.TEXT:
            return None
        try:
            found = self.workspace.searching.meaning()
        except (TransientError, StateError, OSError) as error:
            self.note(f"answered by words only: {error}")
            return None
        return (found.vectors, found.embedder) if found.vectors is not None and found.embedder is not None else None

    @cached_property
    def word_model(self) -> TokenEmbedder | None:
        """What matches word by word; None where nothing is looked up by meaning."""
        if self.meaning is None:
            return None
        from memtree.indexers.embedder import TokenEmbedder

        embedder = self.meaning[1]
        if isinstance(embedder, TokenEmbedder):
            return embedder
        from memtree.indexers.wordllama_model import WordLlamaEmbedder

        return WordLlamaEmbedder()

    def vector(self, text: str) -> Vectors | None:
        """A query's vector; None where there are none."""
        if self.meaning is None:
            return None
        try:
            return self.meaning[1].embed_query(text)
        except (TransientError, StateError, OSError) as error:
            self.note(f"answered by words only: {error}")
            return None

    def healed(self, ask: Callable[[], T]) -> T | None:
        """What an index answers. One that shows to be damaged is built anew, once; None, and a note, for what cannot be had now."""
        try:
            try:
                return ask()
            except IndexCorrupt:
                for note in self.workspace.searching.refresh(patience=PATIENCE):
                    self.note(note)
                return ask()
        except (TransientError, StateError, CorruptionError) as error:
            self.note(f"not everything could be looked up: {error}")
        except OSError as error:
            self.note(f"not everything could be looked up: {error.strerror or error}")
        return None

    def note(self, text: str) -> None:
        if text not in self.notes:
            self.notes.append(text)


def present(workspace: Workspace, *, progress: Progress | None = None, as_of: int | None = None) -> Present | None:
    """Bring the indexes to HEAD, and say what there is now; None where nothing was ever committed.

    Facts hold that do so now, or did at `as_of` (epoch seconds).
    The caller holds `workspace.searching.turn` from here until it has its answer.
    """
    notes = workspace.searching.refresh(progress, patience=PATIENCE)
    tip = workspace.repo.tip("HEAD")
    return Present(workspace, tip, notes, as_of) if tip is not None else None


def now(workspace: Workspace) -> int:
    """The present in epoch seconds, by the workspace's clock."""
    return int(workspace.options.clock())
