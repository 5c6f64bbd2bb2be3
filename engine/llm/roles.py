"""Models by role: which one is asked for what, and what stands in the way of asking it from this machine.

The settings travel with the workspace, so a model that is not on this machine is asked only where somebody here allowed its
address, and a key is sent only where somebody here allowed that very key for that address.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from memtree.engine.llm.errors import ExtraMissing, ModelNotConfigured
from memtree.engine.llm.keys import key_of
from memtree.engine.model_settings import ANTHROPIC, ROLES, ModelsSettings, RoleModel
from memtree.tree.errors import Error, UserError

if TYPE_CHECKING:
    from memtree.engine.git import Git
    from memtree.engine.workspace import Workspace

CONSENT_KEY = "memtree.modelurl"
KEY_CONSENT_KEY = "memtree.modelkey"
_PACKAGES = ("pydantic_ai", "openai")


class UnknownRole(UserError):
    """A role that no agent and no table has."""

    def __init__(self, role: str) -> None:
        super().__init__(f"there is no role {role!r}", hint=f"the roles are {', '.join(ROLES)}")
        self.role = role


class NotAllowed(ModelNotConfigured):
    """The settings, which travel, ask this machine to send texts somewhere nobody here has agreed to."""

    def __init__(self, consent: str) -> None:
        super().__init__(
            f"memtree.toml asks to send texts to {consent}, which was not allowed on this machine",
            hint=f"if you trust it: memtree models allow {consent}",
        )
        self.consent = consent


class KeyNotAllowed(ModelNotConfigured):
    """The settings, which travel, ask this machine to send a key somewhere nobody here has agreed that it goes."""

    def __init__(self, model: RoleModel) -> None:
        super().__init__(
            f"memtree.toml asks to send the key in {model.key_place} to {model.address}, which was not allowed on this machine",
            hint=f"if you trust it with that key: memtree models allow {_asked_as(model)}",
        )


class NothingToAllow(UserError):
    """An address that no table names: most likely a slip of the pen."""


class Allowed(NamedTuple):
    """What may be asked from this machine now, and which keys it may be sent; `changed` is False where all of it might before."""

    where: str
    keys: tuple[str, ...]
    changed: bool


class Hindrance(NamedTuple):
    """What stands in the way of asking a model, and what to do about it."""

    message: str
    cure: str


@dataclass(frozen=True, slots=True)
class Ready:
    """A model that can be asked, and its key, '' where it wants none."""

    model: RoleModel
    key: str

    def __repr__(self) -> str:
        return f"Ready({self.model!r})"


class Models:
    """The models that a workspace's settings name, as this machine may use them. `environment` None is this process's own."""

    def __init__(self, settings: ModelsSettings, git: Git, environment: Mapping[str, str] | None = None) -> None:
        self._settings = settings
        self._git = git
        self._environment = environment

    @classmethod
    def of(cls, workspace: Workspace) -> Models:
        return cls(workspace.settings.models, workspace.git, workspace.options.environment)

    def named(self, role: str) -> RoleModel | None:
        """The model that the settings name for a role; raise UnknownRole."""
        if role not in ROLES:
            raise UnknownRole(role)
        return self._settings.named(role)

    def configured(self, role: str) -> bool:
        """Whether a role's model can be asked from this machine, as far as can be known without asking it."""
        return not self.why_not(role)

    def why_not(self, role: str) -> str:
        """What stands in the way of asking a role's model, with the cure; '' when nothing does."""
        found = self.hindrance(role)
        return "; ".join(part for part in found if part) if found else ""

    def hindrance(self, role: str) -> Hindrance | None:
        """The same in two parts, None where nothing does; raise UnknownRole."""
        try:
            self.ready(role)
        except UnknownRole:
            raise
        except Error as error:
            return Hindrance(str(error), error.hint)
        return None

    def roles(self) -> tuple[str, ...]:
        """The roles that the settings name a model for."""
        return tuple(role for role in ROLES if self._settings.named(role))

    def ready(self, role: str) -> Ready:
        """A role's model with its key; raise ModelNotConfigured (NotAllowed, KeyNotAllowed, KeyMissing) or ExtraMissing."""
        model = self.named(role)
        if model is None:
            raise ModelNotConfigured(
                f"no model is configured for {role}",
                hint=f"name one in memtree.toml: [models.{role}] or [models.default], with model and url (README, Models)",
            )
        if not self._is_open(model):
            raise NotAllowed(model.consent)
        if not self._may_have_its_key(model):
            raise KeyNotAllowed(model)
        for package in (*_PACKAGES, *(("anthropic",) if model.provider == ANTHROPIC else ())):
            if importlib.util.find_spec(package) is None:
                raise ExtraMissing(package)
        return Ready(model, key_of(model, self._environment))

    def allowed(self, model: RoleModel) -> bool:
        """Whether this machine may ask a model: always itself, elsewhere where somebody allowed it; and send the key it names."""
        return self._is_open(model) and self._may_have_its_key(model)

    def allow(self, what: str) -> Allowed:
        """Let this machine send texts to an address, or to a provider by its name, with the keys that the tables name for it now.

        Raises NothingToAllow for what no table names, or what needs no consent.
        """
        wanted = what.strip().rstrip("/")
        asking = [model for model in self._settings.roles.values() if model.consent or model.key_consent]
        chosen = [model for model in asking if _asked_as(model) == wanted]
        if not chosen:
            asked = sorted({_asked_as(model) for model in asking})
            hint = f"what the settings ask for: {', '.join(asked)}" if asked else "the settings name no model outside this machine"
            raise NothingToAllow(f"no table of memtree.toml names {wanted}", hint=hint)
        changed = False
        for key, found in ((CONSENT_KEY, [model.consent for model in chosen]), (KEY_CONSENT_KEY, [m.key_consent for m in chosen])):
            known = self._consents(key)
            for new in sorted({one for one in found if one} - set(known)):
                self._git.run("config", "--local", "--add", key, new)
                changed = True
        return Allowed(wanted, tuple(sorted({model.key_place for model in chosen} - {""})), changed)

    def _is_open(self, model: RoleModel) -> bool:
        return not model.consent or model.consent in self._consents(CONSENT_KEY)

    def _may_have_its_key(self, model: RoleModel) -> bool:
        return not model.key_consent or model.key_consent in self._consents(KEY_CONSENT_KEY)

    def _consents(self, key: str) -> list[str]:
        found = self._git.call("config", "--get-all", key, check=False)
        return [line.strip().rstrip("/") for line in found.stdout.decode("utf-8", "replace").splitlines()]


def _asked_as(model: RoleModel) -> str:
    """What a person names to allow it: its address, or the provider's name where it names none."""
    return model.consent or model.address


def hindrances(models: Models) -> dict[Hindrance, list[str]]:
    """What stands in the way of the models that the settings name, each with the roles that it concerns."""
    found: dict[Hindrance, list[str]] = {}
    for role in models.roles():
        hindrance = models.hindrance(role)
        if hindrance is not None:
            found.setdefault(hindrance, []).append(role)
    return found
