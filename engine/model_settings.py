"""The `[models.…]` tables of `memtree.toml`: which model is asked for what, where and how. Keys never stand there."""

from __future__ import annotations

import ipaddress
import math
import re
import urllib.parse
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from memtree.engine.search_settings import BadTable
from memtree.tree.redaction import without_credentials

ROLES = ("local", "chat", "agentic", "summarization")
DEFAULT = "default"
COMPATIBLE, OPENAI, ANTHROPIC = "openai-compatible", "openai", "anthropic"
PROVIDERS = (COMPATIBLE, OPENAI, ANTHROPIC)
ADDRESSES = {OPENAI: "https://api.openai.com/v1", ANTHROPIC: "https://api.anthropic.com"}
_KEY_VARIABLES = {OPENAI: "OPENAI_API_KEY", ANTHROPIC: "ANTHROPIC_API_KEY"}

# What a role does not take over from [models.default] where it names another provider or address itself: a model of one server
# means nothing to another, and a key must reach nobody that it was not meant for.
_OF_THE_PROVIDER = frozenset({"url", "model", "key_env", "key_ring"})
_OF_THE_ADDRESS = frozenset({"key_env", "key_ring"})

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_RING = re.compile(r"[^/\s][^/]{0,99}/[^/\s][^/]{0,99}")
_NAME_LIMIT = 200

# The least and the most of each number; what lies outside is a slip of the pen.
_BOUNDS: dict[str, tuple[float, float]] = {
    "temperature": (0, 2),
    "request_limit": (1, 100),
    "timeout": (0.1, 3_600),
    "retries": (0, 10),
    "max_tokens": (1, 200_000),
    "context": (512, 20_000_000),
}
_WHOLE = frozenset({"request_limit", "retries", "max_tokens", "context"})


@dataclass(frozen=True, slots=True)
class RoleModel:
    """One role's model. `timeout` is in seconds for one answer, `retries` comes on top of the first try, `context` is how many
    tokens the model can read; `temperature` None leaves it to the server. `key_env` names a variable, `key_ring` is service/user.
    """

    provider: str = COMPATIBLE
    model: str = ""
    url: str = ""
    key_env: str = ""
    key_ring: str = ""
    temperature: float | None = None
    request_limit: int = 8
    timeout: float = 120.0
    retries: int = 2
    max_tokens: int = 2_048
    context: int = 8_192

    @property
    def address(self) -> str:
        """Where it is asked, without a `/` at the end; '' where no address is named."""
        return (self.url or ADDRESSES.get(self.provider, "")).rstrip("/")

    @property
    def variable(self) -> str:
        """The environment variable that holds its key, '' where none is wanted or a keyring has it."""
        own = self.url and self.url.rstrip("/") != ADDRESSES.get(self.provider)
        return self.key_env or ("" if self.key_ring or own else _KEY_VARIABLES.get(self.provider, ""))

    @property
    def consent(self) -> str:
        """What somebody on this machine must have allowed before it is asked: its address, the provider's name where that is the
        provider's own, '' for an address of this machine."""
        if not self.url:
            return self.provider if self.provider in ADDRESSES else ""
        return "" if is_loopback(self.url) else self.url.rstrip("/")

    @property
    def key_consent(self) -> str:
        """What somebody on this machine must have allowed before its key is sent there: which key, and where to; '' where it wants
        none, and for a provider's own key at its own address. Also an address of this machine may be anybody's there."""
        own = self.address == ADDRESSES.get(self.provider) and self.variable == _KEY_VARIABLES.get(self.provider)
        return "" if own or not self.key_place else f"{self.key_place} {self.address}"

    @property
    def key_place(self) -> str:
        """Where its key lies, `$MODEL_KEY` or `keyring service/user`; '' where it wants none."""
        return f"${self.variable}" if self.variable else f"keyring {self.key_ring}" if self.key_ring else ""


@dataclass(frozen=True, slots=True)
class ModelsSettings:
    """The models by role. A role without one is not there."""

    roles: Mapping[str, RoleModel] = field(default_factory=dict)

    def named(self, role: str) -> RoleModel | None:
        """The model of a role, None where no table names one."""
        return self.roles.get(role)


