"""Claude Code's transcripts: which lines become which turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memtree.engine.transcripts.claude_code import read_claude
from memtree.engine.transcripts.reading import Transcript
from memtree.tree.agent_turn import AgentTurn, ToolCall
from support.agent_transcripts import CLAUDE_SESSION, ClaudeTranscript, Tool

# One session with every kind of line, as the program wrote it.
SAMPLE = """
{"type":"queue-operation","operation":"enqueue","timestamp":"2026-01-05T09:00:00.000Z","sessionId":"s1","content":"Which port?"}
{"type":"attachment","uuid":"u0","parentUuid":null,"isSidechain":false,"timestamp":"2026-01-05T09:00:00.100Z","sessionId":"s1","cwd":"/w/demo","version":"2.1.0","gitBranch":"main","attachment":{"type":"hook_additional_context","content":["INJECTED"],"hookName":"SessionStart","hookEvent":"SessionStart"}}
{"type":"user","uuid":"u1","parentUuid":"u0","isSidechain":false,"timestamp":"2026-01-05T09:00:01.000Z","sessionId":"s1","cwd":"/w/demo","version":"2.1.0","gitBranch":"main","promptId":"p-1","message":{"role":"user","content":"Which port?"}}
{"type":"assistant","uuid":"u2","parentUuid":"u1","isSidechain":false,"timestamp":"2026-01-05T09:00:03.000Z","sessionId":"s1","cwd":"/w/demo","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"thinking","thinking":"THOUGHT","signature":"x"}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":4}}}
{"type":"assistant","uuid":"u3","parentUuid":"u2","isSidechain":false,"timestamp":"2026-01-05T09:00:03.100Z","sessionId":"s1","cwd":"/w/demo","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"toolu_01","name":"Bash","input":{"command":"grep port cfg"}}],"stop_reason":"tool_use","usage":{"input_tokens":9,"output_tokens":4}}}
{"type":"user","uuid":"u4","parentUuid":"u3","isSidechain":false,"timestamp":"2026-01-05T09:00:04.000Z","sessionId":"s1","cwd":"/w/demo","sourceToolAssistantUUID":"u3","toolUseResult":{"stdout":"port=8443","stderr":""},"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_01","content":"port=8443","is_error":false}]}}
{"type":"assistant","uuid":"u5","parentUuid":"u4","isSidechain":false,"timestamp":"2026-01-05T09:00:06.000Z","sessionId":"s1","cwd":"/w/demo","message":{"id":"msg_2","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"8443."}],"stop_reason":"end_turn","usage":{"input_tokens":20,"output_tokens":3}}}
{"type":"user","uuid":"u6","parentUuid":"u5","isSidechain":false,"isMeta":true,"timestamp":"2026-01-05T09:00:07.000Z","sessionId":"s1","message":{"role":"user","content":"<local-command-caveat>x</local-command-caveat>"}}
{"type":"user","uuid":"u7","parentUuid":"u6","isSidechain":false,"timestamp":"2026-01-05T09:00:07.100Z","sessionId":"s1","message":{"role":"user","content":"<command-name>/compact</command-name>"}}
{"type":"system","subtype":"compact_boundary","uuid":"u8","parentUuid":null,"logicalParentUuid":"u7","isSidechain":false,"isMeta":false,"timestamp":"2026-01-05T09:00:08.000Z","sessionId":"s1","content":"Conversation compacted","compactMetadata":{"trigger":"manual","preTokens":900}}
{"type":"user","uuid":"u9","parentUuid":"u8","isSidechain":false,"isCompactSummary":true,"isVisibleInTranscriptOnly":true,"timestamp":"2026-01-05T09:00:08.100Z","sessionId":"s1","message":{"role":"user","content":"Summary of earlier talk."}}
{"type":"user","uuid":"u10","parentUuid":"u9","isSidechain":false,"timestamp":"2026-01-05T09:00:09.000Z","sessionId":"s1","promptSource":"system","turnOrigin":"task_notification","origin":{"kind":"task-notification"},"message":{"role":"user","content":"<task-notification>done</task-notification>"}}
{"type":"user","uuid":"v1","parentUuid":null,"isSidechain":true,"agentId":"a1","timestamp":"2026-01-05T09:00:05.000Z","sessionId":"s1","message":{"role":"user","content":"Look for ports"}}
{"type":"last-prompt","lastPrompt":"Which port?","leafUuid":"u5","sessionId":"s1"}
{"type":"future-type","sessionId":"s1","x":1}
"""  # noqa: E501


def read(talk: ClaudeTranscript, folder: Path) -> Transcript:
    return read_claude(talk.write_below(folder))


def said(talk: ClaudeTranscript, folder: Path) -> list[tuple[str, str]]:
    return [(turn.user, turn.assistant) for turn in read(talk, folder).turns]


def test_a_session_with_every_kind_of_line_is_one_turn(tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    path.write_text(SAMPLE.lstrip())
    turn = AgentTurn(
        session="s1",
        user="Which port?",
        assistant="8443.",
        timestamp=1_767_603_601_000,
        uuid="u5",
        prompt_uuid="u1",
        tool_calls=(ToolCall("Bash", {"command": "grep port cfg"}),),
        model="m",
        source="claude-code",
    )
    assert read_claude(path) == Transcript("s1", "/w/demo", (turn,))


def test_a_turn_begins_with_each_prompt(tmp_path: Path) -> None:
    talk = ClaudeTranscript().attachment().prompt("One?").assistant("First.", "Second.").system()
    talk.prompt("Two?\n\nWith lines.").attachment().assistant("Third.", thinking="THOUGHT").noise().snapshot(5_000)
    transcript = read(talk, tmp_path)
    assert [(turn.user, turn.assistant) for turn in transcript.turns] == [
        ("One?", "First.\n\nSecond."),
        ("Two?\n\nWith lines.", "Third."),
    ]
    assert [turn.prompt_uuid for turn in transcript.turns] == talk.prompts
    assert {turn.session for turn in transcript.turns} == {CLAUDE_SESSION}
    assert "INJECTED" not in repr(transcript)
    assert "THOUGHT" not in repr(transcript)


def test_what_programs_write_after_an_answer_does_not_change_the_turns_id(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.")
    before = read(talk, tmp_path).turns
    assert before[0].uuid != before[0].prompt_uuid
    assert read(talk.attachment(kind="hook_success").system().noise().api_error(), tmp_path).turns == before


def test_calls_side_by_side_are_all_kept_with_what_came_of_them(tmp_path: Path) -> None:
    tools = [Tool("Bash", {"command": "a"}, "no such file", failed=True), Tool("Read", {"path": "b"}), Tool("Grep", {"q": "c"})]
    turn = read(ClaudeTranscript().prompt("Look").assistant("Looking.", "Found.", tools=tools), tmp_path).turns[0]
    assert turn.tool_calls == (
        ToolCall("Bash", {"command": "a"}, failed=True, error="Exit code 1\nno such file"),
        ToolCall("Read", {"path": "b"}),
        ToolCall("Grep", {"q": "c"}),
    )
    assert turn.assistant == "Looking.\n\nFound."
    assert turn.lesson == "Tools that failed in this turn: Bash"


def test_a_call_that_hangs_on_another_ones_result_is_kept(tmp_path: Path) -> None:
    # The second block of the message came after the first one's result, and the answer hangs on that result alone.
    talk = ClaudeTranscript().prompt("Look")
    common = {"isSidechain": False, "sessionId": CLAUDE_SESSION}

    def block(uuid: str, parent: str, id: str) -> dict[str, Any]:  # noqa: A002
        message = {"id": "m", "model": "x", "content": [{"type": "tool_use", "id": id, "name": id, "input": {}}]}
        return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **common}

    def result(uuid: str, parent: str, id: str) -> dict[str, Any]:  # noqa: A002
        content = [{"type": "tool_result", "tool_use_id": id, "content": "broken", "is_error": True}]
        return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": content}, **common}

    assert talk.last is not None
    talk.raw(block("a", talk.last, "first")).raw(result("ra", "a", "first"))
    talk.raw(block("b", "a", "second")).raw(result("rb", "b", "second"))
    talk.last = "ra"
    (turn,) = read(talk.assistant("Done."), tmp_path).turns
    assert turn.tool_calls == (
        ToolCall("first", {}, failed=True, error="broken"),
        ToolCall("second", {}, failed=True, error="broken"),
    )
    assert turn.assistant == "Done."


@pytest.mark.parametrize(
    "text",
    [
        "<command-name>/compact</command-name>",
        "<command-message>review</command-message>\n<command-name>/review</command-name>",
        "<local-command-stdout>x</local-command-stdout>",
        "<local-command-caveat>x</local-command-caveat>",
        "<bash-input>ls</bash-input>",
        "<bash-stdout>a.md</bash-stdout><bash-stderr></bash-stderr>",
        "<task-notification>\n<task-id>a1</task-id>\n</task-notification>",
        "[Request interrupted by user]",
        "<system-reminder>only this</system-reminder>",
    ],
)
def test_a_text_that_nobody_types_is_no_prompt(tmp_path: Path, text: str) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.")
    talk.machine(text, promptSource=None, origin=None)
    assert said(talk.assistant("More."), tmp_path) == [("One?", "First.\n\nMore.")]


@pytest.mark.parametrize(
    "fields",
    [
        {"isMeta": True},
        {"isCompactSummary": True},
        {"isVisibleInTranscriptOnly": True},
        {"origin": {"kind": "channel"}},
        {"promptSource": "system"},
    ],
)
def test_a_line_that_says_that_nobody_typed_it_is_no_prompt(tmp_path: Path, fields: dict[str, Any]) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.").prompt("Looks typed.", **fields)
    assert said(talk.assistant("More."), tmp_path) == [("One?", "First.\n\nMore.")]


def test_a_line_that_says_that_a_person_typed_it_is_a_prompt(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?", origin={"kind": "human"}, promptSource="typed", isMeta=False)
    assert said(talk, tmp_path) == [("One?", "")]


def test_an_answer_before_the_first_prompt_belongs_to_no_turn(tmp_path: Path) -> None:
    talk = ClaudeTranscript().machine("<task-notification>x").assistant("Noted.").prompt("One?").assistant("First.")
    assert said(talk, tmp_path) == [("One?", "First.")]


def test_what_a_person_types_while_the_agent_works_is_a_prompt(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("Working.").queued("Mind the tests too.").assistant("Both done.")
    talk.queued("<task-notification>x", commandMode="task-notification", origin={"kind": "task-notification"})
    assert said(talk, tmp_path) == [("One?", "Working."), ("Mind the tests too.", "Both done.")]


def test_reminders_are_taken_out_of_a_prompt_and_pictures_are_named(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("Look <system-reminder>a</system-reminder>here", images=2, reminder="INJECTED")
    assert said(talk, tmp_path) == [("Look here\n\n[image]\n\n[image]", "")]


def test_an_unclosed_reminder_stays(tmp_path: Path) -> None:
    assert said(ClaudeTranscript().prompt("What is <system-reminder>?"), tmp_path) == [("What is <system-reminder>?", "")]


def test_what_a_person_took_back_is_left_out(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.").prompt("Wrong.").assistant("So be it.", tools=[Tool("Bash")])
    talk.prompt("Worse.").assistant("Indeed.").rewind(2).prompt("Right.").assistant("Good.")
    assert said(talk, tmp_path) == [("One?", "First."), ("Right.", "Good.")]


def test_all_that_was_said_can_be_taken_back(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("Wrong.").assistant("So be it.").rewind().prompt("Right.")
    assert said(talk, tmp_path) == [("Right.", "")]


def test_a_line_that_is_written_again_says_nothing_new(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.").prompt("Two?").assistant("Second.").compact()
    for line in talk.lines[2:4]:
        talk.raw({**json.loads(line), "parentUuid": talk.last})
    assert said(talk, tmp_path) == [("One?", "First."), ("Two?", "Second.")]
    assert said(talk.prompt("Three?"), tmp_path) == [("One?", "First."), ("Two?", "Second."), ("Three?", "")]


def test_a_fork_that_nobody_wished_for_loses_nothing(tmp_path: Path) -> None:
    # The next prompt hangs on a line of the program's that followed from the call, past the answer to it.
    talk = ClaudeTranscript().prompt("One?").assistant(tools=[Tool("Bash", result=None)])
    here = talk.last
    talk.tool_result("toolu_000000", "broken", failed=True).assistant("First.")
    talk.last = here
    talk.system("progress").prompt("Two?").assistant("Second.")
    assert said(talk, tmp_path) == [("One?", "First."), ("Two?", "Second.")]
    assert read(talk, tmp_path).turns[0].lesson == "Tools that failed in this turn: Bash"


def test_an_answer_beside_a_failed_try_is_kept(tmp_path: Path) -> None:
    # The first try failed, the second one's answer hangs on the prompt, and all that follows hangs on the failure.
    talk = ClaudeTranscript().prompt("One?")
    here = talk.last
    talk.system("api_error")
    failure, talk.last = talk.last, here
    talk.assistant("First.", "Second.")
    talk.last = failure
    assert said(talk.system().prompt("Two?"), tmp_path) == [("One?", "First.\n\nSecond."), ("Two?", "")]


def test_lines_before_which_one_was_never_written_lose_nothing(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.")
    talk.last = "never written"
    talk.assistant("More.")
    talk.last = "nor this"
    assert said(talk.prompt("Two?"), tmp_path) == [("One?", "First.\n\nMore."), ("Two?", "")]


def test_a_command_that_was_taken_back_takes_its_answer_with_it(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.")
    here = talk.last
    talk.machine("<command-name>/review</command-name>", promptSource=None, origin=None).assistant("Reviewed.")
    talk.last = here
    assert said(talk.prompt("Two?"), tmp_path) == [("One?", "First."), ("Two?", "")]


def test_no_conversation_ends_in_a_line_of_the_programs(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.")
    talk.last = None
    assert said(talk.machine("Caveat: x", isMeta=True), tmp_path) == [("One?", "First.")]


def test_a_compaction_loses_no_turn(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.").prompt("Gone.").rewind().prompt("Two?").assistant("Second.")
    talk.compact().attachment().prompt("Three?").assistant("Third.").compact().machine("<task-notification>x").assistant("Noted.")
    assert said(talk, tmp_path) == [("One?", "First."), ("Two?", "Second."), ("Three?", "Third.\n\nNoted.")]


def test_a_line_that_cannot_be_read_costs_what_it_said_and_nothing_else(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.").prompt("Two?").assistant("Second.", "Third.")
    talk.lines[3] = b'{"broken":\n'
    transcript = read(talk, tmp_path)
    assert [(turn.user, turn.assistant) for turn in transcript.turns] == [("One?", "First."), ("Two?", "Third.")]
    assert transcript.problems == ("1 line is no JSON object: 4",)
    assert transcript.complete_last


def test_a_sub_agents_talk_is_left_out(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").sidechain().assistant("First.").sidechain()
    assert said(talk, tmp_path) == [("One?", "First.")]
    assert read(ClaudeTranscript().sidechain(), tmp_path).turns == ()


def test_what_the_program_says_without_a_model_is_no_answer(tmp_path: Path) -> None:
    talk = ClaudeTranscript(model="one").prompt("One?").assistant("First.")
    talk.model = "two"
    talk.assistant("Second.").api_error()
    talk.model = "<synthetic>"
    talk.assistant("No response requested.")
    (turn,) = read(talk, tmp_path).turns
    assert (turn.assistant, turn.model) == ("First.\n\nSecond.", "two")


def test_a_cost_counts_once_for_a_message_of_many_lines(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("First.", thinking="x", tools=[Tool("Bash")], costUSD=0.25)
    talk.assistant("Second.", costUSD=0.5).prompt("Two?").assistant("Third.")
    assert [turn.cost for turn in read(talk, tmp_path).turns] == [0.75, None]


def test_a_copied_turn_is_the_turn_that_it_was_copied_from(tmp_path: Path) -> None:
    talk = ClaudeTranscript("parent").prompt("One?").assistant("First.")
    (turn,) = read(talk, tmp_path).turns
    fork = ClaudeTranscript("child")
    for line in talk.lines:
        value = json.loads(line)
        origin = {"sessionId": "parent", "messageUuid": value["uuid"]}
        copied = {"sessionId": "child", "uuid": f"new-{value['uuid']}", "forkedFrom": origin}
        fork.raw({**value, **copied, "parentUuid": value["parentUuid"] and f"new-{value['parentUuid']}"})
        fork.last = copied["uuid"]
    transcript = read(fork.prompt("Two?"), tmp_path)
    assert transcript.session == "child"
    assert transcript.turns[0] == turn
    assert (transcript.turns[1].session, transcript.turns[1].user) == ("child", "Two?")


def test_lines_of_another_session_are_that_sessions(tmp_path: Path) -> None:
    talk = ClaudeTranscript("old").prompt("One?").assistant("First.")
    talk.session = "new"
    talk.prompt("Two?")
    path = talk.write(tmp_path / "new.jsonl")
    transcript = read_claude(path)
    assert transcript.session == "new"
    assert [(turn.session, turn.user) for turn in transcript.turns] == [("old", "One?"), ("new", "Two?")]
    assert read_claude(talk.write(tmp_path / "copy of it.jsonl")).session == "old"  # as most lines say


def test_lines_without_a_session_are_the_files(tmp_path: Path) -> None:
    path = tmp_path / "named.jsonl"
    path.write_text(
        '{"type":"user","uuid":"a","parentUuid":null,"message":{"role":"user","content":"One?"}}\n'
        '{"type":"assistant","uuid":"b","parentUuid":"a","message":{"role":"assistant","content":"First."}}\n'
    )
    (turn,) = read_claude(path).turns
    assert (turn.session, turn.user, turn.assistant, turn.timestamp, turn.uuid) == ("named", "One?", "First.", None, "b")


def test_lines_that_name_each_other_in_a_circle_end(tmp_path: Path) -> None:
    talk = ClaudeTranscript()
    common = {"type": "user", "sessionId": CLAUDE_SESSION}
    talk.raw({**common, "uuid": "a", "parentUuid": "b", "message": {"content": "One?"}})
    talk.raw({**common, "uuid": "b", "parentUuid": "a", "message": {"content": "Two?"}})
    talk.raw({**common, "uuid": "c", "parentUuid": "c", "message": {"content": "Three?"}})
    assert {turn.user for turn in read(talk, tmp_path).turns} == {"Three?"}


def test_an_endless_input_of_a_tool_is_cut_far_above_what_is_stored(tmp_path: Path) -> None:
    talk = ClaudeTranscript().prompt("One?").assistant("x", tools=[Tool("Write", {"content": "y" * 1_000_000})])
    (turn,) = read(talk, tmp_path).turns
    assert turn.tool_calls[0].input == {"content": "y" * 65_536 + "… (934,464 more characters)"}


def test_an_input_deeper_than_any_writer_walks_is_cut(tmp_path: Path) -> None:
    deep: Any = "x"
    for _ in range(300):
        deep = [deep]
    (turn,) = read(ClaudeTranscript().prompt("One?").assistant("x", tools=[Tool("Odd", {"deep": deep})]), tmp_path).turns
    assert "…" in repr(turn.tool_calls[0].input)
    assert len(repr(turn.tool_calls[0].input)) < 100
