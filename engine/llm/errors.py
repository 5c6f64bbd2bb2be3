"""What can go wrong with a model. No message holds a key, or a word of what was asked or answered."""

from __future__ import annotations

from memtree.engine.llm.usage import Usage
from memtree.tree.errors import StateError, TransientError

EXTRA = "pip install 'memtree-sync[llm]'"


class ModelNotConfigured(StateError):
    """No model is named for a role, or it may not be asked from this machine; the hint says what to do."""


class KeyMissing(ModelNotConfigured):
    """The key of a model is not where the settings say."""


class ModelBroken(StateError):
    """A model that will not answer until a person changes something: its address, its name, its key, or what is installed."""

    hint = "check its table in memtree.toml; memtree models shows it, memtree models test ROLE asks it"


class ExtraMissing(ModelBroken):
    """The packages that speak to models are not installed."""

    def __init__(self, package: str) -> None:
        super().__init__(f"asking a model needs {package}, which is not installed", hint=EXTRA)
        self.package = package


class ModelAway(TransientError):
    """A model that could not be reached, was busy or silent. `after` is how long it wants to be left alone, in seconds."""

    def __init__(self, message: str, *, after: float = 0.0) -> None:
        super().__init__(message, hint="try again later; memtree models test ROLE shows whether it answers")
        self.after = after


class BadReply(TransientError):
    """A model that answered, but nothing that can be used, also after it was told what was wrong. `usage` is what that cost.

    `cut`: it had more to say than it may.
    """

    def __init__(self, message: str, usage: Usage | None = None, *, cut: bool = False) -> None:
        super().__init__(message, hint="try again, or name another model: memtree models")
        self.usage = usage or Usage()
        self.cut = cut