def is_loopback(url: str) -> bool:
    """Whether an address is one of this machine's own, by what it says."""
    host = urllib.parse.urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def models_settings(raw: Any) -> ModelsSettings:
    """Read the `[models]` tables; raise BadTable, whose words never repeat what might be a key."""
    if not isinstance(raw, Mapping):
        raise BadTable(f"models must hold tables: [models.{DEFAULT}], [models.{ROLES[0]}], …")
    known = (DEFAULT, *ROLES)
    for name, table in raw.items():
        if name not in known:
            raise BadTable(f"models has the unknown table {name!r}; it may hold {', '.join(known)}")
        _check(name, table)
    common = dict(raw.get(DEFAULT, {}))
    found = {role: RoleModel(**_inherited(common, raw.get(role, {}))) for role in ROLES}
    for role, chosen in found.items():
        if chosen.model and not chosen.address:
            raise BadTable(f"models.{role if role in raw else DEFAULT} names a model without its url")
    return ModelsSettings({role: chosen for role, chosen in found.items() if chosen.model})


def _inherited(common: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    dropped: frozenset[str] = frozenset()
    if own.get("provider", common.get("provider", COMPATIBLE)) != common.get("provider", COMPATIBLE):
        dropped = _OF_THE_PROVIDER
    elif own.get("url", common.get("url", "")) != common.get("url", ""):
        dropped = _OF_THE_ADDRESS
    elif _OF_THE_ADDRESS & own.keys():
        dropped = _OF_THE_ADDRESS  # a key of its own takes the place of the common one, wherever that lies
    merged = {name: value for name, value in common.items() if name not in dropped} | dict(own)
    return {name: float(value) if name in ("temperature", "timeout") else value for name, value in merged.items()}


def _check(name: str, table: Any) -> None:
    where = f"models.{name}"
    if not isinstance(table, Mapping):
        raise BadTable(f"{where} must be a table: [{where}]")
    known = {one.name for one in fields(RoleModel)}
    for key, value in table.items():
        if key not in known:
            hint = "keys never stand in this file: key_env or key_ring" if "key" in key.lower() or key == "token" else ""
            raise BadTable(f"{where} has the unknown key {key!r}; {hint or 'it may hold ' + ', '.join(sorted(known))}")
        if key in _BOUNDS:
            _check_number(f"{where}.{key}", value, *_BOUNDS[key], whole=key in _WHOLE)
        elif not isinstance(value, str) or len(value) > _NAME_LIMIT or not (value.isprintable() or not value):
            raise BadTable(f"{where}.{key} must be a short text in quotes")
    _check_texts(where, table)


def _check_number(where: str, value: Any, least: float, most: float, *, whole: bool) -> None:
    kind = int if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kind) or not math.isfinite(value) or not least <= value <= most:
        raise BadTable(f"{where} must be a {'whole ' if whole else ''}number from {least:,g} to {most:,g}")


def _check_texts(where: str, table: Mapping[str, str]) -> None:
    provider, url = table.get("provider", COMPATIBLE), table.get("url", "")
    if provider not in PROVIDERS:
        raise BadTable(f"{where}.provider = {without_credentials(provider)!r} must be one of {', '.join(PROVIDERS)}")
    if without_credentials(url) != url:
        raise BadTable(f"{where}.url holds credentials, and this file travels; name a variable that holds the key: key_env")
    if url and not _is_address(url):
        raise BadTable(f"{where}.url = {url!r} is not an http address")
    # A key that was put in the place of its name is not repeated.
    if table.get("key_env") and not (_VARIABLE.fullmatch(table["key_env"]) and _tells_no_secret(table["key_env"])):
        raise BadTable(f"{where}.key_env must be the name of an environment variable, such as MODEL_KEY; never the key itself")
    if table.get("key_ring") and not (_RING.fullmatch(table["key_ring"]) and _tells_no_secret(table["key_ring"])):
        raise BadTable(f"{where}.key_ring must name an entry of the keyring as service/user; never the key itself")
    if table.get("key_env") and table.get("key_ring"):
        raise BadTable(f"{where} may hold key_env or key_ring, not both")


def _tells_no_secret(name: str) -> bool:
    return without_credentials(name) == name


def _is_address(url: str) -> bool:
    try:
        parts = urllib.parse.urlsplit(url)
        _ = parts.port
    except ValueError:
        return False
    plain = url.isascii() and url.isprintable() and not any(sign in url for sign in " ?#\\")
    return plain and parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.username or parts.password)
