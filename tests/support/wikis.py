"""Summary trees: leaves and nodes as values, and as files of a machine.

write(machine, *range(12))       # notes of 120 tokens or so, one a day, committed
nodes(machine)                   # the nodes on the branch, as they are read
apply(plan, nodes)               # the nodes there are once a plan was done
"""

from __future__ import annotations

from collections.abc import Iterable

from memtree.engine.wiki.drafts import Draft, Plan
from memtree.engine.wiki.leaves import Leaf
from memtree.tree.episode import iso_time
from memtree.tree.generated import Author
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Node, ReadSummary, read_summary
from support.conversations import lonely, toml
from support.gitrepo import START
from support.machines import Machine, Machines

DAY = 86_400
CONTENT = "memory_tree/content"
WORDS = b'[embedding]\nmodel = "none"\n'
SMALL = WORDS + b"[wiki]\nseal_tokens = 500\nfan_in = 2\ncalendar = false\n"
CALENDAR = WORDS + b"[wiki]\nseal_tokens = 5000\n"

ANIMALS = ("heron", "otter", "badger", "kestrel", "marten", "plover", "curlew", "weasel", "falcon", "toad", "newt", "stoat")
_SAID = (
    "The {0} came back to the river before noon and stayed for an hour.",
    "We counted {1} of them on day {2}, which is more than in any year before.",
    "Its nest number {2} lies under the old alder behind the mill.",
    "Nobody has seen a {0} at the upper weir since the flood of spring {2}.",
    "The council decided to close path {2} until the {0} has left.",
)


def said(number: int) -> str:
    """What a note says, about 100 tokens that no other one has."""
    animal = ANIMALS[number % len(ANIMALS)]
    return "\n\n".join(sentence.format(animal, number + 3, number) for sentence in _SAID)


def day(number: int, *, start: float = START - 400 * DAY) -> str:
    return iso_time(int(start + number * DAY) * 1000)[:19] + "Z"


def note(number: int, text: str = "", *, dated: bool = True) -> bytes:
    head = f"---\ndate: {day(number)}\n---\n" if dated else ""
    return f"{head}# Walk {number}\n\n{text or said(number)}\n".encode()


def walk(number: int) -> str:
    return f"walks/{number:03}.md"


def write(machine: Machine, *numbers: int, dated: bool = True) -> None:
    for number in numbers:
        machine.write(walk(number), note(number, dated=dated))
    machine.save()


def kept(machines: Machines, settings: bytes = SMALL) -> Machine:
    return lonely(machines, settings)


def pair(machines: Machines, settings: bytes = SMALL) -> tuple[Machine, Machine]:
    one, two = machines.pair({"memtree.toml": toml(settings)})
    return one.reopen(), two.reopen()


def nodes(machine: Machine, namespace: str = "") -> list[ReadSummary]:
    found = (read_summary(RepoPath(path), data) for path, data in sorted(machine.committed().items()))
    return [node for node in found if node is not None and namespace in ("", node.namespace)]


def levels(machine: Machine, namespace: str = "source-notes") -> dict[int, int]:
    """How many nodes a tree has at each level."""
    found: dict[int, int] = {}
    for node in nodes(machine, namespace):
        found[node.level] = found.get(node.level, 0) + 1
    return found


# -- as values
def leaf(name: str, *, blob: str = "0", time: int | None = None, tokens: int = 125, source: str = "notes") -> Leaf:
    return Leaf(RepoPath(f"{name}.md"), blob, source, time, tokens)


def node_of(draft: Draft) -> Node:
    """The node that comes of a draft."""
    links = "\n".join(item.path for item in draft.items)
    place = (draft.path, draft.node_id, draft.namespace, draft.level, links, draft.start, draft.end, draft.tokens, 9)
    return Node(*place, draft.sealed.value, draft.source, True, Author.EXTRACTION, True, "title", "b")


def apply(plan: Plan, there: Iterable[Node]) -> list[Node]:
    made = {node.path: node for node in map(node_of, plan.makes)}
    stays = {node.path: node for node in there if node.path not in set(plan.removes)}
    assert not made.keys() & stays.keys()
    return [*stays.values(), *made.values()]
