"""The modes of the memory tree: what leads from a question to passages, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.memory_tree.hits import BadRequest, Entities, Ingested, NodeKind, SourceList
from memtree.engine.memory_tree.modes import run_mode
from memtree.engine.workspace import Workspace
from memtree.tree.episode import Episode
from support.gitrepo import GitRepo
from support.memory_lab import DAY, ask, hits, made, node_path, note, paths, put, summarised

MARCH = 1_772_323_200  # 2026-03-01
FILES = {
    "notes/heron.md": note("# Heron\n\nThe certificate renewal is due in May.", "2026-03-01"),
    "notes/ada.md": note("Ada Lovelace works with Grace Hopper on the compiler.", "2026-03-02"),
    "notes/grace.md": note("Grace Hopper lives near Alan Turing in Bletchley.", "2026-03-03"),
    "notes/alan.md": note("Alan Turing likes long runs before breakfast.", "2026-03-04"),
    "notes/zh.md": note("今天和图书馆的同事开会，讨论了全文检索。王小明也来了。", "2026-03-05"),
    "notes/long.md": note("# Long\n\n" + "\n".join(f"Line {n} speaks of nothing much." for n in range(80)) + "\nThe otter sleeps."),
    "memory_tree/content/entities/person/aa/p.md": (
        "---\nid: person:ada\nkind: person\ndisplay_name: Ada\naliases: [Ada Lovelace, The Countess]\n---\n"
    ),
}


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with made(tmp_path, FILES) as opened:
        yield opened


# -- walk
def test_one_entity_leads_to_its_passages(workspace: Workspace) -> None:
    found = hits(workspace, "walk", query="Grace Hopper")
    assert found.route == "entity"
    assert found.entities == ("name:grace hopper",)
    assert set(paths(found)) == {"notes/ada.md", "notes/grace.md"}
    assert all(hit.entities == ("name:grace hopper",) for hit in found.hits)


def test_two_entities_lead_to_where_they_stand_together(workspace: Workspace) -> None:
    found = hits(workspace, "walk", query="What do Ada Lovelace and Grace Hopper do?")
    assert found.route == "local"
    assert paths(found)[0] == "notes/ada.md"
    assert set(found.hits[0].entities) == set(found.entities)
    assert len(found.entities) == 2


def test_two_entities_are_connected_by_a_third_and_both_links_are_told(workspace: Workspace) -> None:
    found = hits(workspace, "walk", query="Ada Lovelace, Alan Turing")
    assert found.route == "local"
    assert {"notes/ada.md", "notes/grace.md"} <= set(paths(found))
    assert hits(workspace, "walk", query="Ada Lovelace, Alan Turing", max_hops=1).route == "entity"


def test_names_in_small_letters_and_aliases_are_known(workspace: Workspace) -> None:
    small = hits(workspace, "walk", query="grace hopper")
    assert (small.route, small.entities) == ("entity", ("name:grace hopper",))
    assert paths(hits(workspace, "walk", query="what does the countess do?"))[0] == "notes/ada.md"


def test_words_alone_lead_there_too(workspace: Workspace) -> None:
    found = hits(workspace, "walk", query="when is the renewal due")
    assert (found.route, found.entities) == ("dense", ())
    hit = found.hits[0]
    assert (hit.path, hit.lines, hit.node_kind) == ("notes/heron.md", "5-7", NodeKind.LEAF)
    assert hit.score is not None
    assert hit.score > 0.6
    assert (hit.time_start, hit.source) == (MARCH, "notes")
    assert paths(hits(workspace, "walk", query="全文检索")) == ["notes/zh.md"]
    nothing = hits(workspace, "walk", query="zeppelin xylophone")
    assert (nothing.hits, nothing.route, nothing.total) == ((), "nothing", 0)


def test_the_stretch_that_answers_is_shown_of_a_long_passage(workspace: Workspace) -> None:
    (hit,) = hits(workspace, "walk", query="otter").hits
    assert "The otter sleeps." in hit.text
    assert len(hit.text) <= 1_300


def test_hits_are_ordered_by_score_then_time(workspace: Workspace) -> None:
    put(workspace, {f"notes/same{n}.md": note("A kestrel was here, number.", f"2026-02-0{n}") for n in (1, 3, 2)})
    found = hits(workspace, "walk", query="kestrel")
    assert paths(found) == ["notes/same3.md"]  # the same words are one answer, the newest
    put(workspace, {f"notes/same{n}.md": note(f"A kestrel was here, number {n}.", f"2026-02-0{n}") for n in (1, 3, 2)})
    found = hits(workspace, "walk", query="kestrel")
    assert paths(found) == [f"notes/same{n}.md" for n in (3, 2, 1)]
    for query in ("kestrel", "Grace Hopper and Ada Lovelace", "certificate compiler"):
        scores = [hit.score or 0.0 for hit in hits(workspace, "walk", query=query).hits]
        assert scores == sorted(scores, reverse=True)
        assert all(0 < score <= 1 for score in scores)


def test_at_most_half_are_summaries(workspace: Workspace) -> None:
    put(workspace, {f"notes/k{n}.md": note(f"The kestrel of number {n} flies over field {n}.") for n in range(6)})
    for n in range(6):
        summarised(workspace, [f"notes/k{n}.md"], f"The kestrel flies, it is said, and number {n} is told.", source="notes")
    found = hits(workspace, "walk", query="kestrel", limit=4)
    assert sum(hit.node_kind is NodeKind.SUMMARY for hit in found.hits) <= 2
    assert len(found.hits) == 4
    assert found.truncated


# -- what is shown
def test_a_text_that_was_changed_or_taken_away_is_never_shown(workspace: Workspace) -> None:
    assert "May" in hits(workspace, "walk", query="certificate renewal").hits[0].text
    put(
        workspace,
        {"notes/heron.md": note("# Heron\n\nThe certificate renewal is due in July.", "2026-03-01"), "notes/ada.md": None},
    )
    for mode, given in {
        "walk": {"query": "certificate renewal due in May with Ada Lovelace"},
        "query_source": {"source_id": "notes"},
        "query_global": {"query": "certificate compiler"},
        "cover_window": {"since": "2026-01-01", "until": "2026-12-31"},
        "fetch_leaves": {"chunk_ids": ["notes/heron.md#1", "notes/ada.md#1"]},
        "query_topic": {"entity_id": "name:grace hopper"},
    }.items():
        told = " ".join(hit.text for hit in hits(workspace, mode, **given).hits)
        assert "in May" not in told
        assert "compiler" not in told


def test_what_an_index_that_is_behind_says_is_looked_up(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    hits(workspace, "walk", query="certificate")
    put(workspace, {"notes/heron.md": note("# Heron\n\nThe certificate was renewed.", "2026-03-01"), "notes/alan.md": None})
    monkeypatch.setattr(type(workspace.searching), "refresh", lambda *_, **__: ["the search index is behind"])
    found = hits(workspace, "walk", query="certificate renewal due in May Alan Turing")
    assert "the search index is behind" in found.notes
    assert any("renewed" in hit.text for hit in found.hits)
    assert all("May" not in hit.text and "runs" not in hit.text for hit in found.hits)


def test_a_damaged_index_is_built_anew_or_told(workspace: Workspace) -> None:
    asked = {"query": "Grace Hopper"}
    before = hits(workspace, "walk", **asked)
    for path in Path(workspace.places.folder).rglob("state.sqlite"):
        path.write_bytes(b"no database" * 1_000)
    after = hits(workspace, "walk", **asked)
    assert paths(after) == paths(before)


def test_secrets_are_not_shown(workspace: Workspace) -> None:
    secret = "ghp_" + "a1B2" * 9
    repo = GitRepo(workspace.root)  # nobody else would commit it
    repo.write("notes/token.md", f"The kestrel token is {secret} for now.\n")
    repo.git("add", "notes/token.md")
    repo.git("commit", "-qm", "by hand")
    for found in (hits(workspace, "walk", query="kestrel token"), hits(workspace, "fetch_leaves", chunk_ids=["notes/token.md"])):
        assert found.hits
        assert all(secret not in hit.text for hit in found.hits)


def test_edits_made_outside_are_found_at_once(workspace: Workspace) -> None:
    Path(workspace.root, "notes", "new.md").write_text("The zeppelin landed.\n")
    assert paths(hits(workspace, "walk", query="zeppelin")) == ["notes/new.md"]


def test_a_turn_and_the_prose_that_holds_it_are_one_answer(workspace: Workspace) -> None:
    episode = Episode("s-1", 1, "The zeppelin lands at noon in Lakehurst.", MARCH * 1000, "user")
    chat = "memory_tree/content/chat/conversations-agent/aa/one.md"
    put(workspace, {episode.path(): episode.render().decode(), chat: note("**user**\n\n" + episode.text, "2026-03-01")})
    assert paths(hits(workspace, "walk", query="zeppelin")) == [episode.path()]


# -- entities
def test_entities_are_found_by_a_part_of_their_name(workspace: Workspace) -> None:
    found = ask(workspace, "search_entities", query="HOPP")
    assert isinstance(found, Entities)
    (one,) = found.entities
    assert (one.canonical_id, one.kind, one.surface, one.mention_count) == ("name:grace hopper", "name", "Grace Hopper", 2)
    assert one.last_seen == MARCH + 2 * DAY
    countess = ask(workspace, "search_entities", query="countess")
    assert isinstance(countess, Entities)
    assert any("name:ada lovelace" in (one.canonical_id, *one.aliases) for one in countess.entities)
    assert ask(workspace, "search_entities", query="hopp", kinds=["email"]) == Entities((), found.commit)
    with pytest.raises(BadRequest, match="kinds is 'people'"):
        ask(workspace, "search_entities", query="hopp", kinds=["people"])


def test_a_topic_is_told_newest_first_or_by_what_is_asked(workspace: Workspace) -> None:
    newest = hits(workspace, "query_topic", entity_id="name:grace hopper")
    assert paths(newest) == ["notes/grace.md", "notes/ada.md"]
    assert all(hit.score is None for hit in newest.hits)
    asked = hits(workspace, "query_topic", entity_id="Name:Grace  Hopper", query="compiler")
    assert paths(asked)[0] == "notes/ada.md"
    with pytest.raises(BadRequest, match="nothing speaks of name:grace hoper") as caught:
        hits(workspace, "query_topic", entity_id="name:grace hoper")
    assert caught.value.hint == "did you mean name:grace hopper?"
    assert hits(workspace, "query_topic", entity_id="Grace  Hopper").entities == ("name:grace hopper",)
    with pytest.raises(BadRequest, match="nothing speaks of name:nobody"):
        hits(workspace, "query_topic", entity_id="nobody")
    with pytest.raises(BadRequest, match="no entity's id"):
        hits(workspace, "query_topic", entity_id="zebra:grace")


# -- sources and windows
def test_sources_are_listed_with_what_they_hold(workspace: Workspace) -> None:
    summarised(workspace, ["notes/ada.md"], "Ada works.", source="notes", span=(MARCH, MARCH + 2 * DAY))
    found = ask(workspace, "list_sources")
    assert isinstance(found, SourceList)
    notes = next(one for one in found.sources if one.name == "notes")
    assert (notes.kind, notes.files, notes.summaries) == ("document", 6, ((1, 1),))
    assert (notes.first, notes.last) == (MARCH, MARCH + 4 * DAY)


def test_the_same_evidence_is_told_once(workspace: Workspace) -> None:
    span = (MARCH + DAY, MARCH + 2 * DAY)
    node = summarised(workspace, ["notes/ada.md", "notes/grace.md"], "They know each other well.", source="notes", span=span)
    told = hits(workspace, "query_source", source_id="notes")
    assert {hit.node_id for hit in told.hits} & {node, "notes/ada.md#1", "notes/grace.md#1"} == {node}
    assert "notes/alan.md" in paths(told)  # what no summary tells yet
    better = hits(workspace, "query_source", source_id="notes", query="compiler of Grace Hopper")
    assert paths(better)[0] == "notes/ada.md"
    assert node not in {hit.node_id for hit in better.hits}
    worse = hits(workspace, "query_source", source_id="notes", query="know each other")
    assert [hit.node_id for hit in worse.hits] == [node]


def test_summaries_of_days_are_the_wikis_and_are_asked_for_by_its_name(workspace: Workspace) -> None:
    span = (MARCH, MARCH + 2 * DAY)
    summarised(workspace, ["notes/ada.md"], "Of the notes.", source="notes", span=span)
    day = summarised(workspace, ["notes/ada.md", "notes/grace.md"], "They met in Paris.", namespace="day", span=span)
    for asked in ({}, {"query": "who met in Paris"}):
        told = hits(workspace, "query_source", source_id="wiki", **asked)
        assert [(hit.node_id, hit.source) for hit in told.hits] == [(day, "wiki")]
        assert day not in {hit.node_id for hit in hits(workspace, "query_source", source_id="notes", **asked).hits}
    assert [
        hit.node_id for hit in hits(workspace, "cover_window", sources=["wiki"], since="2000-01-01", until="2030-01-01").hits
    ] == [day]


def test_a_window_is_covered_by_the_topmost_summaries_and_the_rest(workspace: Workspace) -> None:
    days = [
        summarised(
            workspace, [f"notes/{name}.md"], f"{name} on that day.", namespace="day", span=(MARCH + n * DAY, MARCH + n * DAY)
        )
        for n, name in ((1, "ada"), (2, "grace"))
    ]
    week = summarised(
        workspace,
        [node_path(day, "day") for day in days],
        "A week.",
        namespace="week",
        level=2,
        span=(MARCH + DAY, MARCH + 2 * DAY),
    )
    march = {"since": "2026-03-01T00:00:00Z", "until": "2026-03-10T00:00:00Z"}
    whole = hits(workspace, "cover_window", **march)
    assert [hit.node_id for hit in whole.hits] == ["notes/heron.md#1", week, "notes/alan.md#1", "notes/zh.md#1"]
    part = hits(workspace, "cover_window", since="2026-03-01T00:00:00Z", until="2026-03-02T23:00:00Z")
    assert [hit.node_id for hit in part.hits] == ["notes/heron.md#1", days[0]]
    summarised(workspace, ["notes/ada.md"], "Of the source.", source="notes", span=(MARCH + DAY, MARCH + DAY))
    of_source = hits(workspace, "cover_window", **march, source_id="notes")
    assert week not in {hit.node_id for hit in of_source.hits}
    assert [hit.level for hit in of_source.hits if hit.node_kind is NodeKind.SUMMARY] == [1]
    with pytest.raises(BadRequest, match="since is missing"):
        hits(workspace, "cover_window")


def test_of_a_conversation_only_open_turns_are_leaves(workspace: Workspace) -> None:
    turns = [Episode("s-1", n, f"Turn {n} of the zeppelin.", (MARCH + n) * 1000, "user") for n in range(1, 5)]
    put(workspace, {turn.path(): turn.render().decode() for turn in turns})
    chat = "memory_tree/content/chat/conversations-agent/aa/one.md"
    put(workspace, {chat: note("Turn 1 and 2.", "2026-03-01"), "memory_tree/content/recap/s-1/000001-000002.md": note("Both.")})
    found = hits(workspace, "query_source", source_id="conversations-agent", limit=20)
    assert set(paths(found)) == {turns[2].path(), turns[3].path(), chat}


# -- down to the leaves
def test_a_summary_leads_down_to_its_leaves(workspace: Workspace) -> None:
    span = (MARCH, MARCH + 2 * DAY)
    low = summarised(workspace, ["notes/ada.md", "notes/grace.md"], "Two of them.", source="notes", span=span)
    top = summarised(workspace, [node_path(low, "source-notes")], "All.", source="notes", level=2, span=span)
    assert [hit.node_id for hit in hits(workspace, "drill_down", node_id=top).hits] == [low]
    deep = hits(workspace, "drill_down", node_id=top.upper(), max_depth=2)
    assert [hit.node_id for hit in deep.hits] == [low, "notes/ada.md#1", "notes/grace.md#1"]
    assert deep.hits[0].children == ("notes/ada.md", "notes/grace.md")
    lines = Path(workspace.root, deep.hits[0].path).read_text().splitlines()
    assert "Two of them" in "\n".join(lines[deep.hits[0].start_line - 1 : deep.hits[0].end_line])
    assert lines[deep.hits[0].start_line - 2] == "---"
    by_score = hits(workspace, "drill_down", node_id=top, max_depth=2, query="Bletchley", limit=1)
    assert (paths(by_score), by_score.truncated) == (["notes/grace.md"], True)
    assert hits(workspace, "drill_down", node_id=f"[[{node_path(low, 'source-notes')}]]").total == 2


def test_what_is_gone_or_changed_below_a_summary_is_told(workspace: Workspace) -> None:
    node = summarised(workspace, ["notes/ada.md", "notes/grace.md"], "Two.", source="notes")
    assert hits(workspace, "drill_down", node_id=node).notes == ()
    put(workspace, {"notes/grace.md": note("Grace moved.", "2026-03-03")})
    assert "was changed since" in hits(workspace, "drill_down", node_id=node).notes[0]
    put(workspace, {"notes/ada.md": None})
    left = hits(workspace, "drill_down", node_id=node)
    assert (paths(left), left.notes[0]) == (["notes/grace.md"], f"gone since {node} was made: notes/ada.md")


@pytest.mark.parametrize("node", ["0" * 32, "nowhere.md", "nowhere.md#1", "../x", "", "walk"])
def test_a_node_that_is_not_there_is_refused(workspace: Workspace, node: str) -> None:
    with pytest.raises(BadRequest) as caught:
        hits(workspace, "drill_down", node_id=node)
    assert caught.value.parameter == "node_id"


def test_a_leaf_has_nothing_below(workspace: Workspace) -> None:
    for name in ("notes/ada.md#1", "notes/ada", "[[notes/ada]]"):
        found = hits(workspace, "drill_down", node_id=name)
        assert found.hits == ()
        assert "is a leaf" in found.notes[0]


def test_leaves_are_fetched_in_the_order_asked_and_the_missing_named(workspace: Workspace) -> None:
    asked = ["notes/grace.md#1", "notes/none.md", "notes/ada.md", "notes/ada.md#7", "[[notes/heron.md]]", "notes/alan.md:5-5"]
    found = hits(workspace, "fetch_leaves", chunk_ids=asked)
    assert [hit.node_id for hit in found.hits] == ["notes/grace.md#1", "notes/ada.md#1", "notes/heron.md#1", "notes/alan.md#1"]
    assert len(found.notes) == 2
    assert "notes/none.md is not there" in found.notes[0]
    assert "notes/ada.md#7 is not there: notes/ada.md has 1 leaves" in found.notes[1]
    assert "speaks of nothing much" in hits(workspace, "fetch_leaves", chunk_ids=["notes/long.md"]).hits[0].text
    for bad in ("../x", "/etc/passwd", ".git/config", ""):
        with pytest.raises(BadRequest):
            hits(workspace, "fetch_leaves", chunk_ids=[bad])
    assert hits(workspace, "fetch_leaves", chunk_ids=["memtree.toml"]).hits == ()


@pytest.mark.parametrize("link", ["[[notes/ada]]", "[[notes/ada|Ada]]", "notes/ada", "notes/ada#1"])
def test_a_leaf_is_fetched_by_a_link_as_summaries_have_it(workspace: Workspace, link: str) -> None:
    found = hits(workspace, "fetch_leaves", chunk_ids=[link])
    assert ([hit.node_id for hit in found.hits], found.notes) == (["notes/ada.md#1"], ())


# -- documents
def ingest(workspace: Workspace, **more: object) -> Ingested:
    given = {"title": "Otters", "body": "# Otters\n\nThey hold hands.", "source_id": "https://example.org/otters"} | more
    found = run_mode(workspace, "ingest_document", given)
    assert isinstance(found, Ingested)
    return found


def test_a_document_is_kept_once_and_a_changed_one_takes_its_place(workspace: Workspace) -> None:
    first = ingest(workspace)
    assert first.change == "new"
    assert first.path.startswith("memory_tree/content/raw/agent/")
    assert first.commit == workspace.repo.tip("HEAD")
    assert paths(hits(workspace, "walk", query="otters hold hands"))[0] == first.path
    again = ingest(workspace)
    assert (again.change, again.path, workspace.repo.tip("HEAD")) == ("unchanged", first.path, first.commit)
    changed = ingest(workspace, body="They juggle stones.")
    assert (changed.change, changed.path) == ("updated", first.path)
    assert hits(workspace, "walk", query="juggle stones", sources=["agent"]).total == 1
    assert "hold hands" not in Path(workspace.root, first.path).read_text()
    other = ingest(workspace, provider="Web Page", source_ref="https://example.org/a")
    assert other.path.startswith("memory_tree/content/raw/web-page/")
    assert "source_ref" in Path(workspace.root, other.path).read_text()


def test_no_part_of_a_key_is_shown_whatever_chunk_holds_it(workspace: Workspace) -> None:
    repo = GitRepo(workspace.root)
    lines = "".join(f"MIIEpAIBAAKCAQEA7bq1{number:03}{'Zk3' * 13}\n" for number in range(80))
    key = "-----BEGIN RSA " + f"PRIVATE KEY-----\n{lines}-----END RSA " + "PRIVATE KEY-----"
    repo.write("notes/key.md", f"# Key\n\n{key}\n\nThe kingfisher key lies above.\n")
    repo.write("notes/cipher.md", f"# Cipher\n\n{'Zk3' * 20}\n")
    repo.git("add", ".")
    repo.git("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "--no-verify", "-m", "by hand")
    found = hits(workspace, "fetch_leaves", chunk_ids=["notes/key.md"])
    assert len(found.hits) > 2
    walked = hits(workspace, "walk", query="kingfisher key")
    assert "notes/key.md" in paths(walked)
    for hit in (*found.hits, *walked.hits):
        assert "Zk3" not in hit.text
    assert "Zk3" in hits(workspace, "fetch_leaves", chunk_ids=["notes/cipher.md"]).hits[0].text


def test_a_document_has_no_secrets_and_no_way_out(workspace: Workspace) -> None:
    secret = "ghp_" + "a1B2" * 9
    found = ingest(workspace, title=f"T {secret}", body=f"Key {secret}", source_id=f"x?token={secret}", source_ref=f"y {secret}")
    assert secret not in Path(workspace.root, found.path).read_text()
    assert secret not in workspace.repo.commit(found.commit or workspace.resolve(None)).message
    escape = ingest(workspace, provider="../../notes", source_id="../../x")
    assert escape.path.startswith("memory_tree/content/raw/")
    assert ".." not in escape.path
    for bad in ({"provider": "..."}, {"body": "\0\0"}, {"title": "\x07"}, {"source_id": "\0"}):
        with pytest.raises(BadRequest):
            ingest(workspace, **bad)
