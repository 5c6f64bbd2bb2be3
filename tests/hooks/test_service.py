"""The daemon at work, in this process: edits become commits, indexes follow, and whatever goes wrong is told and mended."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.daemon_lock import daemon_holder, daemon_lock
from memtree.engine.watch_settings import WatchSettings
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon import rounds
from memtree.hooks.daemon.service import AlreadyServed, Service
from memtree.hooks.daemon.state import state_from
from memtree.hooks.place import find_place
from support.served import SETTINGS, Served


def search(served: Served, *words: str, **more: Any) -> dict[str, Any]:
    asked = {"words": list(words), "limit": 10, "kinds": [], "folder": "", "since": None, "until": None, "mode": None, "cwd": None}
    found: dict[str, Any] = served.ask("search", asked | more)
    return found


def paths(found: dict[str, Any]) -> list[str]:
    return [hit[0] for hit in found["hits"]]


def test_what_is_saved_is_committed_and_found_by_itself(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.write("deep/er/zebra.md", "a zebra crossing\n")
        served.until_committed("deep/er/zebra.md", "a zebra crossing\n")
        served.until(
            lambda: served.state().index.behind == 0 and served.state().head == served.git("rev-parse", "HEAD").strip(), "indexed"
        )
        assert paths(search(served, "zebra")) == ["deep/er/zebra.md"]
        assert served.state().commits[0].writer == "editor"
        assert served.git("status", "--porcelain") == ""


def test_what_was_edited_while_nobody_served_is_committed_at_the_start(tmp_path: Path) -> None:
    served = Served(tmp_path / "w")
    served.write("note.md", "edited before\n")
    with served:
        served.until_committed("note.md", "edited before\n")


def test_a_search_finds_what_was_saved_just_before(tmp_path: Path) -> None:
    """Long before the quiet time is over."""
    with Served(tmp_path / "w", settings=SETTINGS.replace("0.05", "60").replace("0.5", "600")) as served:
        for number in range(20):
            served.write(f"n{number}.md", f"word{number}\n")
            assert paths(search(served, f"word{number}")) == [f"n{number}.md"]


def test_what_a_search_took_in_is_shown_as_any_other_commit(tmp_path: Path) -> None:
    """Also when the search after it, as of a second question, takes the news that HEAD moved."""
    with Served(tmp_path / "w", settings=SETTINGS.replace("0.05", "1").replace("0.5", "5")) as served:
        served.until_quiet()
        served.write("note.md", "zebra\n")
        served.ask("prepare")
        head = served.git("rev-parse", "HEAD").strip()
        time.sleep(0.3)  # the watcher has heard of the commit by then; if it has not, this proves less
        assert paths(search(served, "zebra")) == ["note.md"]
        served.until(lambda: served.state().head == served.state().index.commit == head, "shown")


def test_a_deletion_is_committed_once_it_has_settled(tmp_path: Path) -> None:
    with Served(tmp_path / "w", {"a.md": "a\n", "b.md": "b\n"}) as served:
        served.remove("a.md")
        served.write("b.md", "changed\n")
        served.until_committed("b.md", "changed\n")
        assert served.committed("a.md") == "a\n"
        served.until_committed("a.md", None)


def test_a_writer_s_commit_is_indexed_and_makes_no_other(tmp_path: Path) -> None:
    with Served(tmp_path / "w", settings=SETTINGS.replace("0.05", "1.5").replace("0.5", "5")) as served:  # git is quicker than that
        before = served.commits()
        served.write("mine.md", "by hand\n")
        served.git("add", "mine.md")
        served.git("commit", "-qm", "by hand")
        served.until(lambda: served.state().head == served.git("rev-parse", "HEAD").strip(), "seen")
        served.until(lambda: served.state().index.commit == served.state().head, "indexed")
        served.until_quiet()
        assert served.commits() == before + 1


def test_idle_means_no_commit(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        before = served.commits()
        os.utime(os.path.join(served.root, "note.md"))
        served.write(".note.md.swp", "swap\n")
        served.until_quiet()
        assert served.commits() == before
        assert served.events("commit") == []


def test_a_secret_is_held_and_shown(tmp_path: Path) -> None:
    secret = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
    with Served(tmp_path / "w") as served:
        served.write("token.md", f"token {secret}\n")
        served.until(lambda: served.state().held, "held")
        assert served.state().held[0].path == "token.md"
        assert served.committed("token.md") is None
        assert secret not in json.dumps(served.events())
        assert secret not in json.dumps(served.ask("state"))
        served.write("token.md", "no token\n")
        served.until_committed("token.md", "no token\n")
        served.until(lambda: not served.state().held, "let go")


def test_a_user_s_merge_is_waited_for(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        served.git("checkout", "-q", "--detach")
        served.write("note.md", "on no branch\n")
        served.until(lambda: "not committed" in served.troubles(), "told")
        assert "not committed" in " ".join(search(served, "note")["remarks"])
        assert served.committed("note.md") == "a note\n"
        served.git("stash")
        served.git("checkout", "-q", "main")
        served.git("stash", "pop")
        served.until_committed("note.md", "on no branch\n")
        served.until(lambda: not served.troubles(), "mended")
        assert search(served, "note")["remarks"] == []


def test_another_one_is_refused_and_told_who_serves(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        with pytest.raises(AlreadyServed, match="is served already by"):
            Service(served.place).run()
        assert served.ask("hello")["pid"] == os.getpid()


def test_the_settings_file_that_goes_is_told_and_its_going_is_not_committed(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.remove("memtree.toml")
        served.write("note.md", "edited without\n")
        served.until(lambda: "memtree.toml is gone" in served.troubles(), "told")
        served.git("checkout", "HEAD", "--", "memtree.toml")
        served.until_committed("note.md", "edited without\n")
        assert served.committed("memtree.toml") == SETTINGS
        served.until(lambda: "is gone" not in served.troubles(), "mended")


def test_settings_that_change_are_used_and_broken_ones_told(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.write("memtree.toml", "durability = 3\n")
        served.until(lambda: "used as they were" in served.troubles(), "told")
        served.write("memtree.toml", SETTINGS + "scan = 77\n")
        served.until(lambda: not served.troubles() and served.events("begins-again"), "begun again")
        served.write("after.md", "after\n")
        served.until_committed("after.md", "after\n")


def test_who_begins_again_keeps_the_workspace_meanwhile(tmp_path: Path) -> None:
    """Whoever ends a daemon must not take that for its end, and no other one may get in between."""
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        mark = {"pid": os.getpid(), "program": "marked", "since": 1}  # who takes the lock again signs it again
        Path(daemon_lock(served.place.state).path).write_text(json.dumps(mark))
        served.write("memtree.toml", SETTINGS + "scan = 77\n")
        served.until(lambda: len(served.events("started")) == 2, "begun again")
        holder = daemon_holder(served.place.state)
        assert holder is not None
        assert holder.program == "marked"


@pytest.mark.parametrize("rules", [".gitignore", ".git/info/exclude", "drafts/.gitignore", ".memtreeignore"])
def test_a_folder_that_is_not_ignored_any_more_is_watched(tmp_path: Path, rules: str) -> None:
    served = Served(tmp_path / "w")
    served.write(rules, "*\n" if "/." in rules else "drafts/\n")
    served.write("drafts/a.md", "a draft\n")
    with served:
        served.until_quiet()
        assert served.committed("drafts/a.md") is None
        served.write(rules, "\n")
        served.write("note.md", "edited\n")  # git's own folder is not watched: what changed there shows with the next edit
        served.until_committed("drafts/a.md", "a draft\n")
        served.write("drafts/a.md", "edited\n")
        served.until_committed("drafts/a.md", "edited\n")


def test_very_many_deletions_halt_until_a_person_decides(tmp_path: Path) -> None:
    with Served(tmp_path / "w", {f"n/{number}.md": f"{number}\n" for number in range(60)}) as served:
        before = served.commits()
        served.remove("n")
        served.until(lambda: "--allow-mass-delete" in served.troubles(), "halted")
        served.write("other.md", "waits\n")
        assert served.commits() == before
        served.git("checkout", "-q", "HEAD", "--", "n")
        served.until_committed("other.md", "waits\n")
        served.until(lambda: not served.troubles(), "mended")


def test_a_state_folder_that_is_removed_is_made_anew(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        os.rename(served.place.state, tmp_path / "away")
        served.service._rounds.soon(0)
        served.until(lambda: os.path.exists(os.path.join(served.place.state, "daemon.json")), "answering again")
        served.write("after.md", "after\n")
        served.until_committed("after.md", "after\n")
        assert paths(search(served, "after")) == ["after.md"]


def test_a_workspace_that_is_moved_can_be_served_where_it_stands_now(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        os.rename(served.root, tmp_path / "moved")
        served.until(lambda: "nothing is served" in served.troubles(), "told")
        there = find_place(str(tmp_path / "moved"))
        assert there is not None
        assert daemon_holder(there.state) is None
        assert not os.path.exists(served.root), "its place is free"
        os.rename(tmp_path / "moved", served.root)
        served.write("after.md", "after\n")
        served.until_committed("after.md", "after\n")
        served.until(lambda: not served.troubles(), "mended")


def test_edits_are_committed_while_an_index_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A first build may take minutes."""
    built = threading.Event()
    refresh = Workspace.refresh_index

    def slowly(workspace: Workspace, progress: Callable[[int], None] | None = None) -> list[str]:
        while progress is not None and not built.wait(0.01):
            progress(1)
        return refresh(workspace, progress)

    monkeypatch.setattr(Workspace, "refresh_index", slowly)
    with Served(tmp_path / "w") as served:
        try:
            served.until(lambda: served.state().doing == "indexing", "at work")
            served.write("meanwhile.md", "a quagga\n")
            served.until_committed("meanwhile.md", "a quagga\n")
        finally:
            built.set()
        served.until(lambda: served.state().index.commit == served.git("rev-parse", "HEAD").strip(), "indexed")
        assert paths(search(served, "quagga")) == ["meanwhile.md"]


