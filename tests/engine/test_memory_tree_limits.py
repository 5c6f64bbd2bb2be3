"""A window and an allow-list of sources hold in every mode, before anything is cut off: nothing outside is ever told, and what is
inside is found behind a thousand newer passages outside that say the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memtree.engine.memory_tree.hits import Entities, Envelope, SourceList
from memtree.engine.memory_tree.modes import MODES, WriteFacts
from memtree.engine.workspace import Workspace
from support.memory_lab import DAY, ask, hits, made, node_path, note, paths, put, summarised

RAW = "memory_tree/content/raw"
MARCH, APRIL = 1_772_323_200, 1_775_001_600  # 2026-03-01, 2026-04-01
INSIDE = f"{RAW}/mail/aa/inside.md"
OUTSIDE = 1_000
WINDOW = {"since": "2026-03-01T00:00:00Z", "until": "2026-03-31T00:00:00Z"}
SAYS = "Ada Lovelace renews the certificate with Grace Hopper."


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with made(tmp_path_factory.mktemp("limits"), {"notes/empty.md": note("Nothing of it.")}) as opened:
        files: dict[str, str | None] = {INSIDE: note(SAYS, "2026-03-10")}
        for number in range(OUTSIDE):
            source, date = (("mail", "2026-05-01"), ("feed", "2026-03-12"))[number % 2]
            files[f"{RAW}/{source}/bb/{number:04}.md"] = note(f"{SAYS} Number {number}.", date)
        files["notes/undated.md"] = note(SAYS)
        put(opened, files)
        yield opened


@pytest.fixture(scope="module")
def nodes(workspace: Workspace) -> dict[str, str]:
    """Summaries: one wholly inside, one of another source, one that reaches out of the window, one above the first two kinds."""
    late, feed = f"{RAW}/mail/bb/0000.md", f"{RAW}/feed/bb/0001.md"
    inside = (MARCH + 9 * DAY, MARCH + 10 * DAY)
    made_ = {
        "inside": summarised(workspace, [INSIDE], SAYS, source="mail", span=inside),
        "feed": summarised(workspace, [feed], SAYS, source="feed", span=inside),
        "half": summarised(workspace, [INSIDE, late], SAYS, source="mail", span=(inside[0], APRIL + 30 * DAY)),
    }
    above = [node_path(made_[name], "source-mail") for name in ("inside", "half")]
    made_["top"] = summarised(workspace, above, SAYS, source="mail", level=2, span=(inside[0], APRIL + 30 * DAY))
    return made_


def parameters(mode: str, nodes: dict[str, str]) -> dict[str, object]:
    """What each mode is asked with, so that without limits it would tell of what is outside."""
    every = [f"{RAW}/mail/bb/{number:04}.md" for number in range(0, 20, 2)] + [f"{RAW}/feed/bb/0001.md", INSIDE]
    asked: dict[str, dict[str, object]] = {
        "walk": {"query": "who renews the certificate?"},
        "smart_walk": {"query": "Ada Lovelace and Grace Hopper"},
        "search_entities": {"query": "ada"},
        "query_source": {"source_kind": "document"},
        "query_global": {"query": "certificate"},
        "query_topic": {"entity_id": "name:ada lovelace"},
        "cover_window": {},
        "drill_down": {"node_id": nodes["top"], "max_depth": 3},
        "fetch_leaves": {"chunk_ids": every},
        "list_sources": {},
    }
    return asked[mode]


READING = [mode for mode, facts in MODES.items() if not isinstance(facts, WriteFacts)]
MORE = [
    *READING,
    "query_source with a query",
    "query_global without",
    "query_topic with a query",
    "drill_down with a query",
    "one entity",
]


def asked_for(case: str, nodes: dict[str, str]) -> tuple[str, dict[str, object]]:
    if case == "one entity":
        return "walk", {"query": "Ada Lovelace"}
    mode, _, more = case.partition(" ")
    given = dict(parameters(mode, nodes))
    if more == "without":
        del given["query"]
    elif more:
        given["query"] = "certificate"
    return mode, given


@pytest.mark.parametrize("case", MORE)
def test_only_what_is_inside_is_told_and_it_is(workspace: Workspace, nodes: dict[str, str], case: str) -> None:
    mode, given = asked_for(case, nodes)
    found = ask(workspace, mode, **given, **WINDOW, sources=["mail"])
    if isinstance(found, Entities):
        assert [(one.canonical_id, one.mention_count) for one in found.entities] == [("name:ada lovelace", 1)]
        assert found.entities[0].last_seen == MARCH + 9 * DAY
    elif isinstance(found, SourceList):
        assert [(one.name, one.files, one.chunks, one.summaries) for one in found.sources] == [("mail", 1, 1, ((1, 1),))]
    else:
        assert isinstance(found, Envelope)
        told = {hit.node_id for hit in found.hits}
        assert told
        assert told <= {f"{INSIDE}#1", nodes["inside"]}
        assert found.total == len(found.hits)


@pytest.mark.parametrize("case", [case for case in MORE if case != "cover_window"])
def test_without_limits_the_others_are_told(workspace: Workspace, nodes: dict[str, str], case: str) -> None:
    mode, given = asked_for(case, nodes)
    found = ask(workspace, mode, **given)
    if isinstance(found, Entities):
        assert found.entities[0].mention_count > OUTSIDE
    elif isinstance(found, SourceList):
        assert {one.name: one.files for one in found.sources}["mail"] == OUTSIDE // 2 + 1
    else:
        assert isinstance(found, Envelope)
        assert {hit.node_id for hit in found.hits} - {f"{INSIDE}#1", nodes["inside"]}


@pytest.mark.parametrize("case", MORE)
def test_a_kind_of_source_admits_its_sources_only(workspace: Workspace, nodes: dict[str, str], case: str) -> None:
    mode, given = asked_for(case, nodes)
    if mode == "query_source":
        del given["source_kind"]
    found = ask(workspace, mode, **given, **WINDOW, source_kind="chat")
    rows = found.entities if isinstance(found, Entities) else found.sources if isinstance(found, SourceList) else None
    if rows is None:
        assert isinstance(found, Envelope)
        rows = found.hits
    assert rows == ()


def test_what_has_no_time_lies_in_no_window(workspace: Workspace) -> None:
    undated = hits(workspace, "query_source", source_id="notes")
    assert set(paths(undated)) == {"notes/undated.md", "notes/empty.md"}
    assert hits(workspace, "query_source", source_id="notes", since="1970-01-02", until="2030-01-01").hits == ()
    named = hits(workspace, "fetch_leaves", chunk_ids=["notes/undated.md"], since="2026-01-01")
    assert named.hits == ()
    assert "notes/undated.md lies outside the limits" in named.notes


def test_the_ends_of_a_window_are_inside(workspace: Workspace) -> None:
    day = {"since_ms": 1000 * (MARCH + 9 * DAY), "until_ms": 1000 * (MARCH + 9 * DAY)}
    assert paths(hits(workspace, "query_topic", entity_id="name:ada lovelace", sources=["mail"], **day)) == [INSIDE]


def test_the_same_question_has_the_same_answer(workspace: Workspace, nodes: dict[str, str]) -> None:
    for case in MORE:
        mode, given = asked_for(case, nodes)
        given = given | WINDOW if mode == "cover_window" else given
        assert ask(workspace, mode, **given) == ask(workspace, mode, **given)


def test_what_is_cut_off_is_not_decided_by_names(workspace: Workspace) -> None:
    """Of the outside notes those with most lines stay, wherever they stand in the alphabet."""
    long = [f"{RAW}/zeta/zz/{number}.md" for number in range(3)]
    put(workspace, {path: note("\n".join(f"- {SAYS} line {n}" for n in range(10)), "2026-01-05") for path in long})
    put(workspace, {f"{RAW}/alpha/aa/{n}.md": note(f"Short {n} it is indeed.", "2026-01-05") for n in range(5)})
    whole = hits(workspace, "cover_window", since="2026-01-01", until="2026-01-31")
    assert (len(whole.hits), whole.total, whole.truncated) == (8, 8, False)
    cut = hits(workspace, "cover_window", since="2026-01-01", until="2026-01-31", limit=3)
    assert (sorted(paths(cut)), cut.total, cut.truncated) == (long, 8, True)
