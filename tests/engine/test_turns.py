"""Turns: each is stored once, in order, in files that are what they say, whoever delivers them and how often."""

from __future__ import annotations

import functools
import itertools
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.conflicts import OpenConflicts
from memtree.engine.writers.many_turns import record_turns
from memtree.engine.writers.memory_file import remember
from memtree.engine.writers.notes import store_note
from memtree.engine.writers.turn_plan import Outcome, TurnRefused
from memtree.tree.agent_turn import LONGEST, AgentTurn, ToolCall
from memtree.tree.context_fence import fenced
from memtree.tree.episode import Episode, InvalidEpisode, session_folder
from memtree.tree.paths import RepoPath
from support.machines import Machine, Machines

EPISODIC = "memory_tree/content/episodic"
KEY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[Machines]:
    made = Machines(tmp_path)
    yield made
    made.close()


@pytest.fixture
def machine(machines: Machines) -> Machine:
    return machines.lonely({"notes/a.md": "apple\n"})


def turn(session: str = "s-1", number: int = 1, **changes: object) -> AgentTurn:
    made = AgentTurn(
        session, f"question {number}", f"answer {number}", 1_714_557_600_000 + number * 60_000, f"u{number}", f"p{number}"
    )
    return AgentTurn(**{name: getattr(made, name) for name in AgentTurn.__slots__} | changes)  # type: ignore[arg-type]


def episodes(machine: Machine, session: str = "s-1") -> list[Episode]:
    """The turns of a session as the branch holds them, in order; every file is a whole episode."""
    repo = machine.workspace.repo
    found = []
    for path, entry in repo.files(repo.tip(), f"{EPISODIC}/{session_folder(session)}"):
        episode = Episode.parse(path, repo.blob(entry.id))
        assert episode is not None
        assert episode.session == session
        found.append(episode)
    return found


def said(machine: Machine, session: str = "s-1") -> list[tuple[int, str, str]]:
    return [(one.seq, one.role, one.text) for one in episodes(machine, session)]


def test_a_turn_is_two_files_in_one_commit(machine: Machine) -> None:
    before = machine.workspace.repo.tip()
    report = machine.workspace.record_turn(turn())
    assert report.outcome is Outcome.STORED
    assert report.paths == (RepoPath(f"{EPISODIC}/s-1/000001.md"), RepoPath(f"{EPISODIC}/s-1/000002.md"))
    info = machine.workspace.repo.commit(machine.workspace.resolve("HEAD"))
    assert info.parents == (before,)
    assert info.trailers["writer"] == "archivist"
    assert info.trailers["session"] == "s-1"
    assert said(machine) == [(1, "user", "question 1"), (2, "assistant", "answer 1")]
    machine.workspace.record_turn(turn(number=2))
    assert [seq for seq, _, _ in said(machine)] == [1, 2, 3, 4]
    assert machine.found("question") != []
    machine.assert_sound()


def test_a_turn_delivered_twice_is_stored_once(machine: Machine) -> None:
    machine.workspace.record_turn(turn())
    tip = machine.workspace.repo.tip()
    again = machine.workspace.record_turn(turn(user="other words", timestamp=5))
    assert (again.outcome, again.paths) == (Outcome.KNOWN, ())
    assert machine.workspace.repo.tip() == tip
    assert machine.workspace.record_turn(turn("s-2")).outcome is Outcome.STORED  # the id counts within its session


def test_turns_without_an_id_are_all_stored(machine: Machine) -> None:
    for _ in range(2):
        assert machine.workspace.record_turn(turn(uuid="", prompt_uuid="")).outcome is Outcome.STORED
    assert len(said(machine)) == 4


def test_turns_keep_their_times_and_the_order_in_which_they_came(machine: Machine) -> None:
    times = [1_714_557_600_000, 1_714_557_500_000, 0, 253_402_300_799_999, None]
    for number, time in enumerate(times):
        machine.workspace.record_turn(turn(number=number, timestamp=time))
    found = episodes(machine)
    assert [one.text for one in found if one.role == "user"] == [f"question {number}" for number in range(len(times))]
    now = int(machine.workspace.options.clock() * 1000)
    assert [one.timestamp for one in found if one.role == "user"] == [now if time is None else time for time in times]


