"""Where a daemon would answer otherwise than a command, or not at all, it says so at once: the command does the work itself."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.asked import Asked, answer
from memtree.engine.settings import InvalidSettings
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon import serving as serving_module
from memtree.hooks.daemon.searching import ask_daemon
from memtree.hooks.daemon.serving import Serving
from support.served import SETTINGS, Served

LATE = SETTINGS.replace("0.05", "60").replace("0.5", "600")  # nothing is done by itself


@pytest.fixture
def servings(monkeypatch: pytest.MonkeyPatch) -> list[Serving]:
    """What served, in its order."""
    found: list[Serving] = []
    begin = Serving.start

    def start(self: Serving) -> None:
        found.append(self)
        begin(self)

    monkeypatch.setattr(Serving, "start", start)
    return found


def found(served: Served, word: str) -> list[str] | None:
    answered = ask_daemon(served.place, Asked((word,)))
    return None if answered is None else [hit.path for hit in answered.hits]


def found_alone(served: Served, word: str) -> list[str]:
    with Workspace.open(served.root) as workspace:
        return [hit.path for hit in answer(workspace, Asked((word,))).hits]


@pytest.mark.parametrize("changed", ['capture = ["only/"]\n' + LATE, LATE + '[search]\nmode = "text"\n'])
def test_settings_saved_just_before_are_those_of_the_search(tmp_path: Path, changed: str) -> None:
    with Served(tmp_path / "w", settings=LATE) as served:
        assert found(served, "note") == ["note.md"]
        served.write("memtree.toml", changed)
        assert found(served, "note") in (None, found_alone(served, "note"))
        served.until(lambda: served.events("begins-again") and found(served, "note") is not None, "begun again")
        assert found(served, "note") == found_alone(served, "note")


@pytest.mark.parametrize("broken", ["durability = 3\n", 'capture = ["!"]\n', "[watch]\nquiet = 0\n"])
def test_broken_settings_break_a_search_as_they_do_without_a_daemon_and_the_daemon_goes_on(tmp_path: Path, broken: str) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()
        served.write("memtree.toml", broken)
        assert found(served, "note") is None
        with pytest.raises(InvalidSettings):
            found_alone(served, "note")
        served.until(lambda: "used as they were" in served.troubles(), "told")
        served.write("after.md", "an edit\n")
        served.until_committed("after.md", "an edit\n")
        served.write("memtree.toml", SETTINGS)
        served.until(lambda: found(served, "edit") == ["after.md"] and not served.troubles(), "mended")


def test_a_key_that_only_the_asker_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MEMTREE_TEST_KEY", raising=False)
    with Served(
        tmp_path / "w", settings=SETTINGS.replace('model = "none"', 'model = "none"\nkey_env = "MEMTREE_TEST_KEY"')
    ) as served:
        assert found(served, "note") is None
        monkeypatch.setenv("MEMTREE_TEST_KEY", "here")
        assert found(served, "note") == ["note.md"]


def test_a_daemon_that_is_busy_says_so_and_ends_while_it_is(
    tmp_path: Path, servings: list[Serving], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving_module, "_LEAVING", 0.2)
    go, busy = threading.Event(), threading.Event()

    def long() -> None:
        with servings[-1].workspace.searching.turn:  # as while a first index is built
            busy.set()
            go.wait(60)

    with Served(tmp_path / "w") as served:
        served.until_quiet()
        holder = threading.Thread(target=lambda: servings[-1].work(long))
        holder.start()
        assert busy.wait(100)
        assert found(served, "note") is None
        assert found_alone(served, "note") == ["note.md"]
        served.service.stop()
        served._thread.join(10)
        assert not served._thread.is_alive()
        go.set()
        holder.join(10)


def test_a_file_that_is_tracked_in_a_folder_that_is_ignored(tmp_path: Path) -> None:
    served = Served(tmp_path / "w", {".gitignore": "drafts/\n", "drafts/a.md": "a draft\n"})
    served.git("add", "-f", "drafts/a.md")
    served.git("commit", "-qm", "all the same")
    with served:
        served.until_quiet()
        served.write("drafts/a.md", "a zebra\n")
        assert found(served, "zebra") == found_alone(served, "zebra") == ["drafts/a.md"]


def test_what_fails_unexpectedly_is_told_and_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    take, left = serving_module.take_turn, [2]

    def failing(*words: Any, **more: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise KeyError("zebra")
        return take(*words, **more)

    with Served(tmp_path / "w", settings=LATE) as served:
        served.until_quiet()
        monkeypatch.setattr(serving_module, "take_turn", failing)
        served.write("a.md", "a zebra\n")
        assert found(served, "zebra") is None
        assert "memtree daemon logs" in served.troubles()
        assert "zebra" not in served.troubles()
        assert found(served, "zebra") is None
        assert found(served, "zebra") == ["a.md"], "though nothing was told of since"
        served.until(lambda: not served.troubles(), "mended")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_worker_that_ends_keeps_nobody_waiting_and_all_begins_again(tmp_path: Path, servings: list[Serving]) -> None:
    with Served(tmp_path / "w") as served:
        served.until_quiet()

        def ended() -> Any:
            raise SystemExit  # what nothing in the worker expects

        servings[-1]._take = ended  # type: ignore[method-assign]
        servings[-1].moved()
        served.until(lambda: len(servings) > 1, "begun again")
        served.until(lambda: found(served, "note") == ["note.md"], "answering")
