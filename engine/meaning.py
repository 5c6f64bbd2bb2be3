"""Meaning: the vector index of a workspace with the embedder that its settings name.

What computes with vectors is loaded only where the settings want vectors, or when a search ranks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memtree.engine.repo import Repo
from memtree.engine.search_settings import NONE, WORDLLAMA, EmbeddingSettings, is_minilm
from memtree.engine.settings import Settings
from memtree.engine.store.places import Places
from memtree.tree.errors import StateError

if TYPE_CHECKING:
    from memtree.indexers.embedder import Embedder, TokenEmbedder
    from memtree.indexers.fulltext import FullTextIndex
    from memtree.indexers.hybrid import Hybrid
    from memtree.indexers.vectors import VectorIndex
    from memtree.indexers.weights import Ranking

CONSENT_KEY = "memtree.embeddingurl"
KEY_CONSENT_KEY = "memtree.embeddingkey"
# Seconds that who saves or searches waits for MiniLM, some forty passages; the rest is embedded in the background.
_PATIENCE = 2.0


class EndpointNotAllowed(StateError):
    """The settings, which travel, ask this machine to send its texts somewhere nobody here has agreed to."""

    def __init__(self, url: str) -> None:
        super().__init__(
            f"memtree.toml asks to send texts to {url} for embedding, which was not allowed on this machine",
            hint=f"if you trust it: git config {CONSENT_KEY} {url}",
        )


class EndpointKeyNotAllowed(StateError):
    """The settings, which travel, ask this machine to send a key to an address, and nobody here has agreed to that."""

    def __init__(self, variable: str, url: str) -> None:
        super().__init__(
            f"memtree.toml asks to send the key in ${variable} to {url}, which was not allowed on this machine",
            hint=f"if you trust it with that key: git config {KEY_CONSENT_KEY} '{variable} {url}'",
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
            from memtree.indexers.hybrid import Hybrid

            self._hybrid = text, Hybrid(text, self.vectors, self.embedder, ranking, clock, self._static())
        return self._hybrid[1]

    def _static(self) -> TokenEmbedder | None:
        """What stands beside a model that reads whole texts."""
        from memtree.indexers.embedder import ContextEmbedder

        if self.embedder is None or not isinstance(self.embedder, ContextEmbedder):
            return None
        from memtree.indexers.wordllama_model import WordLlamaEmbedder

        return WordLlamaEmbedder()

    def has_pending(self) -> bool:
        """Whether there are passages that are not embedded yet."""
        return self.vectors is not None and self.vectors.has_pending()

    def said(self) -> list[str]:
        """What the vector index had to drop or rebuild since this was last asked, and what it has not embedded yet."""
        if self.vectors is None:
            return []
        said, self.vectors.said[:] = list(self.vectors.said), []
        if self.vectors.has_pending():
            done, waiting = self.vectors.coverage()
            said.append(
                f"{done:,} of {done + waiting:,} passages are embedded, the rest is found by its words only; "
                "a daemon goes on with it, or memtree reindex"
            )
        return said

    def close(self) -> None:
        if self.vectors is not None:
            self.vectors.close()


def at_hand(chosen: EmbeddingSettings) -> bool:
    """Whether asking the model keeps nobody waiting: it is the default, or MiniLM in a process that has loaded it."""
    if is_minilm(chosen):
        module = sys.modules.get("memtree.indexers.minilm_model")
        return module is not None and bool(module.is_loaded())
    return chosen.model == WORDLLAMA and not chosen.url


def open_meaning(repo: Repo, places: Places, settings: Settings, fingerprint: str) -> Meaning:
    """The vector index for these settings; raise EndpointNotAllowed."""
    if settings.embedding.model == NONE:
        return Meaning(None, None)
    from memtree.indexers.vectors import VectorIndex

    embedder = _embedder(settings.embedding, repo)
    folder = Path(os.path.join(places.folder, "vectors"))
    patience = _PATIENCE if is_minilm(settings.embedding) else None
    vectors = VectorIndex.open(folder, fingerprint, embedder, content_root=settings.content, patience=patience)
    return Meaning(vectors, embedder)


def open_embedder(repo: Repo, settings: Settings) -> Embedder | None:
    """What judges single turns under these settings, None where they leave vectors out; raise EndpointNotAllowed.

    Not MiniLM: a hook that a turn waits for would load it anew each time, and what is near was measured with the default model.
    """
    chosen = settings.embedding
    if chosen.model == NONE:
        return None
    return _embedder(replace(chosen, model=WORDLLAMA) if is_minilm(chosen) else chosen, repo)


def _embedder(chosen: EmbeddingSettings, repo: Repo) -> Embedder:
    if chosen.model == WORDLLAMA and not chosen.url:
        from memtree.indexers.wordllama_model import WordLlamaEmbedder

        return WordLlamaEmbedder()
    if is_minilm(chosen):
        from memtree.indexers.minilm_model import MiniLmEmbedder

        return MiniLmEmbedder()
    refuse_unless_allowed(repo, chosen)
    from memtree.indexers.embedding_endpoint import Endpoint, EndpointEmbedder

    # A person waits for the search: an address that is away is told soon, and asked again by the next one.
    return EndpointEmbedder(Endpoint(chosen.url, chosen.model, chosen.key_env, attempts=3, pause=0.3))


def refuse_unless_allowed(repo: Repo, chosen: EmbeddingSettings) -> None:
    """Raise EndpointNotAllowed when the settings name an address that nobody here has agreed to, or not any more.

    Raise EndpointKeyNotAllowed when they name a key that nobody here has agreed to send there.
    """
    if not chosen.url:
        return
    if repo.config(CONSENT_KEY) != chosen.url:
        raise EndpointNotAllowed(chosen.url)
    if chosen.key_env and repo.config(KEY_CONSENT_KEY) != f"{chosen.key_env} {chosen.url}":
        raise EndpointKeyNotAllowed(chosen.key_env, chosen.url)