def test_what_was_staged_and_is_not_any_more_is_committed(tmp_path: Path) -> None:
    served = Served(tmp_path / "w", {"a.md": "a\n", "b.md": "b\n"})
    served.write("a.md", "staged\n")
    served.git("add", "a.md")  # while nobody serves: it must be staged before it is seen
    with served:
        served.until_quiet()
        served.write("b.md", "not staged\n")
        served.until_committed("b.md", "not staged\n")
        assert served.committed("a.md") == "a\n"
        served.git("reset", "-q", "a.md")
        served.write("b.md", "again\n")
        served.until_committed("a.md", "staged\n")


def test_what_was_taken_in_ahead_of_a_search_is_said_by_it(tmp_path: Path) -> None:
    with Served(tmp_path / "w", settings=SETTINGS.replace("0.05", "60").replace("0.5", "600")) as served:
        served.until_quiet()
        served.write("n.md", "new\n")
        served.git("checkout", "-q", "--detach")
        (told,) = served.ask("prepare")
        assert "not committed" in told
        assert search(served, "new")["remarks"] == [told]


def test_the_state_travels_as_json(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.write("a.md", "a\n")
        served.until_committed("a.md", "a\n")
        served.until_quiet()
        state = state_from(json.loads(json.dumps(served.ask("state"))))
        assert state.commits == served.state().commits
        assert state.commits[0].subject == "save a.md"
        assert (state.root, state.pid, state.index.behind, state.vectors) == (served.root, os.getpid(), 0, None)


def test_it_ends_when_it_is_asked_to_and_leaves_nothing_behind(tmp_path: Path) -> None:
    before = threading.active_count()
    with Served(tmp_path / "w") as served:
        served.ask("stop")
        served._thread.join(20)
        assert not served._thread.is_alive()
    assert not os.path.exists(os.path.join(served.place.state, "daemon.json"))
    assert [event["event"] for event in served.events()][-1] == "stopped"
    served.until(lambda: threading.active_count() <= before, "without threads")


def test_the_default_times_are_those_of_the_settings() -> None:
    assert (WatchSettings().quiet, WatchSettings().maximum) == (0.5, 5.0)


def test_another_workspace_in_its_place_is_not_served(tmp_path: Path) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        os.rename(served.root, tmp_path / "moved")
        Workspace.init(served.root)[0].close()
        served._thread.join(30)
        assert [type(error).__name__ for error in served.failure] == ["AnotherWorkspace"]


def test_who_cannot_be_found_any_more_begins_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "_LOOK", 0.05)
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        os.unlink(os.path.join(served.place.state, "daemon.json"))
        served.until(lambda: os.path.exists(os.path.join(served.place.state, "daemon.json")), "listening again")
        served.until_quiet()
