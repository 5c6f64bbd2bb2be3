"""Conversations as they are recorded, and what becomes of them when they are closed.

record(machine, said("s-1", TALK))      # three turns, a minute apart
close(machine)                          # the session is over
recaps(machine)                         # the recaps on the branch, as they are read
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memtree.engine.closing.closer import Closer, CloseReport, Whole, everything
from memtree.engine.writers.many_turns import record_turns
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.episode import session_folder
from memtree.tree.paths import RepoPath
from memtree.tree.recap import ReadRecap, read_recap, span_of
from support.machines import Machine, Machines

CONTENT = "memory_tree/content"
T0 = 1_714_557_600_000
PLAIN = b'[embedding]\nmodel = "none"\n[wiki]\nenabled = false\n[facts]\nenabled = false\n'
FACTS = PLAIN.replace(b"[facts]\nenabled = false\n", b'[facts]\ntimezone = "UTC"\n')

TALK = (
    ("Let's go with tantivy for search. I prefer tabs to spaces.", "Fine: tantivy it is. The index writer gets a heap of 50 MB."),
    ("How large should the heap of the writer be for the whole index?", "For 100,000 notes 50 MB are plenty."),
    ("I'm based in Berlin, so meetings before nine are too early.", "Noted. I will not suggest anything before nine."),
)


def lonely(machines: Machines, settings: bytes, name: str = "a") -> Machine:
    return machines.lonely({"memtree.toml": toml(settings)}, name=name).reopen()


def pair(machines: Machines) -> tuple[Machine, Machine]:
    one, two = machines.pair({"memtree.toml": toml(PLAIN)})
    return one.reopen(), two.reopen()


def toml(more: bytes) -> bytes:
    return b'content = "memory_tree/content"\nbranch = "main"\ncapture = ["**"]\ndurability = "fast"\n' + more


def said(session: str, talk: Sequence[tuple[str, str]], *, start: int = 0, step: float = 60.0, base: int = T0) -> list[AgentTurn]:
    return [
        AgentTurn(session, user, answer, base + int((start + n) * step * 1000), f"u{start + n}", f"p{start + n}")
        for n, (user, answer) in enumerate(talk)
    ]


def record(machine: Machine, turns: Sequence[AgentTurn]) -> None:
    record_turns(machine.workspace, lambda: turns, message="turns\n\nMemtree-Writer: archivist\n")


def close(machine: Machine, session: str = "s-1", whole: Whole = everything) -> CloseReport:
    return Closer(machine.workspace).close([session_folder(session)], whole=whole)


def below(machine: Machine, folder: str) -> dict[str, bytes]:
    return {path: data for path, data in machine.committed().items() if path.startswith(f"{CONTENT}/{folder}/")}


def recaps(machine: Machine) -> list[ReadRecap]:
    found = [read_recap(RepoPath(path), data) for path, data in sorted(below(machine, "recap").items())]
    return [recap for recap in found if recap is not None]


def spans(machine: Machine, session: str = "s-1") -> list[tuple[int, int]]:
    """From which number to which each recap of a session goes."""
    folder = session_folder(session)
    found = (span_of(path.rpartition("/")[2]) for path in below(machine, f"recap/{folder}"))
    return sorted(span for span in found if span is not None)


def untold(machine: Machine, session: str = "s-1") -> dict[str, int]:
    """The turns of a session that are not in exactly one recap, and in how many they are."""
    closed = spans(machine, session)
    names = [path.rpartition("/")[2] for path in below(machine, f"episodic/{session_folder(session)}")]
    counts = {name: sum(first <= int(name[:6]) <= last for first, last in closed) for name in names}
    return {name: count for name, count in counts.items() if count != 1}


def by_hand(machine: Machine, files: Mapping[str, bytes | None]) -> None:
    """Commit files with git, as another program or another machine may."""
    for path, data in files.items():
        if data is None:
            machine.remove(path)
        else:
            machine.write(path, data)
    machine.git("add", "-A", "-f")
    machine.git("commit", "-q", "-m", "by hand")
