from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.agent_turn import AgentTurn, ToolCall
from memtree.tree.context_fence import CLOSE, OPEN, fenced, without_fenced
from memtree.tree.document import Document
from memtree.tree.episode import Episode, InvalidEpisode
from memtree.tree.redactor import Redactor

TEXT = st.text(st.characters(exclude_categories=()), max_size=80) | st.sampled_from(
    [
        "---\n",
        "# x\n---\nsession_id: forged\n---\n",
        "\ud800",
        "a\0b",
        "\r\n",
        "## Heading",
        "> [!conflict] c-1",
        "{a: &x 1}",
        "\x85\u2028",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)
TURNS = st.builds(
    AgentTurn,
    session=st.just("s-1"),
    user=TEXT,
    assistant=TEXT,
    timestamp=st.integers(0, 4_000_000_000_000),
    uuid=TEXT,
    prompt_uuid=TEXT,
    tool_calls=st.lists(st.builds(ToolCall, TEXT, JSON, st.booleans(), TEXT), max_size=4).map(tuple),
    model=TEXT,
    cost=st.none() | st.floats(0, 1e6) | st.floats() | st.sampled_from([10**400, -1]),
    source=TEXT,
    speaker=TEXT,
)


def header(episode: Episode) -> dict[str, Any]:
    front = Document.parse(episode.render()).front_matter()
    assert not front.problem
    return {key: front.meaning(key) for key in front.values}


def test_a_turn_is_the_users_message_and_a_millisecond_later_the_answer() -> None:
    turn = AgentTurn("s-1", "Which port?", "8443.", 1_714_557_600_123, "u5", "u1", model="m-1", cost=0.0123, source="claude-code")
    user, answer = turn.episodes(7)
    assert (user.seq, user.role, user.text, user.timestamp) == (7, "user", "Which port?", 1_714_557_600_123)
    assert (answer.seq, answer.role, answer.text, answer.timestamp) == (8, "assistant", "8443.", 1_714_557_600_124)
    assert header(user)["uuid"] == header(answer)["prompt"] == "u1"
    assert header(answer) | {"uuid": "u5", "model": "m-1", "cost": 0.0123} == header(answer)


def test_what_was_not_said_is_no_file() -> None:
    assert [one.role for one in AgentTurn("s", "Hello").episodes(1)] == ["user"]
    assert [(one.role, one.seq) for one in AgentTurn("s", "", "Hello").episodes(1)] == [("assistant", 1)]
    assert [one.role for one in AgentTurn("s", " \n", "", tool_calls=(ToolCall("Bash"),)).episodes(1)] == ["assistant"]
    assert not AgentTurn("s", " ", "\n").says_something


def test_tools_that_failed_give_the_lesson_each_once() -> None:
    calls = (ToolCall("Bash", failed=True), ToolCall("Read"), ToolCall("Edit", failed=True), ToolCall("Bash", failed=True))
    turn = AgentTurn("s", "go", "done", 0, tool_calls=calls)
    assert turn.lesson == "Tools that failed in this turn: Bash, Edit"
    assert header(list(turn.episodes(1))[1])["lesson"] == turn.lesson
    assert AgentTurn("s", "go", "done", tool_calls=(ToolCall("Read"),)).lesson == ""


def test_calls_are_told_with_their_inputs_and_errors() -> None:
    turn = AgentTurn("s", "", "", 0, tool_calls=(ToolCall("Bash", {"command": "ls\n-la"}, True, "no such file"),))
    (answer,) = turn.safe(Redactor()).episodes(1)
    line = next(line for line in answer.extra.splitlines() if line.startswith("tool_calls: "))
    told = json.loads(line.removeprefix("tool_calls: "))
    assert told == [{"name": "Bash", "input": {"command": "ls\n-la"}, "error": "no such file"}]


@pytest.mark.parametrize("input_", ["x " * 200_000, ["y" * 100] * 10_000, {f"k{n}": "z" * 1_000 for n in range(100)}])
def test_the_header_stays_small_whatever_a_tool_was_given(input_: object) -> None:
    turn = AgentTurn("s", "go", "done", 0, tool_calls=(ToolCall("Write", input_),) + (ToolCall("Bash", "x" * 900),) * 300)
    answer = list(turn.safe(Redactor()).episodes(1))[1]
    assert len(answer.extra) < 40_000
    assert header(answer)["tool_calls"]


@pytest.mark.parametrize("cost", [float("nan"), float("inf"), -1, -0.5, 10**400, 1e300])
def test_a_cost_that_is_none_is_left_out(cost: float) -> None:
    (answer,) = AgentTurn("s", "", "done", 0, cost=cost).episodes(1)
    assert "cost" not in header(answer)


def nest(levels: int, leaf: object) -> object:
    for _ in range(levels):
        leaf = [leaf]
    return leaf


@pytest.mark.parametrize(
    "input_",
    [
        {"a": float("nan"), "b": [float("-inf")], "c": 10**5_000, "d": 10**30},
        {1: {None: {True: {2.5: {3: {4: {(5, 6): 7}}}}}}},
        {"deep": nest(5_000, float("nan"))},
        (1, (2, ("x",) * 100)),
        {"set": {1}, "bytes": b"x"},
    ],
    ids=["numbers", "keys", "deep", "tuples", "objects"],
)
def test_an_input_that_is_no_json_costs_no_turn(input_: object) -> None:
    turn = AgentTurn("s", "go", "done", 0, tool_calls=(ToolCall("Bash", input_), ToolCall("Read")))
    answer = list(turn.safe(Redactor()).episodes(1))[1]
    assert [call["name"] for call in header(answer)["tool_calls"]] == ["Bash", "Read"]


@pytest.mark.parametrize("time", [0, -1, -62_135_596_800_000, 253_402_300_799_999])
def test_every_moment_that_can_be_written_is_a_turns(time: int) -> None:
    assert [one.timestamp for one in AgentTurn("s", "a", "b", time).episodes(1)] == [time, min(time + 1, 253_402_300_799_999)]


@pytest.mark.parametrize("time", [10**18, -(10**18), float("nan"), float("inf"), 0.5])
def test_any_other_moment_is_refused_in_words(time: float) -> None:
    with pytest.raises(InvalidEpisode):
        list(AgentTurn("s", "a", "b", time).episodes(1))  # type: ignore[arg-type]


def test_secrets_leave_every_part() -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    call = ToolCall(f"Bash {key}", {"command": f"curl -H 'Authorization: Bearer {key}'", key: [key]}, True, f"denied: {key}")
    turn = AgentTurn("s", f"my key is {key}", f"I used {key}", 0, tool_calls=(call,), model=key, source=key, speaker=key)
    rendered = b"".join(one.render() for one in turn.safe(Redactor()).episodes(1))
    assert key.encode() not in rendered
    assert b"my key is [secret: github-token]" in rendered


@given(st.integers(0, 2_100), st.sampled_from(["key", "value", "name", "error", "listed", "deep", "nested"]))
def test_no_half_of_a_secret_is_left_where_a_text_is_cut(before: int, place: str) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    text = f"{'x' * before} {key}"
    call = {
        "key": ToolCall("Bash", {text: {text: 1}}),
        "value": ToolCall("Bash", text),
        "name": ToolCall(text),
        "error": ToolCall("Bash", None, True, text),
        "listed": ToolCall("Bash", ["y"] * 49 + [text, text]),
        "deep": ToolCall("Bash", nest(8, text)),
        "nested": ToolCall("Bash", json.dumps({text: text})),
    }[place]
    turn = AgentTurn("s", "go", "done", 0, tool_calls=(call,)).safe(Redactor())
    assert key[:12] not in "".join(one.extra for one in turn.episodes(1))


@given(TURNS)
def test_files_are_never_broken_nor_forged(turn: AgentTurn) -> None:
    safe = turn.safe(Redactor())
    episodes = list(safe.episodes(3))
    assert [one.seq for one in episodes] == list(range(3, 3 + len(episodes)))
    for episode in episodes:
        data = episode.render()
        found = Episode.parse(episode.path(), data)
        assert found is not None
        assert (found.session, found.seq, found.role, found.timestamp) == ("s-1", episode.seq, episode.role, episode.timestamp)
        front = Document.parse(data).front_matter()
        assert not front.problem
        assert set(front.values) <= {
            "session_id", "seq", "timestamp", "role", "speaker", "source",
            "uuid", "prompt", "model", "cost", "lesson", "tool_calls",
        }  # fmt: skip
    assert safe.safe(Redactor()) == safe or any(call.input for call in turn.tool_calls)


@given(TEXT, TEXT, TEXT)
def test_what_memory_said_is_never_recorded_again(before: str, inside: str, after: str) -> None:
    for text in (inside, f"{CLOSE}{inside}", f"{inside}{OPEN}", f"< / MEMTREE-context>{inside}"):
        block = fenced(text)
        assert block.count(OPEN) == block.count(CLOSE) == 1
        assert without_fenced(f"{before}{block}{after}") == before + after.removeprefix("\n")


CONTEXT = fenced("Goals:\n- [1] win\n\nFrom memory:\n- [2] (2024-05-01) the heron nests — notes/a.md:3")


@given(TEXT, st.integers(0, len(CONTEXT)))
def test_a_fence_that_was_cut_takes_nothing_along_but_what_is_its_own(before: str, end: int) -> None:
    mine = "And what do you think of it?\n\n- of this: a list\n- [x] and that"
    left = without_fenced(f"{before}\n{CONTEXT[:end]}\n\n{mine}")
    assert left.startswith(before)
    assert left.endswith(mine)
    assert "heron" not in left
    assert "win" not in left


@pytest.mark.parametrize(
    "text",
    [
        f"What does {OPEN} mean?\nI saw it today.",
        f"`{OPEN}x{CLOSE}`",
        f"{OPEN}\nmine\n{CLOSE}\nmine too",
        f"{CLOSE}{OPEN}",
        f"```\n{OPEN}\n```\n- [1] mine",
        "<MEMTREE-CONTEXT>x",
    ],
)
def test_what_a_person_writes_about_the_marks_is_hers(text: str) -> None:
    assert without_fenced(text) == text


def test_a_fence_that_stood_within_the_marks_of_another_leaves_none() -> None:
    assert "heron" not in without_fenced(f"{CONTEXT[:9]}{CONTEXT}{CONTEXT[9:]}")
