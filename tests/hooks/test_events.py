"""Payloads of agents as events: which are taken, as what, and which are none of memory's business."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from memtree.hooks import claude_code, codex, generic
from memtree.hooks.events import AgentEvent, BadField, Ignored, Kind, asks_something, by_machine

SESSION = "11111111-2222-4333-8444-555555555555"
# As the real programs were observed, with invented values.
CLAUDE = """\
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/.claude/projects/-w-demo/11111111-2222-4333-8444-555555555555.jsonl","cwd":"/w/demo","hook_event_name":"SessionStart","source":"startup"}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","prompt_id":"p-1","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"Which port does staging use?"}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","prompt_id":"p-9","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"<task-notification>\\n<task-id>a1</task-id>\\n<status>completed</status>\\n</task-notification>"}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","prompt_id":"p-1","permission_mode":"default","effort":{"level":"medium"},"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls","description":"List"},"tool_response":{"stdout":"a.md","stderr":"","interrupted":false,"isImage":false},"tool_use_id":"toolu_01","duration_ms":12}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","prompt_id":"p-1","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Staging uses port 8443.","background_tasks":[],"session_crons":[]}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a1","agent_type":"general-purpose","agent_transcript_path":"/h/s/subagents/agent-a1.jsonl","last_assistant_message":"Found two files."}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"a2","agent_type":"","agent_transcript_path":"/h/s/subagents/agent-missing.jsonl","last_assistant_message":"internal"}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","hook_event_name":"PreCompact","trigger":"manual","custom_instructions":null}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"User asked about ports."}
{"session_id":"11111111-2222-4333-8444-555555555555","transcript_path":"/h/t.jsonl","cwd":"/w/demo","hook_event_name":"SessionEnd","reason":"other"}
"""  # noqa: E501 - a line each, as they come
CODEX = """\
{"session_id":"0199-a","turn_id":"0199-t","transcript_path":"/h/.codex/sessions/2026/01/05/rollout-2026-01-05T09-00-00-0199-a.jsonl","cwd":"/w/demo","hook_event_name":"Stop","model":"m","permission_mode":"default","stop_hook_active":false,"last_assistant_message":"8443."}
{"session_id":"0199-m","transcript_path":null,"cwd":"/h/.codex/memories_v2","hook_event_name":"SessionStart","model":"m","permission_mode":"bypassPermissions","source":"startup"}
{"type":"agent-turn-complete","thread-id":"0199-a","turn-id":"0199-t","cwd":"/w/demo","client":"codex_exec","input-messages":["Which port?"],"last-assistant-message":"8443."}
"""  # noqa: E501 - a line each, as they come


def lines(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


@pytest.mark.parametrize(
    ("payload", "kind"),
    list(
        zip(
            lines(CLAUDE),
            (Kind.SESSION_START, Kind.PROMPT, None, None, Kind.TURN, None, None, Kind.FLUSH, None, Kind.SESSION_END),
            strict=True,
        )
    ),
)
def test_events_of_claude_code(payload: dict[str, Any], kind: Kind | None) -> None:
    found = claude_code.read(payload)
    assert found.session == SESSION
    assert found.name == payload["hook_event_name"]
    if kind is None:
        assert isinstance(found, Ignored)
        return
    assert isinstance(found, AgentEvent)
    assert (found.kind, found.transcript, found.cwd) == (kind, payload["transcript_path"], "/w/demo")
    assert found.prompt == payload.get("prompt", "")
    assert found.last_message == payload.get("last_assistant_message", "")
    assert found.turn_id == payload.get("prompt_id", "")


def test_events_of_codex() -> None:
    stop, memory_agent, notified = (codex.read(payload) for payload in lines(CODEX))
    assert isinstance(stop, AgentEvent)
    assert isinstance(memory_agent, Ignored)
    assert isinstance(notified, AgentEvent)
    assert (stop.kind, stop.last_message, stop.turn_id) == (Kind.TURN, "8443.", "0199-t")
    assert (notified.kind, notified.session, notified.turn_id) == (Kind.TURN, stop.session, stop.turn_id)
    assert (notified.prompt, notified.last_message, notified.transcript) == ("Which port?", "8443.", "")


@pytest.mark.parametrize("folder", ["/h/.codex/memories", "/h/.codex/memories_v2/x", "/elsewhere/memories_v3"])
def test_codex_own_memory_agent_is_known_by_its_folder_and_by_having_no_transcript(folder: str) -> None:
    payload = lines(CODEX)[1] | {"cwd": folder}
    assert isinstance(codex.read(payload), Ignored)
    assert isinstance(codex.read(payload | {"transcript_path": "/h/t.jsonl"}), AgentEvent)
    assert isinstance(codex.read(payload | {"cwd": "/w/memories"}), AgentEvent)


@pytest.mark.parametrize(
    "change",
    [
        {"hook_event_name": "SomethingNew"},
        {"hook_event_name": 7},
        {"hook_event_name": None},
        {"session_id": None},
        {"session_id": ""},
        {"session_id": ["x"]},
        {"session_id": "x" * 501},
        {"transcript_path": 5},
        {"prompt": {"text": "x"}},
        {"prompt": None},
        {"prompt_id": 3},
        {"agent_id": "a1"},
        {"agent_id": {"new": "form"}},
    ],
)
def test_what_is_unknown_or_of_a_wrong_type_is_ignored(change: dict[str, Any]) -> None:
    assert isinstance(claude_code.read(lines(CLAUDE)[1] | change), Ignored)


@pytest.mark.parametrize("change", [{"thread-id": 1}, {"input-messages": "x"}, {"input-messages": [1]}, {"type": "new-kind"}])
def test_what_is_unknown_in_a_notice_of_codex_is_ignored(change: dict[str, Any]) -> None:
    assert isinstance(codex.read(lines(CODEX)[2] | change), Ignored)


def test_new_fields_do_no_harm() -> None:
    for payload in lines(CLAUDE):
        assert claude_code.read(payload | {"version": 99, "new": {"deep": [1]}}) == claude_code.read(payload)


@pytest.mark.parametrize(
    "prompt",
    [
        "",
        "  \n",
        "<task-notification>x",
        " <command-name>/clear</command-name>",
        "/compact",
        "/my:command with words",
        "[Request interrupted by user]",
    ],
)
def test_prompts_of_machines(prompt: str) -> None:
    assert by_machine(prompt)


@pytest.mark.parametrize("prompt", ["What is in /etc/hosts?", "/etc/hosts is broken", "/ is full", "<b>bold</b>?", "继续"])
def test_prompts_of_people(prompt: str) -> None:
    assert not by_machine(prompt)


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("yes", False),
        ("go on!", False),
        ("", False),
        ("???????????????", False),
        ("继续", False),
        ("staging port", True),
        ("暂存用哪个端口", True),
    ],
)
def test_which_prompts_are_looked_up(prompt: str, asks: bool) -> None:
    assert asks_something(prompt) is asks


# -- our own schema

VALIDATOR = Draft202012Validator(generic.SCHEMA)
_scalars = (
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(string.printable, max_size=5)
)
_calls = st.fixed_dictionaries(
    {},
    optional={
        "name": st.just("Bash") | _scalars,
        "input": _scalars,
        "failed": st.booleans() | _scalars,
        "error": st.just("x") | _scalars,
    },
)
_turns = st.fixed_dictionaries(
    {},
    optional={
        "user": st.just("hello") | _scalars,
        "assistant": st.just("hi") | _scalars,
        "uuid": st.just("u1") | st.just("u" * 501) | _scalars,
        "timestamp": st.just(1_767_603_600) | st.none() | st.lists(st.none()),
        "model": st.just("m") | _scalars,
        "cost": st.floats(-1, 1) | _scalars,
        "tool_calls": st.lists(_calls | _scalars, max_size=2) | _scalars,
    },
)
_events = st.fixed_dictionaries(
    {},
    optional={
        "event": st.sampled_from([*(kind.value for kind in Kind), "stop", 3]),
        "session_id": st.just("s1") | _scalars,
        "agent": st.just("bot") | _scalars,
        "prompt": st.just("hello?") | _scalars,
        "turn": _turns | _scalars,
        "more": _scalars,
    },
)


def says_nothing(payload: Any) -> bool:
    turn = payload["turn"]
    return not (turn.get("user", "").strip() or turn.get("assistant", "").strip() or turn.get("tool_calls"))


@given(_events)
def test_what_is_taken_is_what_the_schema_says(payload: dict[str, Any]) -> None:
    valid = VALIDATOR.is_valid(payload)
    try:
        event = generic.parse(payload)
    except BadField:
        # The one rule that a schema cannot tell.
        assert not valid or (payload["event"] == "turn" and says_nothing(payload))
    else:
        assert valid
        assert event.session == payload["session_id"]


def test_the_schema_is_one_and_its_example_is_valid() -> None:
    Draft202012Validator.check_schema(generic.SCHEMA)
    turn = {
        "user": "Which port?",
        "assistant": "8443.",
        "uuid": "t1",
        "timestamp": "2026-01-05T09:00:00Z",
        "model": "m",
        "cost": 0.01,
    }
    calls = [{"name": "grep", "input": {"pattern": "port"}, "failed": True, "error": "no such file"}]
    payload = {"event": "turn", "session_id": "s1", "agent": "bot", "turn": turn | {"tool_calls": calls, "new": 1}}
    VALIDATOR.validate(payload)
    event = generic.read(payload)
    assert isinstance(event, AgentEvent)
    assert event.turn == turn | {"tool_calls": calls}
    assert (event.agent, event.kind) == ("bot", Kind.TURN)


@pytest.mark.parametrize(("value", "words"), [("yesterday", "no time"), (-1, "no time"), (1e30, "no time"), (True, "number")])
def test_a_time_that_is_none_is_told(value: Any, words: str) -> None:
    with pytest.raises(BadField, match=words):
        generic.parse({"event": "turn", "session_id": "s1", "turn": {"user": "x", "timestamp": value}})
