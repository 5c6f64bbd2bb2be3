"""Where a model's key comes from: a variable of the environment, or the keyring of the system. Never a file."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from memtree.engine.llm.errors import ExtraMissing, KeyMissing

if TYPE_CHECKING:
    from memtree.engine.model_settings import RoleModel

_LONGEST = 4_096


def key_of(model: RoleModel, environment: Mapping[str, str] | None = None) -> str:
    """The key that a model wants, '' where it wants none; raise KeyMissing, which names the place and never what stands there."""
    if model.key_ring:
        return _checked(_from_ring(model.key_ring), f"the keyring entry {model.key_ring}")
    if not model.variable:
        return ""
    where = f"the environment variable {model.variable}"
    key = (os.environ if environment is None else environment).get(model.variable, "").strip()
    if not key:
        raise KeyMissing(f"the key of the model {model.model} is missing: {where} is not set", hint=f"export {model.variable}=…")
    return _checked(key, where)


def _from_ring(entry: str) -> str:
    service, _, user = entry.partition("/")
    if importlib.util.find_spec("keyring") is None:
        raise ExtraMissing("keyring")
    try:
        import keyring  # asks the system for its store of passwords, which takes a while

        found = keyring.get_password(service, user)
    except Exception as error:  # noqa: BLE001 - a store of passwords raises what it likes, also while it is looked for
        hint = "unlock it, or name a variable instead: key_env"
        raise KeyMissing(f"the keyring could not be read ({type(error).__name__})", hint=hint) from None
    if not found or not found.strip():
        raise KeyMissing(f"the keyring has no entry {entry}", hint=f"keyring set {service} {user}")
    return found.strip()


def _checked(key: str, where: str) -> str:
    # A line end in it would end up in an error of the HTTP library, key and all.
    if len(key) > _LONGEST or not (key.isascii() and key.isprintable()) or " " in key:
        raise KeyMissing(f"{where} holds characters that no key has", hint="set it to the key alone")
    return key