def test_an_answer_that_grew_takes_its_own_place(machine: Machine) -> None:
    machine.workspace.record_turn(turn(assistant="half", uuid="u1"))
    machine.workspace.record_turn(turn(number=2))
    grown = machine.workspace.record_turn(turn(assistant="half and whole", uuid="u1b"))
    assert (grown.outcome, grown.paths) == (Outcome.GROWN, (RepoPath(f"{EPISODIC}/s-1/000002.md"),))
    assert [text for _, _, text in said(machine)] == ["question 1", "half and whole", "question 2", "answer 2"]
    for uuid in ("u1", "u1b"):
        assert machine.workspace.record_turn(turn(assistant="late", uuid=uuid)).outcome is Outcome.KNOWN


def test_a_question_that_is_answered_later_gets_its_answer(machine: Machine) -> None:
    machine.workspace.record_turn(turn(assistant="", uuid=""))
    assert machine.workspace.record_turn(turn()).outcome is Outcome.GROWN
    assert said(machine) == [(1, "user", "question 1"), (2, "assistant", "answer 1")]


def test_an_answer_that_a_person_edited_stays_beside_the_longer_one(machine: Machine) -> None:
    machine.workspace.record_turn(turn(assistant="half"))
    path = f"{EPISODIC}/s-1/000002.md"
    machine.write(path, machine.read(path).replace(b"half", b"half, says Ada"))
    machine.save()
    machine.workspace.record_turn(turn(assistant="half and whole", uuid="u9"))
    assert [text for _, _, text in said(machine)] == ["question 1", "half, says Ada", "half and whole"]


def test_a_turn_that_a_person_deleted_stays_deleted(machine: Machine) -> None:
    for number in (1, 2):
        machine.workspace.record_turn(turn(number=number))
    for name in ("000003.md", "000004.md"):
        machine.remove(f"{EPISODIC}/s-1/{name}")
    machine.save()
    assert machine.workspace.record_turn(turn(number=2)).outcome is Outcome.KNOWN
    assert machine.workspace.record_turn(turn(number=2, assistant="longer", uuid="u2b")).outcome is Outcome.KNOWN
    machine.workspace.record_turn(turn(number=3))
    assert [seq for seq, _, _ in said(machine)] == [1, 2, 5, 6]  # a number stands for one turn for good


def test_what_is_known_is_found_again_without_the_memory_of_this_machine(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "apple\n"})
    a.workspace.record_turn(turn())
    a.workspace.sync()
    b.workspace.sync()
    assert b.workspace.record_turn(turn()).outcome is Outcome.KNOWN
    assert b.workspace.record_turn(turn(number=2)).paths[0].endswith("000003.md")


def test_two_machines_in_one_session_keep_every_turn(machines: Machines) -> None:
    a, b = machines.pair({"a.md": "apple\n"})
    a.workspace.record_turn(turn(number=1))
    b.workspace.record_turn(turn(number=2))
    for machine in (a, b, a):
        machine.workspace.sync()
    assert {text for _, _, text in said(a)} == {"question 1", "answer 1", "question 2", "answer 2"}
    assert a.workspace.repo.tip() == b.workspace.repo.tip()
    for machine in (a, b):
        assert OpenConflicts(machine.workspace.repo, machine.workspace.places.folder).all() == []
        for number in (1, 2):
            assert machine.workspace.record_turn(turn(number=number)).outcome is Outcome.KNOWN
        assert machine.workspace.record_turn(turn(number=3 + (machine is b))).paths[0].endswith("000003.md")


def test_a_file_in_the_way_is_not_overwritten(machine: Machine) -> None:
    machine.write(f"{EPISODIC}/s-1/000001.md", "mine\n")
    machine.workspace.record_turn(turn())
    assert machine.read(f"{EPISODIC}/s-1/000001.md") == b"mine\n"
    assert machine.read(f"{EPISODIC}/s-1/000002.md").endswith(b"question 1\n")


@pytest.mark.parametrize("session", ["", "  ", "\n", "\ud800", KEY, f"x {KEY}"])
def test_a_session_that_is_none_is_refused(machine: Machine, session: str) -> None:
    tip = machine.workspace.repo.tip()
    with pytest.raises((InvalidEpisode, TurnRefused)) as refused:
        machine.workspace.record_turn(turn(session))
    assert KEY not in str(refused.value)
    assert machine.workspace.repo.tip() == tip


