"""`memtree secrets` as a person and as a program sees it: places, rules and fingerprints, never a secret.

The secrets are put together when the test runs, so that no scanner of source code takes one for real.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memtree.tree.secrets import find_secrets
from support.cli import Outcome, git_agrees, memtree
from support.gitrepo import GitRepo
from support.machines import bare

TOKEN = "ghp_" + "a1B2" * 9
FINGERPRINT = find_secrets(TOKEN)[0].fingerprint


def run(repo: GitRepo, *words: str, code: int = 0) -> Outcome:
    outcome = memtree(*words, cwd=repo.path, code=code)
    assert TOKEN not in outcome.out + outcome.err
    return outcome


@pytest.fixture
def held(notes: GitRepo) -> GitRepo:
    """A workspace in which one file is held."""
    notes.write("projects/deploy.md", f"# Deploy\n\ntoken: {TOKEN}\n")
    run(notes, "save")
    return notes


@pytest.fixture
def blocked(notes: GitRepo, tmp_path: Path) -> GitRepo:
    """A workspace whose person committed a secret with git."""
    run(notes, "remote", "add", "origin", bare(tmp_path / "remote.git"))
    run(notes, "sync")
    notes.write("projects/deploy.md", f"{TOKEN}\n")
    notes.commit("by hand")
    return notes


def test_nothing_held_and_nothing_blocked(notes: GitRepo) -> None:
    assert run(notes, "secrets", "list").out == "Nothing is held back, and nothing blocks a push.\n"
    assert run(notes, "secrets", "list", "--json").json == {"held": [], "blocked": []}


def test_save_and_status_name_the_place_and_what_to_do(held: GitRepo) -> None:
    said = run(held, "save")
    assert said.out == "Nothing to save.\n"
    for words in ("projects/deploy.md", "line 3 (github-token)", f"memtree secrets allow {FINGERPRINT}"):
        assert words in said.err
        assert words in run(held, "status").out
    (one,) = run(held, "status", "--json").json["survey"]["held"]
    assert (one["path"], one["line"], one["rule"]) == ("projects/deploy.md", 3, "github-token")
    git_agrees(held, "?? projects/deploy.md")


def test_a_sync_tells_what_is_held(held: GitRepo, tmp_path: Path) -> None:
    run(held, "remote", "add", "origin", bare(tmp_path / "remote.git"))
    assert "note: left alone: projects/deploy.md (held: a secret on line 3" in run(held, "sync").err
    assert len(run(held, "sync", "--json").json["notes"]) == 1


def test_list_names_held_files(held: GitRepo) -> None:
    lines = run(held, "secrets", "list").lines
    assert lines[0].split() == ["WHERE", "RULE", "FINGERPRINT", "WHY"]
    assert lines[1].split()[:4] == ["projects/deploy.md:3", "github-token", FINGERPRINT, "held:"]
    (one,) = run(held, "secrets", "list", "--json").json["held"]
    assert one["why"].startswith("held: a secret on line 3")
    assert {key: one[key] for key in ("path", "line", "rule", "fingerprint", "moved_to")} == {
        "path": "projects/deploy.md",
        "line": 3,
        "rule": "github-token",
        "fingerprint": FINGERPRINT,
        "moved_to": None,
    }


def test_a_file_that_was_never_saved_is_listed_too(notes: GitRepo) -> None:
    notes.write("projects/deploy.md", TOKEN)
    assert f"projects/deploy.md:1  github-token  {FINGERPRINT}" in run(notes, "secrets", "list").out


def test_allow_saves_what_was_held(held: GitRepo) -> None:
    said = run(held, "secrets", "allow", FINGERPRINT)
    assert said.lines == ["Allowed 1 secret in .memtreeallow.", "saved     projects/deploy.md"]
    git_agrees(held)
    assert run(held, "secrets", "allow", FINGERPRINT).out == "Allowed already; nothing changed.\n"
    done = run(held, "secrets", "allow", FINGERPRINT, "--json").json
    assert done == {"remarks": {}, "commit": None, "released": [], "notes": []}


def test_an_unknown_fingerprint_is_told(held: GitRepo) -> None:
    for wrong in ("0" * 16, "nonsense", FINGERPRINT[:8]):
        said = run(held, "secrets", "allow", wrong, code=2)
        assert wrong in said.err
        assert "memtree secrets list" in said.err
    error = run(held, "secrets", "allow", "0" * 16, "--json", code=2).json["error"]
    assert error["kind"] == "UnknownFingerprint"


def test_a_blocked_push_is_told_listed_allowed_and_sent(blocked: GitRepo) -> None:
    commit = blocked.git("rev-parse", "HEAD")
    said = run(blocked, "sync", code=3)
    for words in ("projects/deploy.md:1", "github-token", FINGERPRINT, commit[:8], "memtree secrets allow", "memtree forget"):
        assert words in said.err
    listed = run(blocked, "secrets", "list")
    assert f"projects/deploy.md:1  github-token  {FINGERPRINT}  blocked: commit {commit[:8]} is not sent to origin" in listed.out
    (one,) = run(blocked, "secrets", "list", "--json").json["blocked"]
    assert (one["path"], one["commit"], one["remotes"]) == ("projects/deploy.md", commit, ["origin"])
    assert run(blocked, "secrets", "allow", FINGERPRINT).lines == ["Allowed 1 secret in .memtreeallow."]
    assert "sent 2 commits" in run(blocked, "sync").out


def test_doctor_tells_what_is_held_and_what_is_blocked(blocked: GitRepo) -> None:
    blocked.write("projects/held.md", "ghp_" + "Zz9y" * 9)
    findings = run(blocked, "doctor", "--json", code=0).json["findings"]
    told = [f"{one['message']} {one['action']}" for one in findings if one["check"] in ("secrets", "files")]
    assert any("projects/held.md is not captured: held: a secret on line 1" in one for one in told)
    assert any("projects/deploy.md:1" in one and f"memtree secrets allow {FINGERPRINT}" in one for one in told)
    assert FINGERPRINT in run(blocked, "doctor").out


def test_baseline_shows_and_then_accepts_what_history_holds(blocked: GitRepo) -> None:
    before = blocked.git("rev-parse", "HEAD")
    planned = run(blocked, "secrets", "baseline", "--dry-run")
    assert planned.lines == [
        "Would accept 1 secret that the history holds:",
        f"  {FINGERPRINT}  github-token in projects/deploy.md",
    ]
    assert blocked.git("rev-parse", "HEAD") == before
    assert run(blocked, "secrets", "baseline", "--dry-run", "--json").json["commit"] is None
    done = run(blocked, "secrets", "baseline", "--json").json
    assert done["remarks"] == {FINGERPRINT: "github-token in projects/deploy.md"}
    assert done["commit"] == blocked.git("rev-parse", "HEAD")
    assert run(blocked, "secrets", "baseline").out == "The history holds no secret that is not allowed already.\n"
    assert "sent" in run(blocked, "sync").out
