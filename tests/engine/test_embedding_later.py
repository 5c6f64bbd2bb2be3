"""A slow model keeps nobody waiting: what is saved is found by its words at once, and by its meaning when it has been read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine import meaning
from memtree.engine.doctor import examine
from memtree.engine.status import vector_status
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon.embedding import EmbeddingThread
from memtree.hooks.place import find_place
from memtree.hooks.surroundings import Surroundings
from memtree.indexers import minilm_model
from memtree.indexers.embedder import EmbedderUnavailable
from memtree.indexers.query import Mode, Query
from support.cli import memtree
from support.hash_embedder import HashContextEmbedder

NOTES = {f"note{number}.md": f"# Note {number}\n\nThe quokka number {number} sleeps.\n" for number in range(12)}
ROOM = 100.0  # seconds; what takes so long does not happen


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with notes, whose model is replaced by a quick one that is never waited for."""
    monkeypatch.setattr(minilm_model, "MiniLmEmbedder", HashContextEmbedder)
    monkeypatch.setattr(meaning, "_PATIENCE", -1.0)
    workspace, _ = Workspace.init(str(tmp_path / "w"))
    workspace.close()
    toml = tmp_path / "w" / "memtree.toml"
    text = toml.read_text().replace('durability = "full"', 'durability = "fast"')
    toml.write_text(f'{text}[embedding]\nmodel = "minilm"\n')
    for name, text in NOTES.items():
        (tmp_path / "w" / name).write_text(text)
    return tmp_path / "w"


@pytest.fixture
def workspace(root: Path) -> Iterator[Workspace]:
    with Workspace.open(str(root)) as workspace:
        yield workspace


def waiting(notes: tuple[str, ...]) -> list[str]:
    return [note for note in notes if "passages are embedded" in note]


def test_a_search_finds_by_words_what_waits_and_says_so(workspace: Workspace) -> None:
    report = workspace.search(Query("quokka 7"))
    assert report.hits[0].path == "note7.md"
    (note,) = waiting(report.notes)
    assert note.startswith("0 of ")
    assert "memtree reindex" in note
    assert workspace.search(Query("quokka 7", mode=Mode.VECTOR)).hits == ()


def test_when_it_was_read_meaning_answers_and_nothing_is_said(workspace: Workspace) -> None:
    workspace.search(Query("quokka"))
    steps: list[int] = []
    assert workspace.searching.embed_rest(steps.append)
    assert steps == sorted(steps)
    assert steps[-1] >= len(NOTES)
    report = workspace.search(Query("quokka number 7 sleeps", mode=Mode.VECTOR))
    assert len(report.hits) == 10
    assert waiting(report.notes) == []
    assert not workspace.searching.embed_rest()


def test_slices_go_on_where_the_last_one_ended(workspace: Workspace) -> None:
    workspace.search(Query("quokka"))
    left = [workspace.searching.embed_pending(-1.0) for _ in range(3)]
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def test_status_doctor_and_reindex_tell_how_far_it_is(root: Path, workspace: Workspace) -> None:
    workspace.search(Query("quokka"))
    found = vector_status(workspace)
    assert found is not None
    assert (found.current, found.pending) == (True, found.passages)
    assert f"0 of {found.passages} passages are embedded" in memtree("status", cwd=root).out
    assert memtree("status", "--json", cwd=root).json["vectors"]["pending"] == found.pending
    (finding,) = [one for one in examine(workspace) if "passages are embedded" in one.message]
    assert finding.repairable
    examine(workspace, repair=True)
    assert vector_status(workspace) == found.__class__(found.commit, current=True)
    assert memtree("reindex", "--json", cwd=root).json["notes"] == []
    assert "vectors    up to date" in memtree("status", cwd=root).out


def test_reindex_embeds_all(root: Path) -> None:
    outcome = memtree("reindex", "--json", cwd=root)
    assert outcome.code == 0
    assert waiting(tuple(outcome.json["notes"])) == []
    assert "vectors    up to date" in memtree("status", cwd=root).out


def test_a_model_that_fails_in_between_keeps_what_it_read(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace.search(Query("quokka"))
    embedder = workspace.searching.meaning().embedder
    assert isinstance(embedder, HashContextEmbedder)
    embedder.fail_after = 10
    with pytest.raises(EmbedderUnavailable):
        workspace.searching.embed_pending()
    assert embedder.seen
    workspace.searching.embed_rest()
    embedder.fail_after = None
    workspace.searching.embed_rest()
    assert len(embedder.seen) == len(set(embedder.seen))
    assert not workspace.searching.meaning().has_pending()


def test_the_default_model_leaves_nothing_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meaning, "_PATIENCE", -1.0)
    made, _ = Workspace.init(str(tmp_path / "w"))
    with made:
        (tmp_path / "w" / "note.md").write_text("# Note\n\nA quokka.\n")
        assert waiting(made.search(Query("quokka")).notes) == []
        assert not made.searching.meaning().has_pending()


class _Log:
    def __init__(self) -> None:
        self.kinds: list[str] = []

    def event(self, kind: str, /, **facts: object) -> None:
        self.kinds.append(kind)


def thread_for(root: Path, log: _Log) -> tuple[EmbeddingThread, threading.Event]:
    place = find_place(str(root))
    assert place is not None
    done = threading.Event()
    return EmbeddingThread(place, Surroundings(), log, done.set), done


def test_a_daemon_goes_on_by_itself(root: Path, workspace: Workspace) -> None:
    workspace.search(Query("quokka"))
    log = _Log()
    thread, done = thread_for(root, log)
    thread.start()
    try:
        assert done.wait(ROOM)
        assert not workspace.searching.meaning().has_pending()
        done.clear()
        (root / "late.md").write_text("# Late\n\nA heron.\n")
        workspace.search(Query("heron"))
        assert workspace.searching.meaning().has_pending()
        thread.changed()
        assert done.wait(ROOM)
        assert not workspace.searching.meaning().has_pending()
    finally:
        thread.stop()
    assert log.kinds == []


def test_a_daemon_whose_model_fails_says_so_and_ends_when_it_should(root: Path, workspace: Workspace) -> None:
    workspace.search(Query("quokka"))
    told = threading.Event()

    class Failing(_Log):
        def event(self, kind: str, /, **facts: object) -> None:
            super().event(kind, **facts)
            told.set()

    log = Failing()
    thread, done = thread_for(root, log)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(HashContextEmbedder, "embed", _away)
        thread.start()
        assert told.wait(ROOM)
        thread.stop()
    assert log.kinds == ["embedding-failed"]
    assert not done.is_set()
    assert workspace.searching.meaning().has_pending()


def _away(*_: object) -> None:
    raise EmbedderUnavailable("the model is away")