def test_what_says_nothing_or_too_much_is_refused(machine: Machine) -> None:
    for bad in (
        turn(user="", assistant=" \n"),
        turn(user=fenced("old news"), assistant=""),
        turn(user="x" * (LONGEST + 1)),
        turn(uuid=KEY),
    ):
        with pytest.raises(TurnRefused) as refused:
            machine.workspace.record_turn(bad)
        assert KEY not in str(refused.value)


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "wörter 图书馆\n" * 60_000,
        "a\0b",
        "\ud83d half",
        "---\nsession_id: other\n---\n",
        "## Heading\n---\n# x",
        "\r\nx\r",
    ],
    ids=["long", "wide", "nul", "surrogate", "fence", "heading", "cr"],
)
def test_any_text_is_stored_as_what_was_said(machine: Machine, text: str) -> None:
    machine.workspace.record_turn(turn(user=text, assistant=text))
    stored = said(machine)
    wanted = text.replace("\0", "").replace("\ud83d", "").replace("\r\n", "\n").replace("\r", "\n").strip("\n")
    assert stored == [(1, "user", wanted), (2, "assistant", wanted)]
    machine.assert_sound()


def test_an_answer_about_conflicts_is_no_conflict(machine: Machine) -> None:
    marked = "<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n\n> [!conflict] c-12345678\n> > a\n>\n> > b"
    machine.workspace.record_turn(turn(user=marked, assistant=marked))
    machine.save()
    machine.workspace.attend_to_git()
    assert said(machine)[1][2] == marked
    assert OpenConflicts(machine.workspace.repo, machine.workspace.places.folder).all() == []


def test_no_secret_is_stored_or_kept_beside(machine: Machine) -> None:
    call = ToolCall("Bash", {"env": {"API_KEY": KEY}, "cmd": f'export TOKEN="{KEY}"'}, True, KEY)
    machine.workspace.record_turn(
        turn(user=f"use {KEY}", assistant=f"token={KEY}", tool_calls=(call,), model=KEY, source=KEY, speaker=KEY)
    )
    git = Path(machine.workspace.repo.git_folder)
    kept = b"".join(path.read_bytes() for path in (git / "memtree").rglob("*") if path.is_file())
    blobs = machine.git("cat-file", "--batch-all-objects", "--batch", "--unordered")
    assert KEY not in blobs
    assert KEY.encode() not in kept
    assert len(said(machine)) == 2


