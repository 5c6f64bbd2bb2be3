"""What a mode is asked with is checked: any JSON gives an answer or an error that names the parameter, never anything else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memtree.engine.memory_tree.as_json import as_json
from memtree.engine.memory_tree.asked import LONGEST_BODY, LONGEST_QUERY, read, require_window
from memtree.engine.memory_tree.hits import Answer, BadRequest, Window
from memtree.engine.memory_tree.modes import MODES, MemoryTree, WriteFacts, mode_named, run_mode
from memtree.engine.workspace import Workspace
from support.gitrepo import GitRepo
from support.memory_lab import DAY, NOW, ask, hits, made, note

WALK = MODES["walk"].parameters
COVER = MODES["cover_window"].parameters
READING = sorted(name for name, facts in MODES.items() if not isinstance(facts, WriteFacts))
NAMES = sorted({parameter.name for facts in MODES.values() for parameter in facts.parameters})


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    files = {"notes/heron.md": note("The certificate of Heron Bay is renewed by Ada Lovelace.", "2026-03-01")}
    with made(tmp_path_factory.mktemp("asked"), files) as opened:
        yield opened


@pytest.mark.parametrize(
    ("parameters", "name", "words"),
    [
        ({}, "query", "missing"),
        ({"query": None}, "query", "missing"),
        ({"query": ""}, "query", "blank"),
        ({"query": " \n\t "}, "query", "blank"),
        ({"query": 7}, "query", "must be a text, not a number"),
        ({"query": ["a"]}, "query", "not a list"),
        ({"query": "x" * (LONGEST_QUERY + 1)}, "query", "10,001 characters"),
        ({"query": "x" * 10_000_000}, "query", "10,000,000 characters"),
        ({"query": "a", "limit": 0}, "limit", "limit is 0"),
        ({"query": "a", "limit": -1}, "limit", "limit is -1"),
        ({"query": "a", "limit": 10**9}, "limit", "limit is 1000000000"),
        ({"query": "a", "limit": 10**5000}, "limit", "bits"),
        ({"query": "a", "limit": 1e300}, "limit", "bits"),
        ({"query": "a", "limit": float("inf")}, "limit", "whole number"),
        ({"query": "a", "limit": float("nan")}, "limit", "whole number"),
        ({"query": "a", "limit": 1.5}, "limit", "whole number"),
        ({"query": "a", "limit": True}, "limit", "not true or false"),
        ({"query": "a", "limit": "5"}, "limit", "not a text"),
        ({"query": "a", "max_hops": 5}, "max_hops", "5"),
        ({"query": "a", "max_hops": 0}, "max_hops", "0"),
        ({"query": "a", "hops": 1}, "hops", "no parameter 'hops'"),
        ({"query": "a", "x" * 5000: 1}, "x" * 5000, "no parameter"),
        ({"query": "a", "since": "whenever"}, "since", "whenever"),
        ({"query": "a", "since": "2026-02-02", "until": "2026-02-01"}, "until", "ends before it begins"),
        ({"query": "a", "since_ms": 1_700_000_000}, "since_ms", "1700000000"),
        ({"query": "a", "since_ms": 1_700_000_000_000, "until_ms": 1_600_000_000_000}, "until", "ends before"),
        ({"query": "a", "since": "3d", "since_ms": 1_700_000_000_000}, "since", "say both"),
        ({"query": "a", "since": "3d", "time_window_days": 3}, "time_window_days", "say both"),
        ({"query": "a", "time_window_days": 0}, "time_window_days", "0"),
        ({"query": "a", "sources": 5}, "sources", "list of texts"),
        ({"query": "a", "sources": [5]}, "sources", "must be a text"),
        ({"query": "a", "sources": [""]}, "sources", "nothing to look for"),
        ({"query": "a", "sources": ["a"] * 101}, "sources", "101 members"),
        ({"query": "a", "source_kind": "mails"}, "source_kind", "source_kind is 'mails'"),
    ],
)
def test_what_cannot_be_used_is_named(parameters: dict[str, object], name: str, words: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(parameters, WALK, NOW)
    assert caught.value.parameter == name
    assert words in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < 300


def test_ranges_and_known_names_are_told() -> None:
    with pytest.raises(BadRequest) as caught:
        read({"query": "a", "limit": 101}, WALK, NOW)
    assert caught.value.hint == "it may be 1 to 100"
    with pytest.raises(BadRequest) as caught:
        read({"query": "a", "limits": 5}, WALK, NOW)
    assert "max_hops" in caught.value.hint
    half = read({"until": "2026-03-01"}, COVER, NOW)
    with pytest.raises(BadRequest, match="since is missing"):
        require_window(half)


def test_times_are_read_in_every_notation() -> None:
    def window(**more: object) -> Window:
        return read({"query": "a", **more}, WALK, NOW).narrowed.window

    assert window() == Window()
    assert window(since="2d") == Window(NOW - 2 * DAY, None)
    assert window(time_window_days=2) == Window(NOW - 2 * DAY, NOW)
    assert window(since_ms=1_700_000_000_999, until_ms=1_700_000_001_000) == Window(1_700_000_000, 1_700_000_001)
    whole = window(since="2026-03-01T00:00:00Z", until="2026-03-02T00:00:00Z")
    assert whole == Window(1_772_323_200, 1_772_409_600)
    assert read({"query": "a", "limit": 3.0, "sources": "notes"}, WALK, NOW).limit == 3


def test_modes_are_named_with_dashes_or_in_any_case_and_unknown_ones_listed(workspace: Workspace) -> None:
    assert mode_named("Search-Entities") == "search_entities"
    for bad in ("wlak", "", 5, None, "x" * 1_000, ["walk"]):
        with pytest.raises(BadRequest) as caught:
            run_mode(workspace, bad, {})
        assert all(name in caught.value.hint for name in MODES)
    with pytest.raises(BadRequest) as caught:
        run_mode(workspace, "wlak", {})
    assert caught.value.hint.startswith("did you mean walk?")


def test_who_may_only_read_cannot_write(workspace: Workspace) -> None:
    before = workspace.repo.tip("HEAD")
    document = {"title": "T", "body": "text", "source_id": "1"}
    with pytest.raises(BadRequest, match="only reading is allowed"):
        run_mode(workspace, "ingest_document", document, may_write=False)
    assert workspace.repo.tip("HEAD") == before
    for mode in READING:
        assert not isinstance(MODES[mode], WriteFacts)


def test_unknown_sources_are_refused_with_what_is_near(workspace: Workspace) -> None:
    with pytest.raises(BadRequest, match="there is no source 'note'") as caught:
        ask(workspace, "walk", query="certificate", sources=["note"])
    assert caught.value.hint == "did you mean notes?"
    with pytest.raises(BadRequest, match="there is no source 'zzz'") as caught:
        ask(workspace, "query_source", source_id="zzz")
    assert "conversations-agent" in caught.value.hint
    with pytest.raises(BadRequest, match="neither source_id nor source_kind"):
        ask(workspace, "query_source")
    with pytest.raises(BadRequest, match="not among the sources"):
        ask(workspace, "query_source", source_id="notes", sources=["memory"])


def test_a_body_of_any_size_is_answered_or_refused(workspace: Workspace) -> None:
    with pytest.raises(BadRequest, match="1,000,001 characters"):
        ask(workspace, "ingest_document", title="T", body="x" * (LONGEST_BODY + 1), source_id="1")


def test_python_asks_by_methods(workspace: Workspace) -> None:
    tree = MemoryTree(workspace)
    assert tree.walk(query="certificate") == hits(workspace, "walk", query="certificate")
    with pytest.raises(AttributeError):
        tree.wlak  # noqa: B018


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-5, 200)
    | st.floats()
    | st.text(max_size=40)
    | st.sampled_from(
        [
            "certificate", "Ada Lovelace", "notes", "memory", "chat", "name", "name:ada lovelace", "nobody:x", "name:",
            "notes/heron.md", "notes/heron.md#1", "notes/heron.md#9", "notes/heron.md:1-9", "notes/heron.md:9-1",
            "[[notes/heron]]",
            "../../etc/passwd", "/etc/passwd", ".git/config", "memtree.toml", "\0", "\ud800", "2026-03-01", "9999-12-31", "3d",
            "%", "_", '"', "0" * 32, "今天", "مرحبا", 1_700_000_000_000, 10**25,
        ]
    ),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=6,
)  # fmt: skip


@pytest.mark.parametrize("mode", READING)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(parameters=st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), _JSON, max_size=5), query=_JSON)
def test_any_json_is_answered_or_refused(workspace: Workspace, mode: str, parameters: dict[str, object], query: object) -> None:
    known = {parameter.name for parameter in MODES[mode].parameters}
    for given_ in (parameters, {"query": query} | {name: value for name, value in parameters.items() if name in known}):
        found = answered(workspace, mode, given_)
        if found is not None:
            told = as_json(found, mode)
            assert json.loads(json.dumps(told))["mode"] == mode
            assert "root:" not in json.dumps(told)


def answered(workspace: Workspace, mode: str, parameters: dict[str, object]) -> Answer | None:
    """The answer; None where the request was refused as it should be."""
    refused: BadRequest | None = None
    try:
        return run_mode(workspace, mode, parameters)
    except BadRequest as error:
        refused = error
    assert refused.hint
    assert "\n" not in str(refused)
    return None


def test_every_parameter_says_what_it_is() -> None:
    for facts in MODES.values():
        names = [parameter.name for parameter in facts.parameters]
        assert len(names) == len(set(names))
        assert facts.about.endswith(".")
        for parameter in facts.parameters:
            assert parameter.about.endswith((".", ")."))
            assert parameter.form in ("string", "integer", "array")


def test_nothing_saved_yet_is_said(tmp_path: Path) -> None:
    GitRepo(tmp_path / "w").write("memtree.toml", "")
    needed: dict[str, object] = {"query": "x", "node_id": "x", "entity_id": "name:x", "chunk_ids": ["a.md"]}
    with Workspace.open(str(tmp_path / "w")) as empty:
        for mode in READING:
            given_ = {one.name: needed[one.name] for one in MODES[mode].parameters if one.required}
            found = run_mode(empty, mode, given_, capture=False)
            assert found.notes == ("nothing has been saved here yet",)
            assert found.commit is None
