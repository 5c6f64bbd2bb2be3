"""Codex's transcripts: which lines become which turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.transcripts.codex import read_codex
from memtree.engine.transcripts.reading import Transcript
from memtree.tree.agent_turn import AgentTurn, ToolCall
from support.agent_transcripts import CODEX_SESSION, CodexRollout, Tool

SAMPLE = """
{"timestamp":"2026-01-05T09:00:00.000Z","ordinal":0,"type":"session_meta","payload":{"id":"0199-a","timestamp":"2026-01-05T09:00:00.000Z","cwd":"/w/demo","originator":"codex_exec","cli_version":"0.171.0","source":"exec"}}
{"timestamp":"2026-01-05T09:00:00.100Z","type":"response_item","payload":{"type":"message","role":"developer","content":[{"type":"input_text","text":"INJECTED"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["hooks.additional_context"]}}}
{"timestamp":"2026-01-05T09:00:00.200Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"<environment_context>x</environment_context>"}],"internal_chat_message_metadata_passthrough":{"content_item_kinds":["environments.environment_context"]}}}
{"timestamp":"2026-01-05T09:00:01.000Z","type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Which port?"}],"internal_chat_message_metadata_passthrough":{"turn_id":"0199-t","content_item_kinds":["user.text"]}}}
{"timestamp":"2026-01-05T09:00:02.000Z","type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{\\"cmd\\":\\"grep port cfg\\"}","call_id":"c1"}}
{"timestamp":"2026-01-05T09:00:03.000Z","type":"response_item","payload":{"type":"function_call_output","call_id":"c1","output":"port=8443"}}
{"timestamp":"2026-01-05T09:00:04.000Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"8443."}]}}
{"timestamp":"2026-01-05T09:00:04.100Z","type":"event_msg","payload":{"type":"task_complete","turn_id":"0199-t","last_agent_message":"8443."}}
"""  # noqa: E501
PARENT, CHILD = "01990000-0000-7000-8000-000000000001", "01990000-0000-7000-8000-000000000005"


def read(talk: CodexRollout, folder: Path) -> Transcript:
    return read_codex(talk.write_below(folder))


def said(talk: CodexRollout, folder: Path) -> list[tuple[str, str]]:
    return [(turn.user, turn.assistant) for turn in read(talk, folder).turns]


def test_a_small_session_is_one_turn(tmp_path: Path) -> None:
    path = tmp_path / "rollout-2026-01-05T09-00-00-0199-a.jsonl"
    path.write_text(SAMPLE.lstrip())
    turn = AgentTurn(
        session="0199-a",
        user="Which port?",
        assistant="8443.",
        timestamp=1_767_603_601_000,
        uuid="0199-t:3",
        prompt_uuid="0199-t",
        tool_calls=(ToolCall("exec_command", {"cmd": "grep port cfg"}),),
        source="codex",
    )
    assert read_codex(path) == Transcript("0199-a", "/w/demo", (turn,))


@pytest.mark.parametrize("kinds", [True, False])
def test_a_turn_begins_with_each_prompt(tmp_path: Path, kinds: bool) -> None:
    talk = CodexRollout(kinds=kinds).prompt("One?").assistant("First.", "Second.", thinking="THOUGHT")
    talk.injected("INJECTED").prompt("Two?", images=1).compacted("SUMMARY").assistant("Third.")
    transcript = read(talk, tmp_path)
    assert [(turn.user, turn.assistant) for turn in transcript.turns] == [
        ("One?", "First.\n\nSecond."),
        ("Two?\n\n[image]", "Third."),
    ]
    assert [turn.prompt_uuid for turn in transcript.turns] == talk.prompts
    assert {(turn.session, turn.model, turn.source) for turn in transcript.turns} == {(CODEX_SESSION, "gpt-made-1", "codex")}
    assert not any(word in repr(transcript) for word in ("INJECTED", "THOUGHT", "SUMMARY", "AGENTS.md", "environment_context"))


def test_more_of_an_answer_gives_the_turn_another_id_and_the_same_key(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?")
    readings = [read(talk, tmp_path).turns[0]]
    readings += [read(talk.assistant(text, done=False), tmp_path).turns[0] for text in ("First.", "Second.")]
    assert len({turn.uuid for turn in readings}) == 3
    assert {turn.prompt_uuid for turn in readings} == {talk.turn}
    assert read(talk.line("event_msg", {"type": "task_complete", "turn_id": talk.turn}), tmp_path).turns == (readings[-1],)


def test_a_prompt_after_a_turns_end_is_no_part_of_it(tmp_path: Path) -> None:
    talk = CodexRollout(kinds=False).prompt("One?").assistant("First.")
    place = len(talk.lines)
    turns = read(talk.injected("Two?", "user"), tmp_path).turns
    assert [(turn.user, turn.prompt_uuid) for turn in turns] == [("One?", talk.turn), ("Two?", f"{CODEX_SESSION}:{place}")]


def test_a_session_that_says_only_elsewhere_that_it_is_a_sub_agents_has_no_turns(tmp_path: Path) -> None:
    talk = CodexRollout(source="vscode").prompt("One?")
    talk.lines[0] = talk.lines[0].replace(b'"source"', b'"thread_source":"subagent","source"')
    assert read(talk, tmp_path).turns == ()


def test_two_prompts_in_one_of_the_programs_turns_have_keys_of_their_own(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?").assistant("Working.", done=False)
    passed = {"turn_id": talk.turn, "content_item_kinds": ["user.text"]}
    content = [{"type": "input_text", "text": "Mind the tests too."}]
    said = {"type": "message", "role": "user", "content": content, "internal_chat_message_metadata_passthrough": passed}
    place = len(talk.lines)
    turns = read(talk.line("response_item", said).assistant("Both done."), tmp_path).turns
    assert [(turn.prompt_uuid, turn.user, turn.assistant) for turn in turns] == [
        (talk.turn, "One?", "Working."),
        (f"{talk.turn}:{place}", "Mind the tests too.", "Both done."),
    ]


def test_without_the_programs_ids_the_number_of_the_line_is_the_key(tmp_path: Path) -> None:
    talk = CodexRollout(kinds=False)
    place = len(talk.lines)
    content = [{"type": "input_text", "text": "One?"}]
    (turn,) = read(talk.line("response_item", {"type": "message", "role": "user", "content": content}), tmp_path).turns
    assert (turn.user, turn.prompt_uuid, turn.uuid) == ("One?", f"{CODEX_SESSION}:{place}", f"{CODEX_SESSION}:{place}")


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>x",
        "# AGENTS.md instructions",
        "<user_instructions>x",
        "<permissions instructions>x",
        "<turn_aborted>x",
    ],
)
def test_what_older_versions_put_where_a_prompt_stands_is_none(tmp_path: Path, text: str) -> None:
    talk = CodexRollout(kinds=False).prompt("One?").assistant("First.").injected(text, "user")
    assert said(talk, tmp_path) == [("One?", "First.")]


def test_what_an_editor_puts_before_a_prompt_is_taken_off(tmp_path: Path) -> None:
    text = "# Context from my IDE setup:\n\n## Open tabs:\n- a.py\n\n## My request for Codex:\nOne?\n"
    assert said(CodexRollout(kinds=False).prompt(text), tmp_path) == [("One?", "")]


def test_of_a_message_of_several_kinds_only_what_was_typed_is_kept(tmp_path: Path) -> None:
    talk = CodexRollout()
    passed = {"turn_id": "t", "content_item_kinds": ["environments.environment_context", "user.text"]}
    content = [{"type": "input_text", "text": "INJECTED"}, {"type": "input_text", "text": "One?"}]
    said_so = {"type": "message", "role": "user", "content": content, "internal_chat_message_metadata_passthrough": passed}
    assert said(talk.line("response_item", said_so), tmp_path) == [("One?", "")]


def test_files_without_messages_are_read_by_what_was_shown(tmp_path: Path) -> None:
    talk = CodexRollout()
    del talk.lines[1:]
    for kind, text in (
        ("user_message", "One?"),
        ("agent_message", "First."),
        ("agent_message", "Second."),
        ("user_message", "Two?"),
    ):
        talk.line("event_msg", {"type": kind, "message": text})
    assert said(talk, tmp_path) == [("One?", "First.\n\nSecond."), ("Two?", "")]


def test_messages_of_the_program_alone_do_not_hide_what_was_shown(tmp_path: Path) -> None:
    talk = CodexRollout(kinds=False).line("event_msg", {"type": "user_message", "message": "One?"}).injected("<skill>x", "user")
    assert said(talk.line("event_msg", {"type": "agent_message", "message": "First."}), tmp_path) == [("One?", "First.")]


def test_a_session_may_be_named_by_its_other_field(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?")
    talk.lines[0] = talk.lines[0].replace(f'"id":"{CODEX_SESSION}"'.encode(), b'"session_id":"other"')
    assert read(talk, tmp_path).turns[0].session == "other"


def test_files_of_bare_items_are_read(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"id": "old", "timestamp": "2025-06-01T09:00:00Z", "instructions": None},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "<environment_context>x"}]},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "One?"}]},
        {"record_type": "state"},
        {"type": "function_call", "name": "shell", "arguments": '{"command":["ls"]}', "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": '{"output":"no","metadata":{"exit_code":2}}'},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "First."}]},
    ]
    path = tmp_path / "rollout-2025-06-01T09-00-00-old.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    (turn,) = read_codex(path).turns
    assert (turn.session, turn.user, turn.assistant, turn.prompt_uuid) == ("old", "One?", "First.", "old:2")
    assert turn.tool_calls == (ToolCall("shell", {"command": ["ls"]}, failed=True, error="no"),)


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("port=8443", False),
        ('{"output":"x","metadata":{"exit_code":0,"duration_seconds":0.1}}', False),
        ('{"output":"x","metadata":{"exit_code":1}}', True),
        ('{"output":"x","metadata":{"exit_code":true}}', False),
        ('{"output":"x","metadata":{"exit_code":"1"}}', False),
        ('{"output":"x","metadata":{"exit_code":', False),
        ('{"success":false}', False),  # what a tool printed
        ({"content": "x", "success": False}, True),
        ({"content": "x", "success": True}, False),
        ([{"type": "input_text", "text": "x"}], False),
        ("Exit code: 0\nWall time: 1 seconds\nOutput:\nx", False),
        ("Exit code: 3\nWall time: 1 seconds\nOutput:\nx", True),
        ("Chunk ID: a\nWall time: 1 seconds\nProcess exited with code 1\nOriginal token count: 1\nOutput:\nx", True),
        ("Process running with session ID 7\nOutput:\nExit code: 1", False),
        ("Exit code: 1\nwas what it printed", False),
        (None, False),
        (7, False),
    ],
)
def test_a_call_failed_where_codex_says_so(tmp_path: Path, output: Any, failed: bool) -> None:
    talk = CodexRollout().prompt("One?")
    talk.line("response_item", {"type": "function_call", "name": "exec_command", "arguments": "not json", "call_id": "c"})
    talk.line("response_item", {"type": "function_call_output", "call_id": "c", "output": output})
    (call,) = read(talk, tmp_path).turns[0].tool_calls
    assert call == ToolCall("exec_command", "not json", failed, "x" if failed else "")


def test_a_call_of_a_server_is_named_with_it_and_fails_where_an_event_says_so(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?")
    talk.served("notes", Tool("search", {"query": "port"}, "8443"))
    talk.served("notes", Tool("search", {"query": ""}, "query is empty", failed=True)).assistant("Done.")
    (turn,) = read(talk, tmp_path).turns
    assert turn.tool_calls == (
        ToolCall("mcp__notes__search", {"query": "port"}),
        ToolCall("mcp__notes__search", {"query": ""}, True, "query is empty"),
    )


def test_other_kinds_of_calls_are_named(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?").custom("apply_patch", "*** Begin Patch", "bad patch", exit_code=1)
    talk.line("response_item", {"type": "local_shell_call", "call_id": "s", "action": {"command": ["ls"]}})
    talk.line("response_item", {"type": "web_search_call", "action": {"query": "ports"}})
    talk.assistant(tools=[Tool("view_image", {"path": "a.png"}, None)])
    assert read(talk, tmp_path).turns[0].tool_calls == (
        ToolCall("apply_patch", "*** Begin Patch", failed=True, error="bad patch"),
        ToolCall("local_shell", {"command": ["ls"]}),
        ToolCall("web_search", {"query": "ports"}),
        ToolCall("view_image", {"path": "a.png"}),
    )


@pytest.mark.parametrize(
    "talk",
    [
        CodexRollout(source={"subagent": {"thread_spawn": {"parent_thread_id": "p", "depth": 1}}}),
        CodexRollout(source={"subagent": "review"}),
        CodexRollout(source={"thread_spawn": {}}),
        CodexRollout(source={"internal": "memory_consolidation"}),
        CodexRollout(cwd="/h/.codex/memories_v2"),
        CodexRollout(cwd="C:\\Users\\a\\.codex\\memories"),
    ],
)
def test_sessions_that_no_person_leads_have_no_turns(tmp_path: Path, talk: CodexRollout) -> None:
    assert read(talk.prompt("One?").assistant("First."), tmp_path).turns == ()


@pytest.mark.parametrize("source", ["cli", "vscode", None, {"custom": "mine"}, 7])
def test_sessions_of_any_other_origin_have_turns(tmp_path: Path, source: Any) -> None:
    assert said(CodexRollout(source=source).prompt("One?"), tmp_path) == [("One?", "")]


def test_what_a_person_took_back_is_left_out(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?").assistant("First.").prompt("Wrong.").assistant("So be it.")
    talk.prompt("Worse.").assistant("Indeed.")
    talk.line("event_msg", {"type": "thread_rolled_back", "num_turns": 2}).prompt("Right.").assistant("Good.")
    assert said(talk, tmp_path) == [("One?", "First."), ("Right.", "Good.")]


def test_a_copied_turn_is_the_turn_that_it_was_copied_from(tmp_path: Path) -> None:
    # Ids of this form sort by the time that they were made.
    old, new = "01990000-0000-7000-8000-000000000002", "01990000-0000-7000-8000-000000000006"
    parent, fork = CodexRollout(PARENT), CodexRollout(CHILD)
    fork.lines[0] = fork.lines[0].replace(b'"source"', f'"forked_from_id":"{PARENT}","source"'.encode())
    fork.raw(parent.lines[0])
    for talk in (parent, fork):
        talk.turn = old
        talk._said("user", "input_text", "One?", ["user.text"]).assistant("First.", tools=[Tool("x")])
    fork.turn = new
    fork._said("user", "input_text", "Two?", ["user.text"])
    assert read(fork, tmp_path).session == CHILD
    copied, own = read(fork, tmp_path).turns
    (original,) = read(parent, tmp_path).turns
    assert (copied.session, copied.prompt_uuid, copied.uuid) == (PARENT, old, original.uuid)
    assert (copied.user, copied.assistant, copied.tool_calls) == (original.user, original.assistant, original.tool_calls)
    assert (own.session, own.user) == (CHILD, "Two?")


def test_the_files_name_stands_for_a_missing_first_line(tmp_path: Path) -> None:
    talk = CodexRollout().prompt("One?")
    del talk.lines[0]
    assert [turn.session for turn in read(talk, tmp_path).turns] == [CODEX_SESSION]
