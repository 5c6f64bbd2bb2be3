"""Settings: what `memtree.toml` says. They travel with the workspace; secrets never stand in it."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from memtree.engine.facts_settings import FactsSettings, facts_settings
from memtree.engine.files import Durability
from memtree.engine.hook_settings import HookSettings, hook_settings
from memtree.engine.learning_settings import LearningSettings, learning_settings, with_environment
from memtree.engine.model_settings import ModelsSettings, models_settings
from memtree.engine.redact_settings import RedactSettings, redact_settings
from memtree.engine.search_settings import BadTable, EmbeddingSettings, SearchSettings, embedding_settings, search_settings
from memtree.engine.segment_settings import SegmentSettings, segment_settings
from memtree.engine.watch_settings import WatchSettings, watch_settings
from memtree.engine.wiki_settings import WikiSettings, wiki_settings
from memtree.tree.errors import StateError, UserError
from memtree.tree.paths import refusal

FILE_NAME = "memtree.toml"
CONTENT_ROOT = "memory_tree/content"
_LONGEST_NAME = 200  # characters


_TABLES: dict[str, Callable[[Any], Any]] = {
    "search": search_settings,
    "embedding": embedding_settings,
    "redact": redact_settings,
    "hooks": hook_settings,
    "watch": watch_settings,
    "segments": segment_settings,
    "learning": learning_settings,
    "models": models_settings,
    "wiki": wiki_settings,
    "facts": facts_settings,
}


class SettingsGone(StateError):
    """The file that makes the folder a workspace is gone: nobody who means that has a program commit it by itself."""

    def __init__(self, folder: str) -> None:
        super().__init__(f"{FILE_NAME} is gone from {folder}", hint=f"bring it back: git checkout HEAD -- {FILE_NAME}")


class InvalidSettings(UserError):
    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}", hint="correct that line; README lists what memtree.toml may hold")
        self.path = path
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Settings:
    """`capture` are gitignore-style patterns of what belongs to the workspace beside the content root; `**` is everything."""

    content: str = CONTENT_ROOT
    branch: str = "main"
    capture: tuple[str, ...] = ("**",)
    durability: Durability = Durability.FULL
    librarian: str = ""  # the machine that does what only one must do; '' where nobody was named
    search: SearchSettings = field(default_factory=SearchSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    redact: RedactSettings = field(default_factory=RedactSettings)
    hooks: HookSettings = field(default_factory=HookSettings)
    watch: WatchSettings = field(default_factory=WatchSettings)
    segments: SegmentSettings = field(default_factory=SegmentSettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    wiki: WikiSettings = field(default_factory=WikiSettings)
    facts: FactsSettings = field(default_factory=FactsSettings)
    unknown: tuple[str, ...] = field(default=())  # keys of a newer version, kept and reported by doctor

    @property
    def ref(self) -> str:
        return f"refs/heads/{self.branch}"


def load(folder: str, environment: Mapping[str, str] | None = None) -> Settings:
    """Read the settings of a workspace; raise InvalidSettings with the place that is wrong.

    What this machine's environment says of learning comes before the file; None is this process's own. Raise BadVariable.
    """
    path = os.path.join(folder, FILE_NAME)
    with open(path, "rb") as file:
        data = file.read()
    found = parse(data, path)
    return replace(found, learning=with_environment(found.learning, os.environ if environment is None else environment))


def parse(data: bytes, path: str = FILE_NAME) -> Settings:
    try:
        raw = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidSettings(path, str(error)) from error
    content = _text(raw, "content", CONTENT_ROOT, path).rstrip("/")
    branch = _text(raw, "branch", "main", path)
    if refusal(content):
        raise InvalidSettings(path, f"content = {content!r} is not a folder inside the workspace")
    if not _is_branch_name(branch):
        raise InvalidSettings(path, f"branch = {branch!r} is not a branch name")
    capture = raw.get("capture", ["**"])
    if not isinstance(capture, list) or not all(isinstance(item, str) for item in capture):
        raise InvalidSettings(path, 'capture must be a list of patterns, for example ["notes/", "*.md"]')
    durability = _text(raw, "durability", Durability.FULL.value, path)
    if durability not in {kind.value for kind in Durability}:
        raise InvalidSettings(path, f'durability = {durability!r} must be "full" or "fast"')
    librarian = _text(raw, "librarian", "", path).strip()
    if not librarian.isprintable() or len(librarian) > _LONGEST_NAME:
        raise InvalidSettings(path, "librarian must be the name of a machine, as memtree status shows it")
    try:
        tables = {name: read(raw.get(name, {})) for name, read in _TABLES.items()}
    except BadTable as error:
        raise InvalidSettings(path, str(error)) from error
    unknown = tuple(sorted(raw.keys() - {one.name for one in fields(Settings) if one.name != "unknown"}))
    return Settings(content, branch, tuple(capture), Durability(durability), librarian, **tables, unknown=unknown)


def _is_branch_name(text: str) -> bool:
    """Git's own rules (git-check-ref-format)."""
    if text == "@" or text.startswith("-") or text.endswith(".") or ".." in text or "@{" in text:
        return False
    if any(c in " ~^:?*[\\" or ord(c) < 32 or ord(c) == 127 for c in text):
        return False
    return all(part and not part.startswith(".") and not part.endswith(".lock") for part in text.split("/"))


def render(settings: Settings) -> bytes:
    """The text of a new `memtree.toml`."""
    capture = ", ".join(_quoted(pattern) for pattern in settings.capture)
    return (
        "# This folder is a memtree workspace. These settings travel with it; never put secrets here.\n"
        f"content = {_quoted(settings.content)}\n"
        f"branch = {_quoted(settings.branch)}\n"
        f'# What belongs to the workspace beside the content folder (gitignore patterns; "**" is everything).\n'
        f"capture = [{capture}]\n"
        f'# "full" survives power loss, "fast" a killed process only.\n'
        f"durability = {_quoted(settings.durability.value)}\n"
    ).encode()


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _text(raw: dict[str, Any], key: str, default: str, path: str) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str):
        raise InvalidSettings(path, f"{key} must be a text in quotes")
    return value
