"""Fact talk: conversations that are recorded, closed and learned from.

told(machine, "I live in Berlin.", "I prefer tabs.")      # a session with these messages of its user, closed and learned from
facts(machine)                                             # the facts on the branch, by their texts
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from memtree.engine.closing.later import Later, LaterReport
from memtree.engine.facts.diagnosis import Diagnosis, diagnose
from memtree.tree.fact import Fact, read_fact
from memtree.tree.paths import RepoPath
from support.conversations import FACTS, T0, below, close, record, said
from support.machines import Machine
from support.model_server import Body, ModelServer, Reply, typed

__all__ = ["FACTS", "answering", "asked_for_facts", "facts", "learn", "say_in", "seen", "settings", "steps_of", "told"]


def say_in(machine: Machine, session: str, messages: Sequence[str], *, base: int = T0, answer: str = "All right.") -> None:
    """Record a session, and close it."""
    record(machine, said(session, [(message, answer) for message in messages], base=base))
    close(machine, session)


def learn(machine: Machine) -> LaterReport:
    return Later(machine.workspace).run()


def told(machine: Machine, *messages: str, session: str = "s-1", base: int = T0) -> dict[str, Fact]:
    """Have a session said, closed and learned from; the facts that there are then."""
    say_in(machine, session, messages, base=base)
    report = learn(machine)
    assert (report.notes, report.waiting) == ([], 0)
    return facts(machine)


def facts(machine: Machine) -> dict[str, Fact]:
    found = [read_fact(RepoPath(path), data) for path, data in below(machine, "facts").items()]
    return {one.fact.text: one.fact for one in found if one is not None}


def steps_of(machine: Machine, session: str = "s-1") -> dict[str, tuple[int, int]]:
    """How many entered and left each step, of all stretches of a session."""
    found: dict[str, tuple[int, int]] = {}
    for count in (count for one in seen(machine, session).records for count in one.counts):
        entered, kept = found.get(count.step.value, (0, 0))
        found[count.step.value] = (entered + count.entered, kept + count.kept)
    return found


def seen(machine: Machine, session: str = "s-1") -> Diagnosis:
    return diagnose(machine.workspace, session)


# -- with a model
def settings(server: ModelServer, **keys: Any) -> bytes:
    """The settings of a workspace in which facts come from a model, and nothing else does."""
    return (
        FACTS
        + b"[learning]\ngoals_enrichment_enabled = false\n"
        + server.settings("default", **{"retries": 0, "timeout": 60.0, **keys}).encode()
    )


def asked_for_facts(body: Body) -> bool:
    return "List the facts." in json.dumps(body)


def answering(facts: Mapping[str, Sequence[Any]], verdicts: Callable[[str], list[Any]] = lambda _: []) -> Callable[[Body], Reply]:
    """A model that lists the facts of what it is shown: those under the words that stand in it.

    `verdicts` says what it makes of statements and facts, from the text of the question. It writes recaps too.
    """

    def reply(body: Body) -> Reply:
        text = json.dumps(body, ensure_ascii=False)
        if "Write its recap." in text:
            return typed(recap="The user told something of themselves, and nothing was decided.", importance="normal")
        if "Judge each new statement" in text:
            return typed(verdicts=verdicts(str(body["messages"][-1]["content"])))
        assert asked_for_facts(body), text[:500]
        return typed(facts=[one for words, found in facts.items() if words in text for one in found])

    return reply
