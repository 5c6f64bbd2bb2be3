"""What is sent to the servers of open models: one system message first, nobody twice in a row as a user, and no word lost."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.llm.plain_chat import full_answer, plain_request

texts = st.text(st.characters(codec="ascii", categories=["L"]), min_size=1, max_size=5)
messages = st.lists(
    st.builds(lambda role, text: {"role": role, "content": text}, st.sampled_from(["system", "user", "assistant", "tool"]), texts)
    | st.just({"role": "assistant", "content": None, "tool_calls": [{"id": "c"}]})
    | st.builds(lambda text: {"role": "user", "content": [{"type": "text", "text": text}]}, texts)
)


@given(messages)
def test_any_conversation(said: list[dict[str, object]]) -> None:
    found = plain_request({"model": "m", "messages": said})["messages"]
    roles = [message["role"] for message in found]
    assert "system" not in roles[1:]
    speakers = [(message["role"], isinstance(message["content"], str)) for message in found]
    assert (("user", True), ("user", True)) not in itertools.pairwise(speakers)
    assert words(found) == words(said)
    assert plain_request({"messages": found})["messages"] == found


def words(said: list[dict[str, object]]) -> list[str]:
    return [word for message in said if isinstance(message["content"], str) for word in message["content"].split("\n\n")]


def test_what_is_no_conversation_is_left_alone() -> None:
    assert plain_request({"input": "x"}) == {"input": "x"}
    assert full_answer({"error": "x"}, "m") == {"error": "x"}
    assert full_answer({"choices": [], "model": "n"}, "m")["model"] == "n"


@given(
    st.lists(st.none() | st.sampled_from(["", "a", "b"]) | st.integers(), min_size=1, max_size=4),
    st.sampled_from(['{"x": 1}', {"x": 1}, "", None]),
)
def test_calls_of_tools_have_an_id_each_and_their_arguments_as_a_text(ids: list[object], arguments: object) -> None:
    calls = [{"id": one, "function": {"name": "t", "arguments": arguments}} for one in ids]
    message = {"role": "assistant", "content": None, "tool_calls": calls}
    answer = full_answer({"choices": [{"index": 0, "message": message}]}, "m")
    made = answer["choices"][0]["message"]["tool_calls"]
    assert len({call["id"] for call in made}) == len(ids)
    assert all(isinstance(call["id"], str) and call["id"] for call in made)
    wanted = '{"x": 1}' if arguments == {"x": 1} else arguments
    assert [call["function"] for call in made] == [{"name": "t", "arguments": wanted}] * len(ids)
    if set(ids) <= {"a", "b"} and len(set(ids)) == len(ids):
        assert [call["id"] for call in made] == ids
    assert full_answer(answer, "m") == answer


def test_counts_that_are_none_are_left_out() -> None:
    good = {"prompt_tokens": 9, "completion_tokens": 0}
    assert full_answer({"choices": [], "usage": good}, "m")["usage"] == good
    for bad in (None, 3, [], {"prompt_tokens": -1}, {"total_tokens": "9"}, {"completion_tokens": None}, {"prompt_tokens": 10**40}):
        assert "usage" not in full_answer({"choices": [], "usage": bad}, "m")


def test_what_has_another_shape_is_left_to_the_client() -> None:
    for choices in ([1], ["x"], [{}], [{"message": None}], [{"message": {"tool_calls": 3}}], [{"message": {"tool_calls": [1]}}]):
        assert full_answer({"choices": choices}, "m")["choices"] == choices
