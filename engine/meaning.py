"""Meaning: the vector index of a workspace with the embedder that its settings name. Loaded only when a search wants it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from memtree.engine.repo import Repo
from memtree.engine.search_settings import NONE, WORDLLAMA, EmbeddingSettings
from memtree.engine.settings import Settings
from memtree.engine.store.places import Places
from memtree.indexers.embedder import Embedder
from memtree.indexers.fulltext import FullTextIndex
from memtree.indexers.hybrid import Hybrid
from memtree.indexers.vectors import VectorIndex
from memtree.indexers.weights import Ranking
from memtree.tree.errors import StateError

CONSENT_KEY = "memtree.embeddingurl"


class EndpointNotAllowed(StateError):
    """The settings, which travel, ask this machine to send its texts somewhere nobody here has agreed to."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"memtree.toml asks to send texts to {url} for embedding, which was not allowed on this machine",
            hint=f"if you trust it: git config {CONSENT_KEY} {url}",
        )


class Meaning:
    """Owns the vector index and its embedder; both None where the settings leave vectors out."""

    def __init__(self, vectors: VectorIndex | None, embedder: Embedder | None) -> None:
        self.vectors = vectors
        self.embedder = embedder
        self._hybrid: tuple[FullTextIndex, Hybrid] | None = None

    def hybrid(self, text: FullTextIndex, ranking: Ranking, clock: Callable[[], float]) -> Hybrid:
        """Both indexes as one; kept, because it remembers what it prepared of texts."""
        if self._hybrid is None or self._hybrid[0] is not text:
            self._hybrid = text, Hybrid(text, self.vectors, self.embedder, ranking, clock)
        return self._hybrid[1]

    def said(self) -> list[str]:
        """What the vector index had to drop or rebuild since this was last asked."""
        if self.vectors is None:
            return []
        said, self.vectors.said[:] = list(self.vectors.said), []
        return said

    def close(self) -> None:
        if self.vectors is not None:
            self.vectors.close()


def open_meaning(repo: Repo, places: Places, settings: Settings, fingerprint: str) -> Meaning:
    """The vector index for these settings; raise EndpointNotAllowed."""
    if settings.embedding.model == NONE:
        return Meaning(None, None)
    embedder = _embedder(settings.embedding, repo)
    folder = Path(os.path.join(places.folder, "vectors"))
    return Meaning(VectorIndex.open(folder, fingerprint, embedder, content_root=settings.content), embedder)


def _embedder(chosen: EmbeddingSettings, repo: Repo) -> Embedder:
    if chosen.model == WORDLLAMA and not chosen.url:
        from memtree.indexers.wordllama_model import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if repo.config(CONSENT_KEY) != chosen.url:
        raise EndpointNotAllowed(chosen.url)
    from memtree.indexers.embedding_endpoint import Endpoint, EndpointEmbedder

    # A person waits for the search: an address that is away is told soon, and asked again by the next one.
    return EndpointEmbedder(Endpoint(chosen.url, chosen.model, chosen.key_env, attempts=3, pause=0.3))
