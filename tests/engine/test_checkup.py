"""memory_doctor: each stage that can fail, in a workspace that really is in that state; looking changes nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.retrieval.checkup import CheckUp, Failure, Stage, check_up
from memtree.indexers.query import Query
from support.machines import Machine, Machines

STAGES = ("storage", "capture", "text_index", "embeddings", "entity_graph", "queue", "models", "summary_tree", "sync")


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    found = Machines(tmp_path)
    yield found
    found.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "# One\n\nquokka\n", "notes/b.md": "two\n"})


def stage(machine: Machine, name: str) -> Stage:
    return next(one for one in check_up(machine.workspace).stages if one.stage == name)


def degraded(machine: Machine, name: str, failure: Failure) -> CheckUp:
    """What is found where one stage fails, so that answers may lack something."""
    found = check_up(machine.workspace)
    assert [(one.stage, one.failure) for one in found.stages if not one.ok] == [(name, failure)]
    assert (found.healthy, found.degraded, found.first_blocking_cause) == (False, True, failure)
    for phrase in (found.reason, found.remedy):
        assert phrase
        assert not phrase.endswith((".", "\n"))
    return found


def state(machine: Machine, *parts: str) -> Path:
    return Path(machine.path, ".git", "memtree", *parts)


def files_of(folder: str) -> dict[str, tuple[int, int]]:
    """Every file below a folder with its size and time."""
    found = {}
    for here, _, names in os.walk(folder):
        for name in names:
            info = os.lstat(os.path.join(here, name))
            found[os.path.join(here, name)] = (info.st_size, info.st_mtime_ns)
    return found


def test_a_sound_workspace_is_healthy_at_every_stage(machine: Machine) -> None:
    machine.workspace.search(Query("quokka"))
    found = check_up(machine.workspace)
    assert tuple(one.stage for one in found.stages) == STAGES
    assert [one for one in found.stages if not one.ok] == []
    assert found._replace(stages=(), counters=found.counters) == CheckUp(True, (), None, False, "", "", found.counters)
    assert (found.counters.files, found.counters.chunks, found.counters.vectors) == (2, 2, 2)
    assert (found.counters.turns_waiting, found.counters.steps_waiting, found.counters.held, found.counters.conflicts) == (
        0,
        0,
        0,
        0,
    )


def test_an_empty_workspace_is_healthy(machines: Machines) -> None:
    found = check_up(machines.lonely({}).workspace)
    assert found.healthy
    assert found.counters.files == 0


def test_looking_changes_nothing_that_was_kept(machine: Machine) -> None:
    machine.workspace.search(Query("quokka"))
    Path(machine.full("notes/c.md")).write_text("an edit that is not saved\n")
    before = files_of(machine.path)
    found = check_up(machine.workspace)
    after = files_of(machine.path)
    assert {path for path in after if after[path] != before.get(path)} <= {str(state(machine, "conflicts.json"))}  # a cache of HEAD
    assert not before.keys() - after.keys()
    assert found.healthy
    assert "1 file not saved yet" in stage(machine, "capture").note


def test_what_was_never_built_is_no_trouble_and_not_counted_as_nothing(machines: Machines) -> None:
    machine = machines.lonely({"notes/a.md": "quokka\n"})
    for name in ("index", "vectors"):
        folder = state(machine, name)
        if folder.exists():
            folder.rename(folder.with_name(f"{name}.gone"))
    machine.reopen()
    found = check_up(machine.workspace)
    assert found.healthy
    assert found.counters.chunks is None
    assert "never built" in stage(machine, "text_index").note


def test_a_damaged_journal(machine: Machine) -> None:
    state(machine, "journal").write_bytes(b"no journal")
    found = degraded(machine, "storage", Failure.STORAGE_DAMAGED)
    assert "doctor --repair" in found.remedy


def test_a_full_disk(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.statvfs(machine.path)
    full = os.statvfs_result((*real[:3], 0, 0, *real[5:]))
    monkeypatch.setattr(os, "statvfs", lambda _path: full)
    degraded(machine, "storage", Failure.DISK_FULL)


def test_a_tree_that_is_gone(machine: Machine) -> None:
    tree = machine.git("rev-parse", "HEAD:notes")
    Path(machine.path, ".git", "objects", tree[:2], tree[2:]).unlink()
    machine.reopen()
    found = check_up(machine.workspace)
    assert found.first_blocking_cause is Failure.STORAGE_DAMAGED
    assert found.counters.files is None
    assert found.degraded


def test_another_branch(machine: Machine) -> None:
    machine.git("switch", "-q", "-c", "try")
    found = degraded(machine, "capture", Failure.OFF_BRANCH)
    assert "git switch main" in found.remedy


def test_a_merge_of_the_users(machine: Machine) -> None:
    Path(machine.path, ".git", "MERGE_HEAD").write_text(f"{machine.tip}\n")
    degraded(machine, "capture", Failure.GIT_BUSY)


def test_very_many_files_gone_at_once(machines: Machines) -> None:
    machine = machines.lonely({f"notes/{n}.md": f"{n}\n" for n in range(30)})
    for n in range(30):
        os.unlink(machine.full(f"notes/{n}.md"))
    degraded(machine, "capture", Failure.MASS_DELETION)


def test_a_damaged_index(machine: Machine) -> None:
    machine.workspace.search(Query("quokka"))
    (meta,) = state(machine, "index").glob("*/meta.json")
    meta.write_text("{")
    machine.reopen()
    found = degraded(machine, "text_index", Failure.INDEX_DAMAGED)
    assert found.counters.chunks is None


def test_an_embedding_address_that_nobody_allowed(machine: Machine) -> None:
    Path(machine.full("memtree.toml")).write_text('[embedding]\nmodel = "m"\nurl = "http://127.0.0.1:9/v1"\n')
    machine.save()
    machine.reopen()
    found = degraded(machine, "embeddings", Failure.EMBEDDINGS_UNAVAILABLE)
    assert "memtree.embeddingurl" in found.remedy


def test_an_embedding_address_that_is_away(machine: Machine) -> None:
    Path(machine.full("memtree.toml")).write_text('[embedding]\nmodel = "m"\nurl = "http://127.0.0.1:9/v1"\n')
    machine.git("config", "memtree.embeddingurl", "http://127.0.0.1:9/v1")
    machine.save()
    machine.reopen()
    machine.workspace.catch_up()
    degraded(machine, "embeddings", Failure.EMBEDDINGS_BEHIND)


def test_turns_that_could_not_be_recorded(machine: Machine) -> None:
    folder = state(machine, "outbox", "failed")
    folder.mkdir(parents=True)
    (folder / "1.json").write_text("{}")
    found = degraded(machine, "queue", Failure.TURNS_FAILED)
    assert found.counters.turns_waiting == 0


def test_turns_that_nobody_records(machine: Machine) -> None:
    folder = state(machine, "outbox")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "1.json").write_text("{}")
    now = machine.workspace.options.clock()
    os.utime(folder / "1.json", (now - 60, now - 60))
    assert stage(machine, "queue").ok
    os.utime(folder / "1.json", (now - 7200, now - 7200))
    assert degraded(machine, "queue", Failure.TURNS_STUCK).counters.turns_waiting == 1


def test_steps_of_closed_conversations_that_fail(machine: Machine) -> None:
    from memtree.engine.closing.queue import PROFILE, Queue, Step

    queue = Queue(str(state(machine)))
    queue.failed(Step(PROFILE, "s-1"), "the disk was full", 0.0)
    found = degraded(machine, "queue", Failure.STEPS_FAILING)
    assert "the disk was full" in found.reason
    assert (found.counters.steps_waiting, found.counters.steps_failing) == (1, 1)


def test_a_model_that_may_not_be_asked_costs_no_passage(machine: Machine) -> None:
    text = '[embedding]\nmodel = "none"\n[models.default]\nmodel = "m"\nurl = "https://models.example.org/v1"\n'
    Path(machine.full("memtree.toml")).write_text(text)
    machine.save()
    machine.reopen()
    found = check_up(machine.workspace)
    assert (found.healthy, found.degraded, found.reason) == (False, False, "")
    assert found.first_blocking_cause is Failure.MODEL_UNAVAILABLE
    assert "memtree models allow" in stage(machine, "models").remedy


def test_a_sync_that_failed(machine: Machine, tmp_path: Path) -> None:
    machine.workspace.remotes.add("origin", str(tmp_path / "nowhere.git"))
    assert stage(machine, "sync").ok
    machine.workspace.sync_state.failed("origin", "https://ada:geheim1234@example.org refuses", 0.0)
    found = degraded(machine, "sync", Failure.SYNC_FAILED)
    assert "geheim1234" not in json.dumps([one._asdict() for one in found.stages])


def test_no_note_forges_a_line(machine: Machine) -> None:
    machine.workspace.sync_state.failed("origin", "a\nb\x1b[2Jc", 0.0)
    machine.workspace.remotes.add("origin", "/nowhere.git")
    note = stage(machine, "sync").note
    assert "\n" not in note
    assert "\x1b" not in note


def test_what_the_graph_and_the_summaries_hold_is_counted(machines: Machines) -> None:
    from memtree.engine.wiki.building import build

    machine = machines.lonely({"memory_tree/content/notes/a.md": "Ada Lovelace met Alan Turing at ada@example.org.\n"})
    before = check_up(machine.workspace).counters
    assert (before.entities, before.extraction_coverage, before.summaries) == (None, None, 0)
    assert "first question" in stage(machine, "entity_graph").note
    machine.workspace.searching.refresh_graph()
    machine.workspace.catch_up()
    build(machine.workspace)
    machine.workspace.refresh_index()
    found = check_up(machine.workspace)
    assert found.healthy
    assert found.counters.entities is not None
    assert found.counters.entities >= 3
    assert found.counters.extraction_coverage == 1.0
    assert found.counters.summaries is not None
    assert found.counters.summaries_to_refresh is not None
    assert found.counters.summaries_to_refresh <= found.counters.summaries
