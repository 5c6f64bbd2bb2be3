"""Kind: what a file is in the layout of a workspace, and which files are read as text."""

from __future__ import annotations

import enum

from memtree.tree.paths import RepoPath

CONTENT_ROOT = "memory_tree/content"
TEXT_LIMIT = 2 * 1024 * 1024


class Kind(enum.Enum):
    """The layout's own kinds of file; whatever a person put there is a NOTE."""

    EPISODE = "episode"
    RECAP = "recap"
    CHAT = "chat"
    RAW = "raw"
    FACT = "fact"
    PROFILE = "profile"
    ENTITY = "entity"
    WIKI = "wiki"
    MEMORY = "memory"
    NOTE = "note"


_CURATED = frozenset({"MEMORY.md", "SKILL.md", "MEMORY_GOALS.md"})
_FOLDERS = {
    "episodic": Kind.EPISODE,
    "recap": Kind.RECAP,
    "chat": Kind.CHAT,
    "raw": Kind.RAW,
    "facts": Kind.FACT,
    "profile": Kind.PROFILE,
    "entities": Kind.ENTITY,
    "wiki": Kind.WIKI,
}
_MARKDOWN = frozenset({".md", ".markdown", ".mdx", ".mkd"})
_TEXT_NAMES = (
    ".txt .text .org .rst .adoc .tex .log .csv .tsv .json .jsonl .ndjson .canvas .toml .yaml .yml .ini .cfg .conf .html .htm "
    ".xml .css .js .mjs .ts .tsx .jsx .py .pyi .rb .rs .go .java .kt .c .h .cc .cpp .hpp .cs .swift .php .pl .lua .r .sql "
    ".sh .bash .zsh .fish .ps1 .vim .el .clj .hs .ml .scala .ex .exs .erl .zig .nix .proto .graphql .vue .svelte .diff .patch "
    ".bib .ics .vcf .srt .vtt"
)
_TEXT = frozenset(_TEXT_NAMES.split())
_BINARY_NAMES = (
    ".png .jpg .jpeg .gif .webp .bmp .ico .tif .tiff .heic .avif .pdf .zip .gz .tgz .bz2 .xz .zst .7z .rar .tar .jar .docx .xlsx "
    ".pptx .odt .ods .epub .mobi .mp3 .m4a .wav .flac .ogg .opus .mp4 .mov .mkv .webm .avi .sqlite .db .so .dylib .dll .exe "
    ".bin .o .a .pyc .wasm .class .ttf .otf .woff .woff2 .psd .parquet .npy .onnx .pt"
)
_BINARY = frozenset(_BINARY_NAMES.split())


def kind_of(path: RepoPath, content_root: str = CONTENT_ROOT) -> Kind:
    """Return what `path` is by where it lies."""
    if path in _CURATED:
        return Kind.MEMORY
    prefix = f"{content_root}/" if content_root else ""
    if not path.startswith(prefix):
        return Kind.NOTE
    folder, below, _ = path[len(prefix) :].partition("/")
    return _FOLDERS.get(folder, Kind.NOTE) if below else Kind.NOTE


def is_markdown(path: RepoPath) -> bool:
    """Whether headings and fences mean something in this file."""
    return path.suffix in _MARKDOWN


def is_binary(path: RepoPath) -> bool:
    """Whether the name alone says that there is no text inside, so that its bytes need not be read."""
    return path.suffix in _BINARY


def is_text(path: RepoPath, data: bytes) -> bool:
    """Whether a file's content is indexed; the others can be found by path and title only."""
    if is_markdown(path):
        return True
    if is_binary(path) or b"\0" in data:
        return False
    return path.suffix in _TEXT or (len(data) < TEXT_LIMIT and _is_utf8(data))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
