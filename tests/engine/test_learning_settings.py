"""What is learnt from conversations: the tables, the variables that decide on one machine, and being told of other sessions."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest

from memtree.engine.files import Durability
from memtree.engine.learning_settings import BadVariable, LearningSettings, with_environment
from memtree.engine.retrieval.context import load_context
from memtree.engine.settings import InvalidSettings, parse
from memtree.engine.workspace import Options, Workspace
from memtree.tree.agent_turn import AgentTurn
from memtree.tree.segments import Limits

NAMES = [field.name for field in fields(LearningSettings)]
NOW = 1_780_000_000.0


def test_the_defaults() -> None:
    found = parse(b"")
    assert found.learning == LearningSettings(False, True, True, True, True, True)
    assert found.segments.limits == Limits()
    assert (Limits().max_turns, Limits().max_gap, Limits().min_cosine) == (20, 600.0, 0.4)
    assert sum(marker.isascii() for marker in Limits().markers) == 15


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("name", NAMES)
def test_each_in_the_file(name: str, value: bool) -> None:
    found = parse(f"[learning]\n{name} = {str(value).lower()}\n".encode()).learning
    assert getattr(found, name) is value
    assert [getattr(found, one) for one in NAMES if one != name] == [
        getattr(LearningSettings(), one) for one in NAMES if one != name
    ]


@pytest.mark.parametrize(
    ("said", "value"), [("1", True), ("TRUE", True), (" on ", True), ("0", False), ("No", False), ("off", False)]
)
@pytest.mark.parametrize("name", NAMES)
def test_each_in_the_environment(name: str, said: str, value: bool) -> None:
    for before in (LearningSettings(), LearningSettings(**dict.fromkeys(NAMES, not value))):
        assert getattr(with_environment(before, {f"MEMTREE_LEARNING_{name.upper()}": said}), name) is value
    assert with_environment(LearningSettings(), {f"MEMTREE_LEARNING_{name.upper()}": ""}) == LearningSettings()


def test_a_variable_that_says_neither_is_named() -> None:
    with pytest.raises(BadVariable, match="MEMTREE_LEARNING_ENABLED must be true or false") as caught:
        with_environment(LearningSettings(), {"MEMTREE_LEARNING_ENABLED": "maybe"})
    assert "unset" in caught.value.hint


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("learning = 1\n", "learning must be a table"),
        ("[learning]\nenable = true\n", "unknown key 'enable'; it may hold enabled, "),
        ('[learning]\nenabled = "yes"\n', "learning.enabled must be true or false"),
        ("segments = []\n", "segments must be a table"),
        ("[segments]\nmax_turns = 3\n", "unknown key 'max_turns'; it may hold max_turns_per_segment"),
        ("[segments]\nmax_turns_per_segment = 0\n", "must be a number from 1 to 1,000"),
        ("[segments]\nmax_turns_per_segment = 2.5\n", "must be a whole number"),
        ("[segments]\nmax_time_gap_secs = true\n", "must be a number from 1"),
        ("[segments]\nmin_cosine_similarity = 1.5\n", "must be a number from -1 to 1"),
        ("[segments]\nmin_cosine_similarity = nan\n", "must be a number from -1 to 1"),
        ('[segments]\nmarkers = "new topic"\n', "must be a list of phrases"),
        ('[segments]\nmarkers = [" "]\n', "must be a list of phrases"),
        ("[segments]\nclose_idle_secs = 1\n", "must be a number from 60"),
    ],
)
def test_what_is_wrong_in_the_file_is_named(table: str, said: str) -> None:
    with pytest.raises(InvalidSettings) as caught:
        parse(table.encode())
    assert said in str(caught.value)


def test_no_markers_at_all_can_be_wanted() -> None:
    assert parse(b"[segments]\nmarkers = []\n").segments.limits.markers == ()


@pytest.fixture
def root(tmp_path: Path) -> str:
    with Workspace.init(str(tmp_path / "w"), options=Options(durability=Durability.FAST))[0] as workspace:
        toml = tmp_path / "w" / "memtree.toml"
        toml.write_text(toml.read_text() + '[embedding]\nmodel = "none"\n')
        (tmp_path / "w" / "lantern.md").write_text("The lantern stands in the harbour of Porto.\n")
        workspace.save()
        workspace.record_turn(AgentTurn("s-1", "Which lantern stands in the harbour of Lisbon?", "The green one.", 1))
        workspace.refresh_index()
    return str(tmp_path / "w")


def told(root: str, query: str) -> str:
    with Workspace.open(root) as workspace:
        return load_context(workspace, query, session="s-2", now=NOW).text


def test_whether_agents_are_told_of_other_conversations(root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Lisbon" in told(root, "")
    assert "Lisbon" in told(root, "Which lantern stands in the harbour?")
    monkeypatch.setenv("MEMTREE_LEARNING_STM_RECALL_ENABLED", "off")
    assert "Lisbon" not in told(root, "")
    answer = told(root, "Which lantern stands in the harbour?")
    assert "Lisbon" not in answer
    assert "Porto" in answer  # notes are no conversation
