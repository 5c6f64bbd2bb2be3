"""Recall: what memory knows for the beginning of a session or a prompt, fenced as data.

The workspace's daemon has it at hand; without one, or when it keeps silent, the indexes are opened here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from memtree.hooks.daemon.client import Unreachable, connected
from memtree.hooks.events import AgentEvent, Kind
from memtree.hooks.place import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memtree.engine.workspace import Workspace

METHOD = "recall"
_PATIENCE = 0.3  # seconds: an agent waits


class Recalled(NamedTuple):
    """What to tell the model, '' for nothing, and what stands in the way of more."""

    text: str
    notes: tuple[str, ...] = ()


def recalled(event: AgentEvent, place: Place, now: float) -> Recalled:
    """What to tell the model; `now` in epoch seconds. Raises what opening the workspace raises.

    With a prompt comes only what fits it: goals and profile were said as the session began.
    """
    standing = event.kind is Kind.SESSION_START
    asked: dict[str, Any] = {"prompt": event.prompt, "session": event.session, "now": now, "standing": standing}
    found = _from_daemon(place, asked)
    if found is not None:
        return found
    from memtree.engine.workspace import Workspace

    with Workspace.open(place.root) as workspace:
        return _loaded(workspace, **asked)


def _from_daemon(place: Place, asked: Mapping[str, object]) -> Recalled | None:
    client = connected(place)
    if client is None:
        return None
    with client:
        try:
            found = client.call(METHOD, asked, patience=_PATIENCE)
        except Unreachable:
            return None
    if not isinstance(found, dict) or not isinstance(found.get("text"), str) or not isinstance(found.get("notes"), list):
        return None
    return Recalled(found["text"], tuple(str(note) for note in found["notes"]))


def serve_recall(workspace: Workspace, params: Mapping[str, Any]) -> dict[str, object]:
    """The daemon's answer; raise BadParams."""
    kinds = {"prompt": str, "session": str, "now": float, "standing": bool}
    if {name: type(value) for name, value in params.items()} != kinds:
        from memtree.hooks.daemon.wire import BadParams

        raise BadParams("not a recall")
    return _loaded(workspace, **params)._asdict()


def _loaded(workspace: Workspace, *, prompt: str, session: str, now: float, standing: bool) -> Recalled:
    from memtree.engine.retrieval.context import load_context

    context = load_context(workspace, prompt, session=session, now=now, standing=standing)
    return Recalled(context.text, context.notes)
