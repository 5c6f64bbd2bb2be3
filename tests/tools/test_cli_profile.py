"""`memtree profile` as a person and as a program sees it."""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.engine.workspace import Workspace
from memtree.engine.writers.profile import profile_edits
from memtree.tree.facets import FACETS, Observation
from support.cli import Outcome, git_agrees, memtree
from support.gitrepo import GitRepo

STYLE = "memory_tree/content/profile/coding_style.md"


def run(repo: GitRepo, *words: str, code: int = 0) -> Outcome:
    return memtree("profile", *words, cwd=repo.path, code=code)


@pytest.fixture
def known(notes: GitRepo) -> GitRepo:
    """A workspace that has learned two things of its user."""
    observations = [
        Observation("coding_style", "indentation", "Prefers tabs", "e-000000000001", "2026-12-01", 0.6),
        Observation("coding_style", "indentation", "Prefers tabs", "e-000000000002", "2026-12-03", 0.6),
        Observation("environment", "location", "住在上海", "e-000000000003", "", 0.6),
    ]
    with Workspace.open(notes.path) as workspace:
        edits = profile_edits(lambda path: None, workspace.settings.content, observations)
        workspace.write(dict(edits.files), "close a segment\n\nMemtree-Writer: recap\n")
    return notes


def test_nothing_is_known_at_first(notes: GitRepo) -> None:
    assert run(notes, "list").out == "Nothing is known of you yet.\n"
    assert run(notes, "list", "--json").json == {"facets": [], "notes": []}


def test_a_person_sees_what_is_known_and_decides(known: GitRepo) -> None:
    assert run(known, "list").lines == [
        f"coding_style  {STYLE}",
        "  indentation: Prefers tabs  (said 2 times, last 2026-12-03)",
        "",
        "environment  memory_tree/content/profile/environment.md",
        "  location: 住在上海  (said 1 time)",
    ]
    assert run(known, "pin", "coding_style", "indentation").out == "Pinned coding_style/indentation.\n"
    assert run(known, "pin", "coding_style", "indentation").out == "coding_style/indentation is pinned already.\n"
    assert "(pinned; said 2 times, last 2026-12-03)" in run(known, "list", "coding-style").out
    assert run(known, "unpin", "coding_style", "indentation").out == "Unpinned coding_style/indentation.\n"
    assert run(known, "forget", "coding_style", "indentation").out == "Forgot coding_style/indentation; it is not learned again.\n"
    assert run(known, "list", "coding_style").lines == [f"coding_style  {STYLE}", "  not learned: indentation"]
    assert (
        run(known, "learn-again", "coding_style", "indentation").out
        == "coding_style/indentation may be learned again, from what is said from now on.\n"
    )
    Path(known.path, STYLE).write_text("# Mine\n\n- **editor**: Helix\n- no key\n", encoding="utf-8")
    assert run(known, "list", "coding_style").lines[1:] == ["  editor: Helix  (written by hand)", "  no key  (written by hand)"]
    git_agrees(known)


def test_a_program_sees_the_same(known: GitRepo) -> None:
    (style, _) = run(known, "list", "--json").json["facets"]
    item = {"key": "indentation", "value": "Prefers tabs", "sort": "learned", "pinned": False}
    assert style["items"] == [{**item, "count": 2, "last_seen": "2026-12-03", "line": 3}]
    pin = run(known, "pin", "coding_style", "indentation", "--json").json
    assert (pin["message"], pin["changed"], pin["path"]) == ("Pinned coding_style/indentation.", True, STYLE)
    assert pin["commit"] == known.git("rev-parse", "HEAD").strip()
    assert run(known, "pin", "coding_style", "indentation", "--json").json["commit"] is None


def test_what_is_mistyped_is_told_with_what_there_is(known: GitRepo) -> None:
    wrong = run(known, "list", "hobbies", code=2)
    assert all(facet in wrong.err for facet in FACETS)
    assert "did you mean indentation?" in run(known, "pin", "coding_style", "indentatoin", code=2).err
    assert "there is none yet" in run(known, "learn-again", "coding_style", "indentation", code=2).err


def test_what_was_learned_reads_well_in_a_review_in_a_context_and_in_a_search(known: GitRepo) -> None:
    reviewed = memtree("review", "--keep", "--all", cwd=known.path).out
    assert "+- **indentation**: Prefers tabs  (2 events, last 2026-12-03)\n" in reviewed
    told = memtree("context", cwd=known.path).out
    assert "coding style: indentation: Prefers tabs" in told
    assert "evidence" not in told
    asked = memtree("context", "which indentation does the user prefer, tabs?", cwd=known.path).out
    assert "evidence" not in asked
    assert "^p-" not in asked
    found = memtree("search", "prefers tabs", cwd=known.path).out
    assert "Prefers tabs" in found
    assert "evidence" not in found
