"""Facts over MCP: recalled as they stand, as of a date, and marked where they hold no longer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from support.facts import WORDS, fact, month
from support.gitrepo import GitRepo
from support.mcp_client import Session, in_process, words

BERLIN = fact("I live in Berlin near the harbour.", superseded="2025-03-01")
LISBON = fact("I live in Lisbon near the castle.", valid_at="2025-03-01", supersedes=BERLIN.id)
BIKE = fact("I bought a cargo bike last month.", temporal=month("2025-02"))


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    repo = GitRepo(tmp_path / "w")
    repo.write("memtree.toml", f'durability = "fast"\n{WORDS}')
    for one in (BERLIN, LISBON, BIKE):
        repo.write(one.path(), one.render())
    workspace, _ = Workspace.init(repo.path)
    with workspace:
        workspace.save("facts")
    return repo


@pytest.fixture
def session(repo: GitRepo) -> Iterator[Session]:
    with in_process(repo.path) as session:
        yield session


def test_recalling_tells_what_holds_now_or_did_at_a_date(session: Session) -> None:
    now = session.good("memory_recall", query="where do I live")["hits"]
    assert [hit["text"] for hit in now] == [LISBON.text]
    assert now[0]["fact"] == {"id": LISBON.id, "state": "active", "valid_at": "2025-03-01", "invalid_at": "", "mark": ""}
    then = session.good("memory_recall", query="where do I live", as_of="2025-02-10")["hits"]
    assert [hit["text"] for hit in then] == [BERLIN.text]
    assert then[0]["fact"]["mark"] == "superseded 2025-03-01"
    assert session.good("memory_recall", query="cargo bike")["hits"][0]["text"].endswith(" [time: 2025-02]")


def test_a_date_that_is_none_is_refused(session: Session) -> None:
    result = session.call("memory_recall", query="where", as_of="one day")
    assert result.is_error
    assert "as_of cannot be read as a date" in words(result)


def test_a_search_and_exact_lines_mark_what_is_over(session: Session) -> None:
    found = session.call("search", query="where do I live")
    assert found.structured_content is not None
    assert [hit["fact"]["mark"] for hit in found.structured_content["hits"]] == ["", "superseded 2025-03-01"]
    assert "(fact, superseded 2025-03-01, " in words(found)
    lines = session.call("query_memory", pattern="near the harbour")
    assert "near the harbour. (superseded 2025-03-01)" in words(lines)


def test_a_fact_is_stored_pinned(session: Session) -> None:
    done = session.good("memory_store", kind="fact", content="Releases are cut from the branch stable.", tags=["releases"])
    assert done["stored"]
    assert done["path"].endswith(f"/{done['id']}.md")
    read = session.good("read_content", path=done["path"], start_line=done["start_line"], end_line=done["end_line"])
    assert read["text"].strip() == "Releases are cut from the branch stable."
    found = session.good("memory_recall", query="what branch are releases cut from")["hits"]
    assert found[0]["fact"]["id"] == done["id"]
    refused = session.call("memory_store", kind="fact", content="?!")
    assert refused.is_error
    assert "a fact needs a text" in words(refused)