def test_threads_and_processes_share_a_session(machine: Machine) -> None:
    program = (
        "import sys; from memtree.engine.workspace import Workspace; from memtree.tree.agent_turn import AgentTurn\n"
        "w = Workspace.open(sys.argv[1])\n"
        "for n in range(4): w.record_turn(AgentTurn('s-1', f'from {sys.argv[2]} {n}', 'ok', 1000 + n, f'{sys.argv[2]}-{n}'))\n"
    )
    others = [subprocess.Popen([sys.executable, "-c", program, machine.workspace.root, name]) for name in ("one", "two")]

    def here(name: str) -> None:
        for number in range(4):
            machine.workspace.record_turn(AgentTurn("s-1", f"from {name} {number}", "ok", 1000 + number, f"{name}-{number}"))

    threads = [threading.Thread(target=here, args=(name,)) for name in ("three", "four")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [other.wait(60) for other in others] == [0, 0]
    stored = said(machine)
    assert [seq for seq, _, _ in stored] == list(range(1, 33))
    assert {text for _, role, text in stored if role == "user"} == {
        f"from {w} {n}" for w in ("one", "two", "three", "four") for n in range(4)
    }
    for first, second in zip(stored[::2], stored[1::2], strict=True):
        assert (first[1], second[1]) == ("user", "assistant")  # a turn's files stand together
    machine.assert_sound()


# -- very many


def test_many_turns_are_one_commit_and_the_same_files(machines: Machines) -> None:
    a, b = machines.lonely({"a.md": "a\n"}), machines.lonely({"a.md": "a\n"})
    turns = [turn(f"s-{number % 3}", number) for number in range(12)]
    before = a.workspace.repo.tip()
    report = record_turns(a.workspace, lambda: turns, message="import turns\n\nMemtree-Writer: import\n")
    assert (report.stored, report.grown, report.known, report.sessions) == (12, 0, 0, 3)
    assert a.workspace.repo.commit(a.workspace.resolve("HEAD")).parents == (before,)
    for one in turns:
        b.workspace.record_turn(one)
    for session in ("s-0", "s-1", "s-2"):
        assert episodes(a, session) == episodes(b, session)
    again = record_turns(a.workspace, lambda: turns, message="x")
    assert (again.known, again.commit.changed) == (12, False)
    a.assert_sound()


def test_many_turns_know_what_was_recorded_and_tell_what_cannot_be(machine: Machine) -> None:
    machine.workspace.record_turn(turn(number=1, assistant="half", uuid="u0"))
    turns = [turn(number=1), turn(number=2), turn("", 3), turn(number=2), turn(number=2, assistant="more", uuid="u2b")]
    report = record_turns(machine.workspace, lambda: turns, message="import turns\n\nMemtree-Writer: import\n")
    assert (report.stored, report.grown, report.known) == (1, 2, 1)
    assert [session for session, _ in report.refused] == [""]
    assert [text for _, _, text in said(machine)] == ["question 1", "answer 1", "question 2", "more"]


def test_many_turns_meet_one_that_is_recorded_meanwhile(machine: Machine) -> None:
    asked = 0

    def turns() -> Iterator[AgentTurn]:
        nonlocal asked
        asked += 1
        yield turn(number=1)
        if asked == 1:
            machine.workspace.record_turn(turn(number=1))
        yield turn(number=2)

    report = record_turns(machine.workspace, turns, message="import turns\n\nMemtree-Writer: import\n")
    assert asked == 2
    assert (report.stored, report.known) == (1, 1)
    assert [text for _, _, text in said(machine)] == ["question 1", "answer 1", "question 2", "answer 2"]


def test_a_dry_run_writes_nothing(machine: Machine) -> None:
    tip = machine.workspace.repo.tip()
    report = record_turns(machine.workspace, lambda: [turn()], message="x", dry_run=True)
    assert report.stored == 1
    assert machine.workspace.repo.tip() == tip
    assert record_turns(machine.workspace, lambda: [turn()], message="x").stored == 1


# -- any delivery

DELIVERIES = st.lists(
    st.tuples(
        st.sampled_from(["s", "S", "%73", "a/b", "../x", "con", "图"]),
        st.integers(1, 4),
        st.sampled_from(["", "more"]),
        st.booleans(),
    ),
    min_size=1,
    max_size=10,
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machine]:
    machines = Machines(tmp_path_factory.mktemp("turns"))
    yield machines.lonely({"a.md": "a\n"})
    machines.close()


EXAMPLES = itertools.count()


@settings(max_examples=30)
@given(DELIVERIES)
def test_in_any_order_of_delivery_each_turn_is_there_once(shared: Machine, deliveries: list[tuple[str, int, str, bool]]) -> None:
    example = next(EXAMPLES)  # sessions of its own in the one workspace
    for name, number, more, many in deliveries:
        one = turn(f"{name}{example}", number, assistant=f"answer {number}{more}", uuid=f"u{number}{more}")
        if many:
            record_turns(shared.workspace, functools.partial(list, [one]), message="x\n\nMemtree-Writer: import\n")
        else:
            shared.workspace.record_turn(one)
    for name in {name for name, *_ in deliveries}:
        mine = list(dict.fromkeys((number, more) for session, number, more, _ in deliveries if session == name))
        stored = episodes(shared, f"{name}{example}")
        assert [one.seq for one in stored] == list(range(1, len(stored) + 1))
        assert [one.text for one in stored if one.role == "user"] == [f"question {number}" for number in dict(mine)]
        longest = {number: max(more for n, more in mine if n == number) for number, _ in mine}  # an early version may come late
        assert [one.text for one in stored if one.role == "assistant"] == [f"answer {n}{more}" for n, more in longest.items()]


def test_what_is_stored_stands_in_no_message(machine: Machine) -> None:
    """A text that is forgotten, and purged, would still stand there."""
    said = "The cabin's alarm code is pelican"
    machine.workspace.record_turn(turn(user=said, assistant=said))
    remember(machine.workspace, said, section=said)
    store_note(machine.workspace, said, title=said, source="mcp")
    record_turns(machine.workspace, lambda: [turn("s-2", user=said)], message="import turns\n\nMemtree-Writer: import\n")
    assert machine.git("grep", "-c", "pelican", "HEAD").count("\n") >= 3
    assert "pelican" not in machine.git("log", "--format=%B", "HEAD")
