"""Serving a hook: what is answered, what is spooled, and that nothing whatever stops the agent."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memtree.engine.settings import FILE_NAME
from memtree.engine.workspace import NotAWorkspace, Workspace
from memtree.hooks import place
from memtree.hooks.events import Kind
from memtree.hooks.log import LIMIT, HookLog, is_plain
from memtree.hooks.reading import NoObject, parsed, read_object
from memtree.hooks.serving import MOST, fitting
from memtree.tree.context_fence import CLOSE, OPEN, fenced
from memtree.tree.pii_rules import PiiClass
from memtree.tree.secret_rules import RULES
from memtree.tree.secrets import find_secrets
from support.agent_transcripts import ClaudeTranscript, CodexRollout, Tool
from support.gitrepo import GitRepo
from support.hooked import SETTINGS, Hooked

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
CARD = "4111 1111 1111 1111"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Hooked:
    """A workspace for tests that leave nothing in it that others would see."""
    notes = {
        "MEMORY.md": "- Staging runs on port 8443.\n",
    }
    return Hooked(tmp_path_factory.mktemp("served") / "w", notes=notes)


@pytest.fixture
def hooked(tmp_path: Path) -> Hooked:
    return Hooked(tmp_path / "w")


def entries(hooked: Hooked) -> list[Any]:
    return [hooked.outbox.read(name) for name in hooked.outbox.names()]


@pytest.fixture
def talk() -> ClaudeTranscript:
    return ClaudeTranscript().prompt("Which port does staging use?").assistant("Staging uses port 8443, as the configuration says.")


# -- answers


@pytest.mark.parametrize("source", ["startup", "resume", "clear", "compact", "something-new"])
def test_a_session_starts_with_what_memory_knows(shared: Hooked, talk: ClaudeTranscript, source: str) -> None:
    served = shared.tell("claude-code", talk.hook("SessionStart", "/h/none.jsonl", source=source))
    answer = json.loads(served.output)
    assert answer.keys() == {"hookSpecificOutput"}
    assert answer["hookSpecificOutput"].keys() == {"hookEventName", "additionalContext"}
    assert answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    text = answer["hookSpecificOutput"]["additionalContext"]
    assert text.startswith(OPEN)
    assert text.endswith(CLOSE)
    assert "8443" in text
    assert served.complaint == ""


def test_a_prompt_is_answered_with_what_fits_it(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w")
    with Workspace.open(hooked.root) as workspace:
        workspace.refresh_index()
    payload = CodexRollout().hook("UserPromptSubmit", "/h/r.jsonl", prompt="Which port does staging use?")
    answer = json.loads(hooked.tell("codex", payload).output)["hookSpecificOutput"]
    assert answer["hookEventName"] == "UserPromptSubmit"
    assert "8443" in answer["additionalContext"]
    generic = hooked.tell("generic", {"event": "prompt", "session_id": "s", "prompt": "Which port does staging use?"})
    assert json.loads(generic.output) == {"context": answer["additionalContext"]}
    assert hooked.started == []  # it will come with the transcript, or with the turn
    assert hooked.outbox.names() == []


@pytest.mark.parametrize(
    "prompt", ["yes", "ok, go on", "/compact", "<task-notification>\n<task-id>a1</task-id>", "zzzz qqqq xxxx vvvv"]
)
def test_a_prompt_with_nothing_to_recall_gets_nothing(shared: Hooked, talk: ClaudeTranscript, prompt: str) -> None:
    assert shared.tell("claude-code", talk.hook("UserPromptSubmit", "/h/t.jsonl", prompt=prompt)) == ("", "")


@given(st.text(max_size=30), st.integers(0, 40_000))
def test_an_answer_is_valid_and_not_too_long(word: str, size: int) -> None:
    context = fenced((word * (size // max(1, len(word)) + 1))[:size])
    text = fitting(lambda inner: {"hookSpecificOutput": {"hookEventName": "X", "additionalContext": inner}}, context)
    inner = json.loads(text)["hookSpecificOutput"]["additionalContext"]
    assert len(text) <= MOST
    assert inner.startswith(OPEN)
    assert inner.endswith(CLOSE)
    assert inner == context or len(text) > MOST // 3


# -- what is spooled


@pytest.mark.parametrize(("name", "kind"), [("Stop", Kind.TURN), ("PreCompact", Kind.FLUSH), ("SessionEnd", Kind.SESSION_END)])
def test_what_only_spools(hooked: Hooked, talk: ClaudeTranscript, tmp_path: Path, name: str, kind: Kind) -> None:
    path = talk.write_below(tmp_path / "claude")
    last = "Staging uses port 8443, as the configuration says."
    assert hooked.tell("claude-code", talk.hook(name, path, last_assistant_message=last)) == ("", "")
    (entry,) = entries(hooked)
    assert (entry.event.kind, entry.event.session, entry.event.transcript) == (kind, talk.session, str(path))
    assert entry.event.last_message == ""  # the transcript has it
    assert entry.time == hooked.time // 1_000_000
    assert hooked.started == [hooked.root]
    # What is not needed later is not kept: no place, no prompt.
    assert b"/w/demo" not in hooked.everything()


def test_an_answer_that_the_transcript_lacks_is_spooled(hooked: Hooked, talk: ClaudeTranscript, tmp_path: Path) -> None:
    path = talk.write_below(tmp_path / "claude")
    late = "The certificate of staging is renewed in June, by the way."
    hooked.tell("claude-code", talk.hook("Stop", path, last_assistant_message=late))
    assert [entry.event.last_message for entry in entries(hooked)] == [late]


def test_a_prompt_without_a_transcript_is_spooled(hooked: Hooked) -> None:
    payload = CodexRollout().hook("UserPromptSubmit", None, prompt="Which port does staging use?", turn_id="t-1")
    hooked.tell("codex", payload)
    (entry,) = entries(hooked)
    assert (entry.event.kind, entry.event.prompt, entry.event.turn_id) == (Kind.PROMPT, "Which port does staging use?", "t-1")


@pytest.mark.parametrize(
    "change", [{"hook_event_name": "SubagentStop"}, {"agent_id": "a1"}, {"hook_event_name": "Later"}, {"session_id": 3}]
)
def test_what_is_ignored_leaves_only_a_line_in_the_log(hooked: Hooked, talk: ClaudeTranscript, change: dict[str, Any]) -> None:
    payload = talk.hook("Stop", "/h/t.jsonl", last_assistant_message="Something said.") | change
    assert hooked.tell("claude-code", payload) == ("", "")
    assert (entries(hooked), hooked.started) == ([], [])
    assert len(hooked.log.splitlines()) == 1
    assert "ignored" in hooked.log
    assert "Something said" not in hooked.log


def test_the_switch_turns_everything_off(hooked: Hooked, talk: ClaudeTranscript) -> None:
    hooked.environment["MEMTREE_HOOKS"] = "off"
    assert hooked.tell("claude-code", talk.hook("SessionStart", "/h/t.jsonl", source="startup")) == ("", "")
    assert hooked.tell("claude-code", talk.hook("Stop", "/h/t.jsonl")) == ("", "")
    assert (entries(hooked), hooked.started, hooked.log) == ([], [], "")


def test_a_notice_of_codex_comes_as_an_argument(hooked: Hooked) -> None:
    notice = {
        "type": "agent-turn-complete",
        "thread-id": "0199-a",
        "turn-id": "t",
        "input-messages": ["Hello?"],
        "last-assistant-message": "Hi.",
    }
    assert hooked.tell("codex", None, words=("--new-option", json.dumps(notice))) == ("", "")
    (entry,) = entries(hooked)
    assert (entry.event.session, entry.event.prompt, entry.event.last_message) == ("0199-a", "Hello?", "Hi.")


# -- secrets


def test_no_secret_and_no_personal_data_reaches_the_disk(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w", settings=SETTINGS + '[redact]\npii = ["card"]\n')
    talk = (
        ClaudeTranscript()
        .prompt(f"Use {SECRET}")
        .assistant(f"Used {SECRET}.", tools=[Tool("Bash", {"command": f"login {SECRET}"})])
    )
    path = talk.write_below(tmp_path / "claude")
    said = f"My token is {SECRET}, my card {CARD}."
    calls = [{"name": f"tool {SECRET}", "input": {f"key {SECRET}": [said]}, "failed": True, "error": said}]
    turn = {"user": said, "assistant": said, "model": SECRET, "tool_calls": calls}
    hooked.tell("claude-code", talk.hook("Stop", path, last_assistant_message=said))
    hooked.tell("claude-code", talk.hook("UserPromptSubmit", "", prompt=said, prompt_id=SECRET))
    hooked.tell("claude-code", talk.hook("UserPromptSubmit", path, prompt=said))
    hooked.tell("claude-code", talk.hook(f"Event{SECRET}", path))
    hooked.tell("claude-code", talk.hook("Stop", f"/h/{SECRET}.jsonl", last_assistant_message=said))
    hooked.tell("codex", CodexRollout().hook("Stop", None, last_assistant_message=said))
    hooked.tell("generic", {"event": "turn", "session_id": "s", "agent": SECRET, "turn": turn})
    complaint = hooked.tell("generic", {"event": "turn", "session_id": SECRET, "turn": turn}).complaint
    assert "the session id holds a secret" in complaint
    assert SECRET not in complaint
    assert len(entries(hooked)) == 5
    before = hooked.everything()
    done = hooked.work()
    assert (done.failed, done.waiting) == (0, 0)
    assert done.turns >= 4
    for found in (before, hooked.everything()):
        assert SECRET.encode() not in found
        assert b"4111 1111" not in found
    assert b"[secret: github-token]" in hooked.everything()


def test_settings_that_cannot_be_read_take_out_everything(hooked: Hooked) -> None:
    Path(hooked.root, "memtree.toml").write_text("[redact\npii = 3", encoding="utf-8")
    hooked.tell("generic", {"event": "turn", "session_id": "s", "turn": {"user": f"{CARD} and ada@example.com"}})
    (entry,) = entries(hooked)
    assert "4111" not in entry.event.turn["user"]
    assert "ada@" not in entry.event.turn["user"]
    assert len(PiiClass) > 1


_anchors = sorted({anchor for rule in RULES for anchor in rule.anchors})
_plain = st.lists(st.from_regex(r"[A-Za-z0-9]{1,12}[./_-]", fullmatch=True), max_size=12).map("".join)


@given(_plain, st.sampled_from(_anchors), _plain, st.text("abMN012._-/ ", max_size=10))
@example("", "bearer", " 8G5UBBBpiA-rNbuBhO", "")
@example("", "passw", "ord is a2HxNk4Y", "")
@example("", "xoxb-", "123456789012-abcdefghijk-0", "")
@example("M" + "a1B2c3D4e5F-" * 2, ".", "Ab1_-9.", "Ab1-" * 7)
def test_what_is_taken_for_plain_holds_no_secret(before: str, anchor: str, after: str, end: str) -> None:
    text = before + anchor + after + end
    assert not is_plain(text) or not find_secrets(text)


@pytest.mark.parametrize(
    "text", ["9b2c1d4e-5f60-4718-92a3-b4c5d6e7f809", "/home/ada/.claude/projects/-w-demo/9b2c1d4e.jsonl", "Stop"]
)
def test_ids_and_paths_are_plain(text: str) -> None:
    assert is_plain(text)


# -- failing open


def broken_settings(hooked: Hooked) -> None:
    Path(hooked.root, "memtree.toml").write_text("content = 3\n", encoding="utf-8")


def no_objects(hooked: Hooked) -> None:
    shutil.rmtree(os.path.join(hooked.root, ".git", "objects"))
    os.mkdir(os.path.join(hooked.root, ".git", "objects"))


def no_head(hooked: Hooked) -> None:
    os.unlink(os.path.join(hooked.root, ".git", "HEAD"))


def outbox_is_a_file(hooked: Hooked) -> None:
    Path(hooked.place.state, "outbox").write_text("x", encoding="utf-8")


def log_is_a_folder(hooked: Hooked) -> None:
    os.mkdir(os.path.join(hooked.place.state, "hooks.log"))


def no_git(hooked: Hooked) -> None:
    shutil.rmtree(os.path.join(hooked.root, ".git"))


@pytest.mark.parametrize("damage", [broken_settings, no_objects, no_head, outbox_is_a_file, log_is_a_folder, no_git])
def test_whatever_is_broken_the_agent_goes_on(hooked: Hooked, talk: ClaudeTranscript, damage: Any) -> None:
    damage(hooked)
    for name in ("SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"):
        served = hooked.tell("claude-code", talk.hook(name, "/h/t.jsonl", prompt="Which port does staging use?", source="startup"))
        assert served.output == "" or json.loads(served.output)
        assert "\n" not in served.complaint
        assert "Traceback" not in served.complaint


def a_pipe(folder: Path) -> str:
    os.mkfifo(folder / "t.jsonl")
    return str(folder / "t.jsonl")


@pytest.mark.parametrize("path", ["/dev/zero", "/etc/passwd", "/", "/h/a\0b", "/h/\ud800.jsonl", a_pipe])
def test_whatever_a_transcripts_path_leads_to_the_answer_is_recorded_and_nothing_else(
    hooked: Hooked, tmp_path: Path, path: Any
) -> None:
    path = path if isinstance(path, str) else path(tmp_path)
    talk = ClaudeTranscript()
    hooked.tell("claude-code", talk.hook("UserPromptSubmit", "", prompt="Which port does staging use?", prompt_id="p1"))
    last = "Staging uses port 8443, as the configuration says."
    assert hooked.tell("claude-code", talk.hook("Stop", path, last_assistant_message=last, prompt_id="p1")) == ("", "")
    done = hooked.work()
    assert (done.failed, done.waiting) == (0, 0)
    assert hooked.turns() == [("user", "Which port does staging use?"), ("assistant", last)]


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "Stop"])
def test_no_workspace_is_told_and_no_more(tmp_path: Path, hooked: Hooked, talk: ClaudeTranscript, event: str) -> None:
    payload = talk.hook(event, "/h/t.jsonl", prompt="Which port does staging use?")
    served = hooked.tell("claude-code", payload, folder=str(tmp_path / "elsewhere"))
    assert "no memtree workspace" in served.complaint
    # The person is told once, as the session begins; the model never is.
    assert served.output == (json.dumps({"systemMessage": served.complaint}) if event == "SessionStart" else "")
    assert not (tmp_path / "elsewhere").exists()


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=3),
    max_leaves=5,
)
_names = (
    st.sampled_from(["SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "turn", "prompt", "agent-turn-complete"]) | _json
)
_payloads = st.fixed_dictionaries(
    {},
    optional={
        key: _names if key in ("hook_event_name", "event", "type") else st.text(max_size=20) | _json
        for key in (
            "hook_event_name",
            "event",
            "type",
            "session_id",
            "thread-id",
            "transcript_path",
            "cwd",
            "prompt",
            "last_assistant_message",
            "turn",
        )
    },
)


@given(
    agent=st.sampled_from(["claude-code", "codex", "generic"]),
    data=st.binary() | _payloads.map(lambda value: json.dumps(value).encode()),
)
def test_any_bytes_give_nothing_or_valid_json(shared: Hooked, agent: str, data: bytes) -> None:
    reader, writer = os.pipe()
    os.write(writer, data)
    os.close(writer)
    try:
        payload: Any = read_object(reader)
    except NoObject:
        payload = None
    finally:
        os.close(reader)
    served = shared.tell(agent, payload)
    assert len(served.output) <= MOST
    assert served.output == "" or isinstance(json.loads(served.output), dict)
    for name in shared.outbox.names():
        assert shared.outbox.read(name) is not None
        shared.outbox.done(name)


# -- standard input


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    reader, writer = os.pipe()
    yield reader, writer
    for fd in (reader, writer):
        try:
            os.close(fd)
        except OSError:
            continue


def test_an_object_is_read_without_waiting_for_the_end(pipe: tuple[int, int]) -> None:
    reader, writer = pipe
    os.write(writer, b'\xef\xbb\xbf {"a": "}", "b": {}}\n')
    assert read_object(reader, patience=60) == {"a": "}", "b": {}}


@pytest.mark.parametrize("data", [b"", b"{", b'{"a": {}', b"[1]", b'"x"', b"{bad json}", b'{"a": "\xff'])
def test_what_is_no_object_ends_with_the_deadline_or_the_end(pipe: tuple[int, int], data: bytes) -> None:
    reader, writer = pipe
    os.write(writer, data)
    with pytest.raises(NoObject, match="within"):
        read_object(reader, patience=0.05)
    os.write(writer, data)
    os.close(writer)
    with pytest.raises(NoObject, match="no JSON object"):
        read_object(reader, patience=60)


def test_endless_and_deep_objects_are_refused() -> None:
    with open("/dev/zero", "rb") as zeros, pytest.raises(NoObject, match="bytes came"):
        read_object(zeros.fileno(), patience=60)
    assert parsed(b'{"a":' + b"[" * 100_000) is None
    assert parsed(b'{"a":' + b"9" * 10_000 + b"}") is None


# -- where the workspace is


def test_places_are_those_of_the_engine(tmp_path: Path, hooked: Hooked) -> None:
    repo = GitRepo(hooked.root)
    repo.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "tree"))
    Workspace.init(str(tmp_path / "apart"), git_folder=str(tmp_path / "git-of-apart"))[0].close()
    for root in (hooked.root, str(tmp_path / "tree"), str(tmp_path / "apart")):
        below = os.path.join(root, "some", "folder")
        os.makedirs(below)
        found = place.find_place(below)
        assert found is not None
        with Workspace.open(below) as workspace:
            assert os.path.samefile(found.state, workspace.places.folder)
            assert found.root == workspace.root
    assert place.SETTINGS == FILE_NAME
    for elsewhere in (str(tmp_path), os.path.join(hooked.root, "moved", "away")):  # a folder that is gone is in no workspace
        assert place.find_place(elsewhere) is None
        with pytest.raises(NotAWorkspace):
            Workspace.open(elsewhere)


# -- the log


def test_the_log_stays_small_and_says_nothing_secret(tmp_path: Path) -> None:
    log = HookLog(str(tmp_path))
    (tmp_path / "hooks.log").write_text("2026-01-05T09:00:00Z claude_code Stop s old\n" * (LIMIT // 44), encoding="utf-8")
    for number in range(40):
        log.line("claude code", "Stop\n", SECRET, f"{number} {'x ' * 400}{SECRET}\x1b[31m\nnext {SECRET}")
    files = {path.name: path.read_text(encoding="utf-8") for path in tmp_path.iterdir()}
    assert files.keys() == {"hooks.log", "hooks.log.1"}
    assert all(len(text) < LIMIT + 2_000 for text in files.values())
    assert all(SECRET not in text and "\x1b" not in text for text in files.values())
    for line in files["hooks.log"].splitlines():
        assert line.split(" ", 4)[1:3] == ["claude_code", "Stop"]
