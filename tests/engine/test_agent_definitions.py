"""The agents' definitions: ours, what a workspace changes key by key, and everything wrong refused by its place."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.agents.definition import BadDefinition, Definition, Role, Sandbox, Tier, as_keys
from memtree.engine.agents.finding import NAMES, NoSuchAgent, find_agent, strangers
from memtree.engine.agents.tool_facts import KNOWN, Permission, Scope, granted


def put(root: Path, path: str, data: str | bytes) -> None:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(data if isinstance(data, bytes) else data.encode())


def definition(root: Path, name: str) -> Definition:
    return find_agent(str(root), name).definition


def test_what_comes_with_memtree(tmp_path: Path) -> None:
    archivist, goals, memory = (definition(tmp_path, name) for name in NAMES)
    assert (archivist.id, archivist.delegate_name, archivist.temperature) == ("archivist", "archive_session", 0.4)
    assert (archivist.max_iterations, archivist.max_result_chars, archivist.background) == (3, 8_000, True)
    assert (archivist.sandbox_mode, archivist.hint, archivist.omit_memory_md) == (Sandbox.NONE, Role.LOCAL, False)
    assert archivist.tools == ("update_memory_md", "record_turn", "memory_store")
    assert (goals.id, goals.delegate_name, goals.temperature, goals.max_iterations) == ("goals_agent", "curate_goals", 0.3, 5)
    assert goals.tools == ("goals_list", "goals_add", "goals_edit", "goals_delete", "memory_recall")
    assert (memory.id, memory.delegate_name, memory.temperature, memory.max_iterations) == (
        "agent_memory",
        "retrieve_memory",
        0.2,
        6,
    )
    assert (memory.sandbox_mode, memory.agent_tier, memory.background) == (Sandbox.READ_ONLY, Tier.WORKER, False)
    for one in NAMES:
        found = find_agent(str(tmp_path), one)
        assert (found.changed, found.notes) == ({}, ())
        assert found.archetype.startswith("# ")


@pytest.mark.parametrize("name", ["goals", "goals_agent", "curate_goals", " Goals "])
def test_an_agent_has_three_names(tmp_path: Path, name: str) -> None:
    assert find_agent(str(tmp_path), name).name == "goals"


def test_another_name_is_told_which_there_are(tmp_path: Path) -> None:
    with pytest.raises(NoSuchAgent) as caught:
        find_agent(str(tmp_path), "../goals")
    assert caught.value.hint == "the agents are archivist, goals, memory"


@pytest.mark.parametrize("folder", ["agents/goals", "agents/goals_agent"])
def test_a_workspace_changes_single_keys(tmp_path: Path, folder: str) -> None:
    before = as_keys(definition(tmp_path, "goals"))
    put(
        tmp_path,
        f"{folder}/agent.toml",
        "\ufefftemperature = 1\nbackground = true\n[model]\nhint = 'chat'\n[tools]\nnamed = ['goals_list']\n",
    )
    found = find_agent(str(tmp_path), "goals")
    expected = {"temperature": 1.0, "model.hint": Role.CHAT, "tools.named": ("goals_list",)}
    assert as_keys(found.definition) == before | expected
    assert found.changed == dict.fromkeys(expected, f"{folder}/agent.toml")  # what says the same as ours changes nothing
    assert found.archetype == find_agent(str(tmp_path / "none"), "goals").archetype


def test_a_workspace_changes_the_prompt(tmp_path: Path) -> None:
    put(tmp_path, "agents/archivist/prompt.md", "\ufeff# Mine\r\n\r\nOnly facts.\r\n")
    found = find_agent(str(tmp_path), "archivist")
    assert (found.archetype, found.changed) == ("# Mine\n\nOnly facts.", {"prompt": "agents/archivist/prompt.md"})
    put(tmp_path, "agents/archivist/prompt.md", " \n\n")
    found = find_agent(str(tmp_path), "archivist")
    assert found.archetype.startswith("# Archivist")
    assert found.notes == ("agents/archivist/prompt.md is empty: the prompt that comes with memtree is used",)


@pytest.mark.parametrize(
    ("text", "key", "reason"),
    [
        ("temprature = 0.1", "'temprature'", "is no key of an agent; it may hold id, "),
        ("model = 'chat'", "model", "must be a table: [model]"),
        ("[model]\nname = 'x'", "'model.name'", "is no key"),
        ("[model]\nhint = 'big'", "model.hint", "must be one of local, chat, agentic, summarization"),
        ("temperature = 3", "temperature", "must be a number from 0 to 2"),
        ("temperature = nan", "temperature", "must be a number from 0 to 2"),
        ("temperature = true", "temperature", "must be a number from 0 to 2"),
        ("max_iterations = 0", "max_iterations", "must be a whole number from 1 to 50"),
        ("max_iterations = 1.5", "max_iterations", "must be a whole number"),
        ("max_result_chars = 10", "max_result_chars", "must be a whole number from 200 to 100,000"),
        ("sandbox_mode = 'off'", "sandbox_mode", "must be one of none, sandboxed, read_only"),
        ("agent_tier = 1", "agent_tier", "must be one of chat, reasoning, worker"),
        ("background = 'yes'", "background", "must be true or false"),
        ("delegate_name = 'Archive session'", "delegate_name", "must be a name of small letters"),
        ("display_name = ''", "display_name", "must be one line of text"),
        ("when_to_use = 'a\\nb'\ndisplay_name = \"a\\nb\"", "display_name", "must be one line of text"),
        ("[tools]\nnamed = 'goals_list'", "tools.named", "must be a list of at most 40 names of tools"),
        ("[tools]\nnamed = ['rm -rf']", "tools.named", "must be a name"),
        ("[tools]\nnamed = [['a']]", "tools.named", "must be a name"),
        ("[delegates]\nnamed = 'all'", "delegates.named", "must be a list of at most 40 names of agents"),
        ("[delegates]\nnamed = ['archive_session']", "delegates.named", "must not name archive_session: no agent calls itself"),
        ("[delegates]\nnamed = ['memory']", "delegates.named", "names no agent: memory; there are archive_session, "),
        ("id = 'other'", "id", "must be archivist: the folder says which agent it changes"),
        ("temperature =", "", "is no TOML"),
    ],
)
def test_what_is_wrong_is_refused_by_file_and_key(tmp_path: Path, text: str, key: str, reason: str) -> None:
    put(tmp_path, "agents/archivist/agent.toml", text)
    with pytest.raises(BadDefinition) as caught:
        find_agent(str(tmp_path), "archivist")
    assert (caught.value.path, caught.value.key) == ("agents/archivist/agent.toml", key)
    assert str(caught.value).startswith(f"agents/archivist/agent.toml: {f'{key} ' if key else ''}{reason}")
    assert definition(tmp_path, "goals").id == "goals_agent"  # the others still stand


def test_what_is_no_small_file_of_text_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "agents/archivist/agent.toml"
    put(tmp_path, "elsewhere.toml", "temperature = 0.1")
    file.parent.mkdir(parents=True)
    file.symlink_to(tmp_path / "elsewhere.toml")
    for reason in ("symbolic link", "is a folder", "more than 65,536", "is no TOML"):
        with pytest.raises(BadDefinition, match=reason):
            find_agent(str(tmp_path), "archivist")
        file.unlink() if not file.is_dir() else file.rmdir()
        if reason == "symbolic link":
            file.mkdir()
        elif reason == "is a folder":
            file.write_bytes(b"#" * 70_000)
        else:
            file.write_bytes(b"display_name = '\xff'")


def test_two_folders_for_one_agent_are_refused(tmp_path: Path) -> None:
    put(tmp_path, "agents/goals/agent.toml", "temperature = 0.1")
    put(tmp_path, "agents/goals_agent/prompt.md", "x")
    with pytest.raises(BadDefinition, match="both change the same agent"):
        find_agent(str(tmp_path), "goals")


def test_a_folder_that_changes_nothing_is_told(tmp_path: Path) -> None:
    assert strangers(str(tmp_path)) == []
    for name in ("archivst", "goals", "goals_agent", "notes"):
        put(tmp_path, f"agents/{name}/{'readme.md' if name == 'notes' else 'agent.toml'}", "")
    assert strangers(str(tmp_path)) == ["agents/archivst"]


def test_no_tool_that_writes_is_given_to_who_may_only_look(tmp_path: Path) -> None:
    put(tmp_path, "agents/memory/agent.toml", "[tools]\nnamed = ['memory_recall', 'goals_delete', 'no_such']")
    for mode, tools, withheld in (
        ("read_only", ["memory_recall"], ("goals_delete",)),
        ("sandboxed", ["memory_recall"], ("goals_delete",)),
        ("none", ["memory_recall", "goals_delete"], ()),
    ):
        put(
            tmp_path,
            "agents/memory/agent.toml",
            f"sandbox_mode = '{mode}'\n[tools]\nnamed = ['memory_recall', 'goals_delete', 'no_such']",
        )
        got = granted(definition(tmp_path, "memory"))
        assert ([one.name for one in got.tools], got.missing, got.withheld) == (tools, ("no_such",), withheld)


def test_every_tool_of_ours_is_known(tmp_path: Path) -> None:
    assert [granted(definition(tmp_path, name)).missing for name in NAMES] == [(), (), ()]
    assert all(one.description for one in KNOWN.values())


def test_every_tool_says_what_it_may_do() -> None:
    writing = {name for name, one in KNOWN.items() if one.permission is Permission.WRITE}
    adding = {"update_memory_md", "record_turn", "memory_store", "ingest_document"}
    assert writing == adding | {"goals_add", "goals_edit", "goals_delete"}
    assert {name for name, one in KNOWN.items() if one.writes} == writing
    agents_only = {name for name, one in KNOWN.items() if one.scope is Scope.AGENT_ONLY}
    assert agents_only == {"ask_user_clarification", "call_memory_agent"}
    assert all(KNOWN[name].concurrent for name in KNOWN.keys() - writing - agents_only)


def test_the_agent_that_answers_may_only_look(tmp_path: Path) -> None:
    got = granted(definition(tmp_path, "memory"))
    assert got.withheld == ()
    assert all(one.permission is Permission.READ_ONLY for one in got.tools)
