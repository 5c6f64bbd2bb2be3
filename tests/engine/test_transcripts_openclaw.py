"""OpenClaw's legacy transcripts: which lines become which turn."""

from __future__ import annotations

from pathlib import Path

from memtree.engine.transcripts.openclaw import read_openclaw
from memtree.engine.transcripts.reading import Transcript
from memtree.tree.agent_turn import AgentTurn, ToolCall
from support.agent_transcripts import OpenClawSession, Tool

SAMPLE = """
{"type":"session","id":"oc1","cwd":"/h/.openclaw/workspace","timestamp":"2026-01-05T09:00:00.000Z"}
{"type":"message","id":"e1","parentId":null,"timestamp":"2026-01-05T09:00:01.000Z","message":{"role":"user","content":[{"type":"text","text":"Which port?"}]}}
{"type":"message","id":"e2","parentId":"e1","timestamp":"2026-01-05T09:00:02.000Z","message":{"role":"toolResult","toolCallId":"t1","toolName":"read","content":[{"type":"text","text":"port=8443"}]}}
{"type":"compaction","id":"e3","parentId":"e2","timestamp":"2026-01-05T09:00:03.000Z","summary":"Ports.","firstKeptEntryId":"e2","tokensBefore":900}
"""  # noqa: E501


def read(talk: OpenClawSession, folder: Path) -> Transcript:
    return read_openclaw(talk.write_below(folder))


def test_a_small_session_is_one_turn(tmp_path: Path) -> None:
    path = tmp_path / "oc1.jsonl"
    path.write_text(SAMPLE.lstrip())
    turn = AgentTurn("oc1", "Which port?", "", 1_767_603_601_000, "oc1:e1", "oc1:e1", source="openclaw")
    assert read_openclaw(path) == Transcript("oc1", "/h/.openclaw/workspace", (turn,))


def test_a_turn_begins_with_each_prompt(tmp_path: Path) -> None:
    tools = [Tool("read", {"path": "cfg"}, "no such file", failed=True), Tool("bash", {"command": "ls"})]
    talk = OpenClawSession().prompt("One?").assistant("First.", "Second.", tools=tools)
    talk.entry("compaction", summary="SUMMARY").entry("custom_message", content="INJECTED").prompt("Two?").assistant("Third.")
    transcript = read(talk, tmp_path)
    assert [(turn.user, turn.assistant, turn.prompt_uuid) for turn in transcript.turns] == [
        ("One?", "First.\n\nSecond.", talk.prompts[0]),
        ("Two?", "Third.", talk.prompts[1]),
    ]
    assert transcript.turns[0].tool_calls == (
        ToolCall("read", {"path": "cfg"}, failed=True, error="no such file"),
        ToolCall("bash", {"command": "ls"}),
    )
    assert {turn.model for turn in transcript.turns} == {"made-1"}
    assert "SUMMARY" not in repr(transcript)
    assert "INJECTED" not in repr(transcript)


def test_what_a_person_took_back_is_left_out(tmp_path: Path) -> None:
    talk = OpenClawSession().prompt("One?").assistant("First.")
    here = talk.last
    talk.prompt("Wrong.").assistant("So be it.").entry("branch_summary", summary="SUMMARY")
    talk.last = here
    talk.prompt("Right.")
    assert [turn.user for turn in read(talk, tmp_path).turns] == ["One?", "Right."]


def test_a_heartbeat_and_its_answer_are_left_out(tmp_path: Path) -> None:
    talk = OpenClawSession().prompt("One?").assistant("First.")
    talk.prompt("Read HEARTBEAT.md if it exists (workspace context). Follow it strictly.").assistant("HEARTBEAT_OK")
    assert [(turn.user, turn.assistant) for turn in read(talk, tmp_path).turns] == [("One?", "First.")]


def test_a_cost_is_summed_where_it_is_told(tmp_path: Path) -> None:
    talk = OpenClawSession().prompt("One?").assistant("First.").assistant("Second.")
    talk.lines[-2:] = [line.replace(b'"usage":{', b'"usage":{"cost":{"total":0.25},') for line in talk.lines[-2:]]
    assert [turn.cost for turn in read(talk, tmp_path).turns] == [0.5]


def test_lines_without_ids_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "plain.jsonl"
    path.write_text(
        '{"type":"message","message":{"role":"user","content":"One?"}}\n'
        '{"type":"message","message":{"role":"assistant","content":"First."}}\n'
    )
    (turn,) = read_openclaw(path).turns
    assert (turn.session, turn.user, turn.assistant, turn.prompt_uuid) == ("plain", "One?", "First.", "plain:#0")


def test_a_line_that_is_written_again_says_nothing_new(tmp_path: Path) -> None:
    talk = OpenClawSession().prompt("One?").assistant("First.")
    talk.raw(talk.lines[-1])
    assert [(turn.user, turn.assistant) for turn in read(talk, tmp_path).turns] == [("One?", "First.")]
