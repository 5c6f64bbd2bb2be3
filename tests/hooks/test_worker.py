"""The worker: what agents' programs did becomes turns, each once, whenever and however often it is told."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.outbox_state import OutboxStatus, outbox_status
from memtree.engine.retrieval.context import load_context
from memtree.engine.workspace import Options, Workspace
from memtree.hooks.daemon.server import Server
from memtree.hooks.outbox import TRIES
from memtree.hooks.worker import Worker
from memtree.tree.context_fence import fenced
from support.agent_transcripts import ClaudeTranscript, CodexRollout, Tool
from support.hooked import SETTINGS, Hooked


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w")


def talk_of(turns: int, session: str = "") -> ClaudeTranscript:
    talk = ClaudeTranscript(session) if session else ClaudeTranscript()
    for number in range(turns):
        talk.prompt(f"Question {number}?").assistant(f"Answer {number}.")
    return talk


def asked(*numbers: int) -> list[tuple[str, str]]:
    return [turn for number in numbers for turn in (("user", f"Question {number}?"), ("assistant", f"Answer {number}."))]


def stop(hooked: Hooked, talk: ClaudeTranscript, home: Path, **fields: Any) -> Path:
    path = talk.write_below(home)
    hooked.tell("claude-code", talk.hook("Stop", path, stop_hook_active=False, **fields))
    return path


@contextlib.contextmanager
def held(lock: str) -> Iterator[None]:
    """Another process that holds a lock."""
    code = "import sys\nfrom memtree.engine.locks import WriteLock\nwith WriteLock(sys.argv[1]).held(): print(1); sys.stdin.read()"
    words = (sys.executable, "-u", "-c", code, lock)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        holder.stdout.readline()
        yield
        holder.stdin.close()


def test_a_turn_is_recorded_with_what_the_agent_did(hooked: Hooked, tmp_path: Path) -> None:
    talk = (
        ClaudeTranscript()
        .prompt("Which port?")
        .assistant("It is 8443.", tools=[Tool("Bash", {"command": "grep port"}, "x", failed=True)])
    )
    stop(hooked, talk, tmp_path, last_assistant_message="It is 8443.")
    done = hooked.work()
    assert (done.entries, done.turns, done.waiting, done.failed, done.busy) == (1, 1, 0, 0, False)
    assert hooked.turns() == [("user", "Which port?"), ("assistant", "It is 8443.")]
    answer = list(hooked.episodes())[1]
    assert answer.source == "claude-code"
    assert (
        "lesson: 'Tools that failed in this turn: Bash'" in answer.extra or "Tools that failed in this turn: Bash" in answer.extra
    )
    assert hooked.outbox.names() == []


def test_what_is_told_again_is_known(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(2)
    for name in ("Stop", "Stop", "PreCompact", "SessionEnd"):
        hooked.tell("claude-code", talk.hook(name, talk.write_below(tmp_path)))
    assert hooked.work().turns == 2
    talk.prompt("Question 2?").assistant("Answer 2.")
    stop(hooked, talk, tmp_path)
    assert hooked.work().turns == 1
    assert hooked.turns() == asked(0, 1, 2)


def test_a_long_talk_that_was_never_seen_is_one_commit(hooked: Hooked, tmp_path: Path) -> None:
    stop(hooked, talk_of(12), tmp_path)
    with Workspace.open(hooked.root) as workspace:
        before = workspace.repo.tip()
        assert hooked.work().turns == 12
        tip = workspace.repo.tip()
        assert tip is not None
        assert workspace.repo.commit(tip).parents == (before,)
    assert hooked.turns() == asked(*range(12))


def test_an_answer_grows_in_place(hooked: Hooked, tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("Which port?").assistant("Let me look.", tools=[Tool("Bash", {"command": "ls"})])
    hooked.tell("claude-code", talk.hook("PreCompact", talk.write_below(tmp_path)))
    hooked.work()
    assert hooked.turns() == [("user", "Which port?"), ("assistant", "Let me look.")]
    talk.assistant("It is 8443.")
    stop(hooked, talk, tmp_path)
    hooked.work()
    assert hooked.turns() == [("user", "Which port?"), ("assistant", "Let me look.\n\nIt is 8443.")]


def test_resumed_and_compacted_talks_go_on(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1)
    stop(hooked, talk, tmp_path)
    hooked.work()
    hooked.tell("claude-code", talk.hook("PreCompact", talk.write_below(tmp_path), trigger="auto"))
    talk.compact("Summary that nobody said.")
    path = talk.write_below(tmp_path)
    hooked.tell("claude-code", talk.hook("SessionStart", path, source="compact"))
    hooked.tell("claude-code", talk.hook("SessionStart", path, source="resume"))
    talk.prompt("Question 1?").assistant("Answer 1.")
    stop(hooked, talk, tmp_path)
    hooked.work()
    assert hooked.turns() == asked(0, 1)


def test_what_memory_and_machines_said_is_not_recorded(hooked: Hooked, tmp_path: Path) -> None:
    Path(hooked.root, "MEMORY.md").write_text("- Staging runs on port 8443.\n", encoding="utf-8")
    with Workspace.open(hooked.root) as workspace:
        workspace.save("a fact")
    talk = ClaudeTranscript()
    told = json.loads(hooked.tell("claude-code", talk.hook("SessionStart", "/h/none.jsonl", source="startup")).output)
    context = told["hookSpecificOutput"]["additionalContext"]
    assert "8443" in context
    talk.attachment(context).prompt(f"Question 0?\n{context}").sidechain("Sub question", "Sub answer").assistant("Answer 0.")
    talk.machine("<task-notification>done</task-notification>").system().noise()
    stop(hooked, talk, tmp_path)
    hooked.work()
    assert hooked.turns() == asked(0)


def test_a_prompt_without_an_answer_waits_until_the_session_ends(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1).prompt("Question 1?")
    hooked.tell("claude-code", talk.hook("PreCompact", talk.write_below(tmp_path)))
    hooked.work()
    assert hooked.turns() == asked(0)
    hooked.tell("claude-code", talk.hook("SessionEnd", talk.write_below(tmp_path), reason="other"))
    hooked.work()
    assert hooked.turns() == asked(0, 1)[:3]


# -- transcripts that come late, or never


def test_the_worker_waits_for_what_the_agent_has_not_written_yet(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1).prompt("Question 1?")
    path = stop(hooked, talk, tmp_path, last_assistant_message="Answer 1.")
    whole = talk.assistant("Answer 1.").data
    waited: list[float] = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        if len(waited) == 3:
            path.write_bytes(whole)

    around = hooked.around()
    Worker(hooked.place, type(around)(around.environment, None, around.clock, sleep)).run()
    assert len(waited) == 3
    assert hooked.turns() == asked(0, 1)


def test_an_answer_that_never_comes_is_taken_from_the_event_and_replaced_when_it_does(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1).prompt("Question 1?")
    stop(hooked, talk, tmp_path, last_assistant_message="Answer 1.")
    hooked.work()
    assert 2.0 <= hooked.slept < 3.0
    assert hooked.turns() == asked(0, 1)
    before = hooked.slept
    talk.assistant("Answer 1.")
    stop(hooked, talk, tmp_path, last_assistant_message="Answer 1.")
    hooked.work()
    assert hooked.slept == before
    assert hooked.turns() == asked(0, 1)


def test_a_late_event_is_not_taken_for_an_answer_to_a_later_prompt(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1)
    event = talk.hook("Stop", talk.write_below(tmp_path), last_assistant_message="More of answer 0.")
    hooked.time = 1_767_603_602_000_000_000  # before the next prompt
    hooked.tell("claude-code", event)
    talk.noise().prompt("Question 1?").assistant("Answer 1.").write_below(tmp_path)
    hooked.work()
    assert hooked.turns() == [*asked(0)[:1], ("assistant", "Answer 0.\n\nMore of answer 0."), *asked(1)]


def test_a_cut_transcript_is_read_as_far_as_it_goes(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(2)
    path = stop(hooked, talk, tmp_path)
    path.write_bytes(talk.data[:-30])
    hooked.work()
    assert hooked.turns()[:2] == asked(0)
    path.write_bytes(talk.data)
    stop(hooked, talk, tmp_path)
    hooked.work()
    assert hooked.turns() == asked(0, 1)


def test_a_missing_transcript_is_put_aside_in_the_end_and_tried_again_on_request(hooked: Hooked, tmp_path: Path) -> None:
    talk = talk_of(1)
    path = talk.write_below(tmp_path)
    content = path.read_bytes()
    path.unlink()
    hooked.tell("claude-code", talk.hook("Stop", path))
    for number in range(TRIES):
        assert hooked.outbox.names() != []
        assert hooked.work().failed == (number == TRIES - 1)
    assert outbox_status(hooked.place.state) == OutboxStatus(failed=1)
    assert "no such file" in hooked.log.lower()
    path.write_bytes(content)
    assert hooked.work(again=True).turns == 1
    assert outbox_status(hooked.place.state) == OutboxStatus()


def test_what_an_event_says_is_recorded_where_there_is_no_transcript(hooked: Hooked) -> None:
    talk = CodexRollout()
    hooked.tell("codex", talk.hook("UserPromptSubmit", None, prompt="Question 0?", turn_id="t0"))
    hooked.work()
    assert hooked.turns() == asked(0)[:1]
    for _ in range(2):
        hooked.tell("codex", talk.hook("Stop", None, last_assistant_message="Answer 0.", turn_id="t0"))
    hooked.tell("codex", talk.hook("UserPromptSubmit", None, prompt="Question 1?", turn_id="t1"))
    hooked.tell("codex", talk.hook("Stop", None, last_assistant_message="Answer 1.", turn_id="t1"))
    notice = {"type": "agent-turn-complete", "thread-id": talk.session, "turn-id": "t1"}
    notice |= {"input-messages": ["Question 1?"], "last-assistant-message": "Answer 1."}
    hooked.tell("codex", None, words=(json.dumps(notice),))
    hooked.work()
    assert hooked.turns() == asked(0, 1)


def test_codex_turns_come_from_its_rollout_which_a_notice_does_not_name(hooked: Hooked, tmp_path: Path) -> None:
    talk = CodexRollout().prompt("Question 0?").assistant("Answer 0.", tools=[Tool("exec_command", {"cmd": "ls"})])
    path = talk.write_below(tmp_path / "home" / ".codex")
    notice = {"type": "agent-turn-complete", "thread-id": talk.session, "turn-id": talk.turn}
    notice |= {"input-messages": ["Question 0?"], "last-assistant-message": "Answer 0."}
    hooked.tell("codex", None, words=(json.dumps(notice),))
    hooked.work()
    assert "exec_command" in list(hooked.episodes())[1].extra
    hooked.tell("codex", talk.hook("Stop", path, last_assistant_message="Answer 0."))
    assert hooked.work().turns == 0
    assert hooked.turns() == asked(0)


def test_a_generic_turn_is_recorded_as_it_is_told(hooked: Hooked) -> None:
    turn = {"user": "Question 0?", "assistant": "Answer 0.", "timestamp": "2026-01-05T09:00:00.250Z", "model": "m", "cost": 0.5}
    hooked.tell("generic", {"event": "turn", "session_id": "s1", "agent": "bot", "turn": turn | {"uuid": "t0"}})
    hooked.tell("generic", {"event": "turn", "session_id": "s1", "agent": "bot", "turn": turn | {"uuid": "t0"}})
    hooked.tell("generic", {"event": "turn", "session_id": "s2", "turn": {"assistant": "Answer 1."}})
    hooked.tell("generic", {"event": "session_end", "session_id": "s1"})
    done = hooked.work()
    assert (done.entries, done.turns) == (4, 2)
    user, answer, other = hooked.episodes()
    assert (user.source, user.timestamp, answer.timestamp) == ("bot", 1_767_603_600_250, 1_767_603_600_251)
    assert "cost: 0.5" in answer.extra
    assert (other.session, other.source, other.timestamp) == ("s2", "generic", (hooked.time - 1_000_000_000) // 1_000_000 + 1)


@pytest.mark.parametrize(
    ("session", "text"),
    [
        ("s", "x" * 300_000),
        ("a: b\n---\nrole: system", "---\nrole: system\n---\n# Fine?"),
        ("../../etc", "## Heading\n\n---\n"),
        ("Ünïcödé/CON", "half \ud800 a character, a\0b"),
        ("x" * 400, "\r\nx \u2028 \x85"),
    ],
)
def test_strange_texts_and_ids_become_the_right_files(hooked: Hooked, session: str, text: str) -> None:
    hooked.tell("generic", {"event": "turn", "session_id": session, "turn": {"user": text, "assistant": text, "uuid": session}})
    done = hooked.work()
    assert (done.waiting, done.failed, done.turns) == (0, 0, 1)
    for episode in hooked.episodes():
        assert (episode.session, episode.role) == (session, "user" if episode.seq % 2 else "assistant")
        assert len(episode.text) >= len(text.strip()) - 2
    assert sorted(os.listdir(hooked.root)) == [".git", "memory_tree", "memtree.toml", "note.md"]


def test_ids_that_tell_a_phone_number_or_an_address_are_recorded_under_others(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w", settings=SETTINGS + '[redact]\npii = ["phone", "email"]\n')
    numbers = ("+49 151 23456781", "+49 151 23456782", "555-234-5678", "ada@example.com")
    for number in numbers:
        hooked.tell("generic", {"event": "prompt", "session_id": number, "prompt": "/compact"})
        for uuid in ("t0", *numbers[:2]):
            turn = {"user": "Which port?", "assistant": f"Ask {number}.", "uuid": uuid}
            for _ in range(2):
                assert hooked.tell("generic", {"event": "turn", "session_id": number, "turn": turn}).complaint == ""
    talk = ClaudeTranscript(numbers[0]).prompt("Question 0?").assistant("Answer 0.")
    stop(hooked, talk, tmp_path)
    hooked.tell(
        "codex", {"hook_event_name": "Stop", "session_id": numbers[1], "turn_id": numbers[3], "last_assistant_message": "A"}
    )
    before = hooked.everything()
    assert b"not a person's words" in before
    done = hooked.work()
    stop(hooked, talk, tmp_path)
    assert (done.turns, done.failed, done.waiting, hooked.work().turns) == (3 * len(numbers) + 2, 0, 0, 0)
    assert len({episode.session for episode in hooked.episodes()}) == len(numbers)
    for found in (before, hooked.everything()):
        # Where a transcript lies is only in the outbox, as long as it waits.
        plain = found.replace(os.fsencode(talk.session + ".jsonl"), b"")
        written = (number.replace(" ", space) for number in numbers for space in (" ", "_", "%20"))
        assert not [number for number in written if number.encode() in plain]
    with Workspace.open(hooked.root) as workspace:
        told = load_context(workspace, session=numbers[0], now=hooked.time / 1e9)
        assert "Question 0?" not in told.text
        assert "Question 0?" in load_context(workspace, session="s", now=hooked.time / 1e9).text


# -- trouble


def test_a_busy_workspace_is_tried_again_and_the_rest_of_the_session_stays_in_order(hooked: Hooked) -> None:
    for number in range(2):
        turn = {"user": f"Question {number}?", "assistant": f"Answer {number}."}
        hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": turn})
    with Workspace.open(hooked.root) as workspace, held(workspace.places.write_lock):
        done = hooked.work(Options(lock_timeout=0.01))
    assert (done.entries, done.waiting, done.failed) == (0, 2, 0)
    assert hooked.slept > 5  # it waited a while by itself
    assert [entry.failures for name in hooked.outbox.names() if (entry := hooked.outbox.read(name))] == [0, 0]
    assert hooked.work().turns == 2
    assert hooked.turns() == asked(0, 1)


def test_another_branch_keeps_turns_waiting(hooked: Hooked) -> None:
    git = ("git", "-C", hooked.root)
    subprocess.run((*git, "checkout", "-q", "-b", "other"), check=True)
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": "Question 0?", "assistant": "Answer 0."}})
    for _ in range(TRIES + 1):
        done = hooked.work()
        assert (done.waiting, done.failed) == (1, 0)
    subprocess.run((*git, "checkout", "-q", "main"), check=True)
    assert hooked.work().turns == 1


def test_an_entry_that_cannot_be_recorded_does_not_stop_the_others(hooked: Hooked, tmp_path: Path) -> None:
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": fenced("only ours")}})
    Path(hooked.outbox.folder, "00000000000000000001-x.json").write_text("{", encoding="utf-8")
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": "Question 0?", "assistant": "Answer 0."}})
    done = hooked.work()
    assert (done.turns, done.failed, done.waiting) == (1, 1, 1)
    for _ in range(TRIES - 1):
        hooked.work()
    assert outbox_status(hooked.place.state) == OutboxStatus(failed=2)
    assert hooked.turns() == asked(0)
    assert "only ours" not in hooked.log


def test_broken_settings_keep_everything_waiting(hooked: Hooked) -> None:
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": "Question 0?", "assistant": "Answer 0."}})
    good = Path(hooked.root, "memtree.toml").read_text(encoding="utf-8")
    Path(hooked.root, "memtree.toml").write_text("[hooks]\nsync = 3\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"hooks\.sync must be true or false"):
        hooked.work()
    Path(hooked.root, "memtree.toml").write_text(good, encoding="utf-8")
    assert hooked.work().turns == 1


# -- what follows


def test_edits_are_captured_and_the_index_is_current(hooked: Hooked) -> None:
    Path(hooked.root, "note.md").write_text("Staging uses port 9443 now.\n", encoding="utf-8")
    hooked.tell("claude-code", ClaudeTranscript().hook("SessionStart", "/h/none.jsonl", source="startup"))
    hooked.work()
    with Workspace.open(hooked.root) as workspace:
        assert workspace.index().position() == workspace.repo.tip()
        assert workspace.repo.blob(workspace.repo.entry(workspace.repo.tip(), "note.md").id) == b"Staging uses port 9443 now.\n"  # type: ignore[union-attr]
    prompt = {"event": "prompt", "session_id": "s", "prompt": "staging port"}
    assert "9443" in hooked.tell("generic", prompt).output


@pytest.mark.parametrize("wanted", [True, False])
def test_a_session_begins_and_ends_with_a_sync(tmp_path: Path, wanted: bool) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(remote)), check=True)
    hooked = Hooked(tmp_path / "w", settings=SETTINGS + f"[hooks]\nsync = {str(wanted).lower()}\n")
    with Workspace.open(hooked.root) as workspace:
        workspace.remotes.add("origin", str(remote))
    turn = {"event": "turn", "session_id": "s", "turn": {"user": "Question 0?", "assistant": "Answer 0."}}
    hooked.tell("generic", turn)
    assert hooked.work().synced is False
    hooked.tell("generic", {"event": "session_end", "session_id": "s"})
    assert hooked.work().synced is wanted
    heads = subprocess.run(("git", "-C", str(remote), "rev-parse", "-q", "--verify", "main"), capture_output=True, check=False)
    assert (heads.returncode == 0) is wanted


def test_a_sync_is_left_to_a_daemon(tmp_path: Path, hooked: Hooked) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(remote)), check=True)
    asked: list[dict[str, object]] = []
    server = Server(hooked.place, {"sync": lambda params, _progress: asked.append(params)})
    server.start()
    try:
        hooked.tell("generic", {"event": "session_end", "session_id": "s"})
        assert hooked.work().synced is False
        assert asked == []  # there is no remote to sync with
        with Workspace.open(hooked.root) as workspace:
            workspace.remotes.add("origin", str(remote))
        hooked.tell("generic", {"event": "session_end", "session_id": "s"})
        assert hooked.work().synced is False
        assert asked == [{}]
        assert os.listdir(remote / "refs" / "heads") == []
    finally:
        server.stop()
    hooked.tell("generic", {"event": "session_end", "session_id": "s"})
    assert hooked.work().synced is True


def test_a_daemon_that_cannot_sync_is_no_reason_not_to(tmp_path: Path, hooked: Hooked) -> None:
    remote = tmp_path / "remote.git"
    subprocess.run(("git", "init", "-q", "--bare", "-b", "main", str(remote)), check=True)
    with Workspace.open(hooked.root) as workspace:
        workspace.remotes.add("origin", str(remote))
    server = Server(hooked.place, {})
    server.start()
    try:
        hooked.tell("generic", {"event": "session_end", "session_id": "s"})
        assert hooked.work().synced is True
    finally:
        server.stop()


def test_a_remote_that_is_away_is_only_logged(tmp_path: Path, hooked: Hooked) -> None:
    with Workspace.open(hooked.root) as workspace:
        workspace.remotes.add("origin", str(tmp_path / "gone.git"))
    hooked.tell("generic", {"event": "session_start", "session_id": "s"})
    done = hooked.work()
    assert (done.entries, done.waiting, done.synced) == (1, 0, False)
    assert "not synced" in hooked.log


def test_who_comes_while_another_works_goes_away_at_once(hooked: Hooked) -> None:
    hooked.tell("generic", {"event": "session_start", "session_id": "s"})
    with held(hooked.outbox.lock):
        done = hooked.work()
    assert (done.busy, done.entries, done.waiting) == (True, 0, 1)


def test_what_comes_while_a_worker_is_at_it_is_not_left(hooked: Hooked, tmp_path: Path) -> None:
    """Each event comes at a moment when the worker waits for a transcript: its own worker would find the lock taken."""
    talk = talk_of(1).prompt("Question 1?")
    stop(hooked, talk, tmp_path, last_assistant_message="Answer 1.")
    late = iter(range(3))

    def sleep(_seconds: float) -> None:
        hooked.slept += 1
        if (number := next(late, None)) is not None:
            turn = {"user": f"Other {number}?", "assistant": "x"}
            hooked.tell("generic", {"event": "turn", "session_id": f"s{number}", "turn": turn})

    around = hooked.around()
    done = Worker(hooked.place, type(around)(around.environment, None, around.clock, sleep)).run()
    assert done.waiting == 0
    assert {text for role, text in hooked.turns() if role == "user"} >= {f"Other {number}?" for number in range(2)}
