"""What memory shows comes back to it as messages: nothing of that may become a fact, or memory would confirm itself.

A user tells some things, which become facts; then the user of another session says all that memory shows of them: what an agent
is told, the files themselves, what the program lists.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Sequence

from memtree.engine.closing.closer import Closer, everything
from memtree.engine.closing.later import Later
from memtree.engine.closing.open_turns import Sessions
from memtree.engine.facts.view import FactView
from memtree.engine.workspace import Workspace
from memtree.engine.writers.many_turns import record_turns
from memtree.engine.writers.memory_file import remember
from memtree.tools.bench.fact_sets import DURABLE, Half, labelled
from memtree.tools.bench.ground import PREFIX, Ground, git, options
from memtree.tools.bench.measure import Result
from memtree.tree.agent_turn import AgentTurn

TOLD = 40  # things that the user tells
_REMEMBERED = 4  # of them stand in MEMORY.md too
_START = dt.datetime(2026, 5, 4, 9, tzinfo=dt.UTC)
_COMMANDS = (
    ("context",),
    ("context", "what", "am", "I", "allergic", "to"),
    ("facts", "list"),
    ("facts", "list", "--json"),
    ("search", "allergic"),
    ("memory", "list"),
    ("profile", "list"),
)
_GROUPS = ("facts", "memory", "profile")  # of commands


def echo_figures(ground: Ground, told: int = TOLD) -> Result:
    """How many facts were told, how much is shown of them by kind, and how many facts that makes: new ones, confirmed ones."""
    root = ground.new("echo")
    with Workspace.init(root, options=options())[0] as workspace:
        sentences = _spoken(told)
        for sentence in sentences[:_REMEMBERED]:
            remember(workspace, sentence)
        _say(workspace, [("told", sentence) for sentence in sentences])
        before = _facts(workspace)
    shown = [*_shown(ground, root)]
    with Workspace.open(root, options()) as workspace:
        _say(workspace, shown)
        after = _facts(workspace)
    new = [after[one] for one in after.keys() - before.keys()]
    return {
        "told": len(sentences),
        "facts": len(before),
        "shown": dict(Counter(kind for kind, _ in shown)),
        "new_facts": len(new),
        "new_facts_from": dict(Counter(kind for kinds in new for kind in kinds)),
        "confirmed_facts": sum(after.get(one, kinds) != kinds for one, kinds in before.items()),
    }


def _spoken(count: int) -> list[str]:
    """What lasts, as users say it themselves, as much of it in English as in Chinese."""
    rows = [row for row in labelled(Half.TUNING) if row.label == DURABLE and not row.text.startswith(("User", "The user", "用户"))]
    english, chinese = ([row.text for row in rows if row.language == language] for language in ("en", "zh"))
    return [text for pair in zip(english, chinese, strict=False) for text in pair][:count]


def _say(workspace: Workspace, texts: Sequence[tuple[str, str]]) -> None:
    """Record that a user says this, each in the session that is named with it, close those, and learn their facts."""
    turns = [
        AgentTurn(
            session, text, "Noted.", timestamp=int((_START + dt.timedelta(minutes=number)).timestamp() * 1000), source="bench"
        )
        for number, (session, text) in enumerate(texts)
    ]
    record_turns(workspace, lambda: turns, message="turns\n\nMemtree-Writer: import\n")
    Closer(workspace).close(Sessions.of(workspace).open_folders(), whole=everything)
    Later(workspace).run_facts()


def _facts(workspace: Workspace) -> dict[str, frozenset[str]]:
    """The sessions that each fact rests on, by its id."""
    return {one.fact.id: frozenset(source.session for source in one.fact.sources) for one in FactView.look(workspace).facts}


def _shown(ground: Ground, root: str) -> Iterator[tuple[str, str]]:
    """What memory shows, with a word for its kind."""
    for name in git(root, "ls-files", "-z").decode().split("\0")[:-1]:
        inside = name.removeprefix(PREFIX)
        if name.endswith(".md") and not inside.startswith("episodic/"):
            yield inside.split("/")[0], git(root, "show", f"HEAD:{name}").decode()
    for command in _COMMANDS:
        yield " ".join(command[: 2 if command[0] in _GROUPS else 1]), ground.memtree(root, *command).decode()
