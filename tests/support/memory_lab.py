"""A workspace with files to ask the memory tree about: words alone count, unless a test wants meaning too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memtree.engine.memory_tree.hits import Answer, Envelope
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.workspace import Options, Workspace
from memtree.tree.paths import RepoPath
from memtree.tree.summary import Child, Sealed, Summary, namespace_of

PLAIN = 'durability = "fast"\n[embedding]\nmodel = "none"\n[search]\nmode = "text"\n'
NOW = 1_780_000_000  # 2026-05-28
DAY = 86_400


def made(folder: Path, files: Mapping[str, str], settings: str = PLAIN) -> Workspace:
    """A workspace that holds these files, committed."""
    root = folder / "w"
    for name, text in {"memtree.toml": settings, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    workspace, _ = Workspace.init(str(root), options=Options(clock=lambda: float(NOW)))
    workspace.save("start")
    return workspace


def put(workspace: Workspace, files: Mapping[str, str | None]) -> None:
    """Commit files as a program writes them; None removes one."""
    contents = {RepoPath(path): None if text is None else text.encode() for path, text in files.items()}
    workspace.write(contents, "put\n\nMemtree-Writer: cli\n")


def ask(workspace: Workspace, mode: str, **parameters: object) -> Answer:
    return run_mode(workspace, mode, parameters)


def hits(workspace: Workspace, mode: str, **parameters: object) -> Envelope:
    found = ask(workspace, mode, **parameters)
    assert isinstance(found, Envelope)
    tip = workspace.repo.tip("HEAD")
    assert all(hit.commit == tip for hit in found.hits)
    return found


def paths(found: Envelope) -> list[str]:
    return [str(hit.path) for hit in found.hits]


def note(text: str, date: str = "", title: str = "") -> str:
    """A note; `date` as `2026-03-01`."""
    head = "".join(f"{key}: {value}\n" for key, value in (("title", title), ("date", date)) if value)
    return f"---\n{head}---\n\n{text}\n" if head else f"{text}\n"


def summarised(
    workspace: Workspace,
    children: list[str],
    prose: str,
    *,
    namespace: str = "",
    source: str = "",
    level: int = 1,
    span: tuple[int, int] | None = None,
    tokens: int = 100,
) -> str:
    """Write a summary above files or other summaries as they are at HEAD; return its id."""
    tip = workspace.repo.tip("HEAD")
    found = []
    for path in children:
        entry = workspace.repo.entry(tip, path)
        assert entry is not None
        is_node = "/wiki/summaries/" in path
        found.append(Child(RepoPath(path), Path(path).stem) if is_node else Child.leaf(RepoPath(path), entry.id))
    start, end = span or (None, None)
    node = Summary(
        namespace or namespace_of(source),
        level,
        tuple(found),
        prose.split(".", maxsplit=1)[0],
        prose,
        tokens,
        Sealed.BUDGET,
        start,
        end,
        source,
    )
    workspace.write({node.path(): node.render()}, "summarise\n\nMemtree-Writer: cli\n")
    return node.node_id


def node_path(node_id: str, namespace: str, level: int = 1) -> str:
    return f"memory_tree/content/wiki/summaries/{namespace}/L{level}/{node_id}.md"
