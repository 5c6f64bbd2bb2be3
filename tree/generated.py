"""Who wrote a derived file: a model, a plain extraction, or a person who changed what a machine had written.

Writers put `generator` and the hash of the body into the front matter. A body that does not match its hash was edited since.
"""

from __future__ import annotations

import enum
import hashlib

from memtree.tree.document import Document

GENERATOR = "generator"
HASH = "body_hash"
EXTRACTIVE = "extractive"


class Author(enum.IntEnum):
    """Of two authors the larger one's text stands."""

    EXTRACTION = 0
    MODEL = 1
    PERSON = 2


def body_hash(body: bytes) -> str:
    """What stands under `body_hash`; line ends do not count, because an editor may change them all."""
    return hashlib.sha256(body.replace(b"\r\n", b"\n")).hexdigest()[:16]


def signed(document: Document, generator: str) -> Document:
    """The document as its generator writes it; raise FrontMatterNotEditable where the header takes no keys."""
    return document.with_value(GENERATOR, generator).with_value(HASH, body_hash(document.body_bytes()))


def author_of(document: Document) -> Author:
    """Whose text the body is; without a generator or a hash that is right, a person's."""
    front = document.front_matter()
    generator = front.text(GENERATOR)
    if generator in ("", "person") or front.text(HASH) != body_hash(document.body_bytes()):
        return Author.PERSON
    return Author.EXTRACTION if generator == EXTRACTIVE else Author.MODEL
