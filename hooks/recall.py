"""Recall: what memory knows for the beginning of a session or a prompt, fenced as data."""

from __future__ import annotations

from memtree.engine.retrieval.context import Context, load_context
from memtree.engine.workspace import Workspace
from memtree.hooks.events import AgentEvent, Kind


def recalled(event: AgentEvent, root: str, now: float) -> Context:
    """What to tell the model; `now` in epoch seconds. Raises what opening the workspace raises.

    With a prompt comes only what fits it: goals and profile were said as the session began.
    """
    with Workspace.open(root) as workspace:
        standing = event.kind is Kind.SESSION_START
        return load_context(workspace, event.prompt, session=event.session, now=now, standing=standing)
