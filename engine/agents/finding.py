"""Finding an agent: the definition and prompt that come with memtree, and what a workspace puts in their place.

`agents/{id}/agent.toml` in a workspace replaces single keys of ours, `agents/{id}/prompt.md` our prompt; both travel with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

from memtree.engine.agents.definition import BadDefinition, Definition, definition_of, keys_of
from memtree.engine.reading import NotReadable, file_bytes
from memtree.tree.errors import UserError
from memtree.tree.paths import RepoPath

ARCHIVIST, GOALS, MEMORY = "archivist", "goals", "memory"
NAMES = (ARCHIVIST, GOALS, MEMORY)
FOLDER = "agents"
DEFINITION, PROMPT = "agent.toml", "prompt.md"
_LARGEST = 64 * 1024  # bytes of a user's file


class NoSuchAgent(UserError):
    def __init__(self, name: str) -> None:
        super().__init__(f"there is no agent {name!r}", hint=f"the agents are {', '.join(NAMES)}")


@dataclass(frozen=True, slots=True)
class Found:
    """An agent as a workspace has it.

    `name` is what memtree calls it, `archetype` the prompt that it begins with. `changed` tells which keys (and `prompt`) a file of
    the workspace sets, with that file; `notes` what a person should know.
    """

    name: str
    definition: Definition
    archetype: str
    changed: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def find_agent(root: str, name: str) -> Found:
    """An agent by its name, its id or the name that others delegate to it by; raise NoSuchAgent, BadDefinition."""
    sought = name.strip().casefold()
    for one in NAMES:
        ours = definition_of(_ours(one), _own(one))
        if sought in (one, ours.id, ours.delegate_name):
            return _as_changed(root, one, ours)
    raise NoSuchAgent(name)


def strangers(root: str) -> list[str]:
    """The folders of a workspace that look like an agent's but change none of ours."""
    ids = {*NAMES, *(str(_ours(name)["id"]) for name in NAMES)}
    try:
        folders = sorted(os.listdir(os.path.join(root, FOLDER)))
    except OSError:
        return []
    return [f"{FOLDER}/{one}" for one in folders if one not in ids and os.path.isfile(os.path.join(root, FOLDER, one, DEFINITION))]


def _as_changed(root: str, name: str, ours: Definition) -> Found:
    keys, archetype, changed, notes = dict(_ours(name)), _prompt(name), {}, []
    folder = _folder(root, name, ours.id)
    path = f"{folder}/{DEFINITION}"
    data = _theirs(root, path)
    if data is not None:
        given = keys_of(data, path)
        if given.get("id", ours.id) != ours.id:
            raise BadDefinition(path, "id", f"must be {ours.id}: the folder says which agent it changes")
        _refuse_unknown(given.get("delegates.named", ()), path)
        changed = {key: path for key, value in given.items() if value != keys[key]}
        keys |= given
    path = f"{folder}/{PROMPT}"
    data = _theirs(root, path)
    if data is not None:
        text = data.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").strip()
        if text:
            archetype, changed["prompt"] = text, path
        else:
            notes.append(f"{path} is empty: the prompt that comes with memtree is used")
    return Found(name, definition_of(keys, f"{folder}/{DEFINITION}"), archetype, changed, tuple(notes))


def _refuse_unknown(delegates: Iterable[str], path: str) -> None:
    there = [str(_ours(name)["delegate_name"]) for name in NAMES]
    unknown = [name for name in delegates if name not in there]
    if unknown:
        raise BadDefinition(path, "delegates.named", f"names no agent: {unknown[0]}; there are {', '.join(there)}")


def _folder(root: str, name: str, agent_id: str) -> str:
    there = [one for one in dict.fromkeys((agent_id, name)) if any(_exists(root, one, file) for file in (DEFINITION, PROMPT))]
    if len(there) > 1:
        raise BadDefinition(f"{FOLDER}/{there[1]}", "", f"and {FOLDER}/{there[0]} both change the same agent: keep one of them")
    return f"{FOLDER}/{there[0] if there else agent_id}"


def _exists(root: str, folder: str, file: str) -> bool:
    return os.path.lexists(os.path.join(root, FOLDER, folder, file))


def _theirs(root: str, path: str) -> bytes | None:
    """A file of the workspace, None where there is none; raise BadDefinition for what is no small ordinary file."""
    if not os.path.lexists(os.path.join(root, path)):
        return None
    try:
        data = file_bytes(root, RepoPath(path))
    except NotReadable as error:
        raise BadDefinition(path, "", f"cannot be used: {error}") from error
    if len(data) > _LARGEST:
        raise BadDefinition(path, "", f"has {len(data):,} bytes, more than {_LARGEST:,}")
    return data


@lru_cache(maxsize=len(NAMES))
def _ours(name: str) -> Mapping[str, Any]:
    return keys_of(_packaged(name, DEFINITION), _own(name))


@lru_cache(maxsize=len(NAMES))
def _prompt(name: str) -> str:
    return _packaged(name, PROMPT).decode().strip()


def _packaged(name: str, file: str) -> bytes:
    return resources.files("memtree.engine.agents").joinpath(name, file).read_bytes()


def _own(name: str) -> str:
    return f"memtree's own {name}/{DEFINITION}"
