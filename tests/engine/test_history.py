"""History read from repositories that stock git wrote; where git answers the same question, git is the oracle."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from random import Random

import pytest

from memtree.engine import history, renames
from memtree.engine.blame import blame
from memtree.engine.history import (
    Edge,
    LogItem,
    LogQuery,
    NotAFile,
    commit_changes,
    diff,
    diff_text,
    log,
    parse_when,
    show,
)
from memtree.engine.repo import Repo
from memtree.engine.when import UnknownTime
from memtree.tree.objects import ChangeKind, CommitId
from memtree.tree.paths import RepoPath
from memtree.tree.words import Detail, Mark
from support.gitrepo import START, STEP, GitRepo

LINES = [f"line {n} of the note\n" for n in range(10)]


@pytest.fixture
def git(tmp_path: Path) -> GitRepo:
    return GitRepo(tmp_path)


def tip(git: GitRepo) -> CommitId:
    return CommitId(git.git("rev-parse", "HEAD"))


def items(git: GitRepo, query: LogQuery) -> list[LogItem]:
    return list(log(Repo.open(git.path), tip(git), query))


def subjects(git: GitRepo, path: str = "", **filters: object) -> list[str]:
    return [item.commit.subject for item in items(git, LogQuery(path, **filters))]  # type: ignore[arg-type]


def test_log_of_a_file_lists_the_commits_that_changed_it(git: GitRepo) -> None:
    git.write("notes/a.md", "one\n")
    git.commit("add a")
    git.write("notes/b.md", "other\n")
    git.commit("add b")
    git.write("notes/a.md", "two\n")
    git.commit("change a")
    git.remove("notes/a.md")
    git.commit("delete a")
    assert subjects(git, "notes/a.md") == ["delete a", "change a", "add a"]
    assert [item.changes[0].kind for item in items(git, LogQuery("notes/a.md"))] == [
        ChangeKind.DELETED,
        ChangeKind.MODIFIED,
        ChangeKind.ADDED,
    ]
    assert subjects(git, "notes/") == ["delete a", "change a", "add b", "add a"]
    assert subjects(git) == ["delete a", "change a", "add b", "add a"]
    assert subjects(git, "notes/a.md/below") == []
    assert subjects(git, "nothing.md") == []


def test_log_follows_a_file_through_moves_and_edits(git: GitRepo) -> None:
    git.write("a.md", "".join(LINES))
    git.write("twin.md", "".join(LINES[:4]))
    git.commit("add")
    git.move("a.md", "deep/b.md")
    git.commit("move")
    git.move("deep/b.md", "c.md")
    git.write("c.md", "".join(LINES[:8]) + "new end\n")
    git.commit("move and edit")
    found = items(git, LogQuery("c.md"))
    assert [(item.commit.subject, item.path_then) for item in found] == [
        ("move and edit", "c.md"),
        ("move", "deep/b.md"),
        ("add", "a.md"),
    ]
    assert [item.changes[0].kind for item in found] == [ChangeKind.RENAMED, ChangeKind.RENAMED, ChangeKind.ADDED]
    assert found[1].changes[0].old_path == "a.md"


def test_a_file_s_log_compares_no_trees(git: GitRepo, monkeypatch: pytest.MonkeyPatch) -> None:
    git.write("b.md", "b\n")
    git.commit("root")
    for n in range(3):
        git.write("notes/a.md", f"{n}\n")
        git.commit(f"edit {n}")
    monkeypatch.setattr(history, "diff_commits", None)
    assert subjects(git, "notes/a.md") == ["edit 2", "edit 1", "edit 0"]


@pytest.mark.parametrize("most_pairs", [10_000, 0])
def test_many_files_moved_and_edited_keep_their_history(git: GitRepo, monkeypatch: pytest.MonkeyPatch, most_pairs: int) -> None:
    monkeypatch.setattr(renames, "_MOST_PAIRS", most_pairs)
    for n in range(5):
        git.write(f"old/{n}.md", "".join(f"{n}: {line}" for line in LINES))
    git.commit("add")
    for n in range(5):
        git.move(f"old/{n}.md", f"new/{n}.md")
        git.write(f"new/{n}.md", git.read(f"new/{n}.md") + b"more\n")
    moved = CommitId(git.commit("move"))
    assert [change.old_path for change in commit_changes(Repo.open(git.path), moved)] == [f"old/{n}.md" for n in range(5)]
    assert subjects(git, "new/3.md") == ["move", "add"]


def test_a_file_that_shares_little_is_new(git: GitRepo) -> None:
    git.write("a.md", "".join(LINES))
    git.commit("add")
    git.remove("a.md")
    git.write("b.md", "".join(LINES[:4]) + "quite other text, and more of it\n" * 4)
    git.commit("replace")
    assert subjects(git, "b.md") == ["replace"]


def branched(git: GitRepo, ours: dict[str, str], theirs: dict[str, str]) -> None:
    """A root with a.md, a branch `side` with `theirs`, and main with `ours`."""
    git.write("a.md", "".join(LINES))
    git.commit("root")
    git.git("checkout", "-q", "-b", "side")
    for path, text in theirs.items():
        git.write(path, text)
    git.commit("theirs")
    git.git("checkout", "-q", "main")
    for path, text in ours.items():
        git.write(path, text)
    git.commit("ours")


def test_a_merge_is_listed_only_where_it_differs_from_all_parents(git: GitRepo) -> None:
    branched(git, {"b.md": "b\n"}, {"a.md": "".join([*LINES, "theirs\n"])})
    git.merge("side", message="merge")
    assert subjects(git, "a.md") == ["theirs", "root"]
    assert subjects(git, "b.md") == ["ours"]
    assert subjects(git)[0] == "merge"


def test_a_merge_that_joins_two_edits_leads_to_both(git: GitRepo) -> None:
    branched(git, {"a.md": "".join(["ours\n", *LINES])}, {"a.md": "".join([*LINES, "theirs\n"])})
    git.merge("side", message="merge")
    assert subjects(git, "a.md") == ["merge", "ours", "theirs", "root"]
    (change,) = items(git, LogQuery("a.md"))[0].changes
    assert change.kind is ChangeKind.MODIFIED


def test_an_edit_on_the_other_side_of_a_rename_is_found(git: GitRepo) -> None:
    branched(git, {"a.md": "".join(["ours\n", *LINES])}, {})
    git.git("checkout", "-q", "side")
    git.move("a.md", "b.md")
    git.commit("rename")
    git.git("checkout", "-q", "main")
    git.merge("side", message="merge")
    assert {"rename", "ours", "root"} <= set(subjects(git, "b.md"))


def test_commit_changes_of_a_merge_are_against_the_nearest_parent(git: GitRepo) -> None:
    branched(git, {f"{n}.md": f"{n}\n" for n in range(5)}, {"x.md": "x\n"})
    merge = CommitId(git.merge("side"))
    assert [change.path for change in commit_changes(Repo.open(git.path), merge)] == ["x.md"]


def test_log_filters_on_who_which_session_when_and_text(git: GitRepo) -> None:
    git.commit("By hand")
    git.commit("turn", trailers={"Memtree-Writer": "archivist", "Memtree-Session": "s1"})
    git.commit("goal", trailers={"Memtree-Writer": "goals", "Memtree-Session": "s2"})
    assert subjects(git, writer="git") == ["By hand"]
    assert subjects(git, writer="archivist") == ["turn"]
    assert subjects(git, session="s2") == ["goal"]
    assert subjects(git, since=START + STEP) == ["goal", "turn"]
    assert subjects(git, until=START + STEP) == ["turn", "By hand"]
    assert subjects(git, grep="by HAND") == ["By hand"]
    assert subjects(git, limit=2) == ["goal", "turn"]
    assert [item.writer for item in items(git, LogQuery())] == ["goals", "archivist", "git"]


def test_a_wrong_clock_hides_no_commit(git: GitRepo) -> None:
    git.write("a.md", "1\n")
    git.commit("root", time=START)
    git.write("a.md", "2\n")
    git.commit("past", time=START - 10_000)
    git.write("a.md", "3\n")
    git.commit("future", time=START + 10_000)
    assert subjects(git, "a.md") == ["future", "past", "root"]


def test_diff_pairs_renames_and_marks_words(git: GitRepo) -> None:
    git.write("a.md", "".join(LINES))
    git.write("b.md", "b\n")
    before = CommitId(git.commit("one"))
    git.move("a.md", "c/a.md")
    git.write("c/a.md", "".join(LINES).replace("line 5", "row 5"))
    git.remove("b.md")
    after = CommitId(git.commit("two"))
    repo = Repo.open(git.path)
    found = diff(repo, before, after, detail=Detail.WORDS)
    assert [(d.path, d.old_path, d.kind) for d in found] == [
        ("b.md", None, ChangeKind.DELETED),
        ("c/a.md", "a.md", ChangeKind.RENAMED),
    ]
    (line,) = [line for line in found[1].hunks[0].lines if line.kind is Mark.CHANGED]
    assert [piece.text for piece in line.pieces] == ["line", "row", " 5 of the note\n"]
    assert [d.old_path for d in diff(repo, before, after, "c/a.md")] == ["a.md"]
    assert [d.path for d in diff(repo, before, after, "a.md")] == ["c/a.md"]
    assert [d.path for d in diff(repo, before, after, "b.md")] == ["b.md"]
    assert len(diff(repo, None, before)) == 2
    assert diff(repo, before, before) == []


def test_diff_shows_links_and_other_repositories_as_text(git: GitRepo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("a.md")
    inner = GitRepo(tmp_path / "inner")
    there = inner.commit("inner")
    git.git("add", "link")
    git.git("update-index", "--add", "--cacheinfo", f"160000,{there},inner")
    git.git("commit", "-qm", "odd entries")
    texts = {d.path: d.hunks[0].lines[0].new for d in diff(Repo.open(git.path), None, tip(git))}
    assert texts == {"link": "a.md", "inner": f"Subproject commit {there}\n"}


def test_diff_text_compares_a_commit_with_bytes_on_disk(git: GitRepo) -> None:
    git.write("a.md", "one\n")
    git.commit()
    repo, path = Repo.open(git.path), RepoPath("a.md")
    assert diff_text(repo, tip(git), path, b"two\n").added == 1
    assert diff_text(repo, tip(git), path, None).kind is ChangeKind.DELETED
    assert diff_text(repo, None, path, b"new\n").kind is ChangeKind.ADDED
    assert diff_text(repo, tip(git), path, b"one\n").hunks == ()


def test_show_returns_the_bytes_of_then(git: GitRepo) -> None:
    git.write("notes/a.md", b"old\r\n\xff")
    first = CommitId(git.commit())
    git.write("notes/a.md", "new\n")
    git.commit()
    repo = Repo.open(git.path)
    assert show(repo, "notes/a.md", first) == b"old\r\n\xff"
    with pytest.raises(NotAFile, match="does not exist"):
        show(repo, "notes/b.md", first)
    with pytest.raises(NotAFile, match="is a folder"):
        show(repo, "notes", first)


def git_blame(git: GitRepo, path: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    commit = ""
    for line in git.git("blame", "--line-porcelain", path).split("\n"):
        word = line.split(" ")[0]
        commit = word if len(word) == 40 else commit
        if line.startswith("\t"):
            found.append((line[1:], commit))
    return found


def test_blame_agrees_with_git(git: GitRepo) -> None:
    branched(git, {"a.md": "".join(["ours\n", *LINES])}, {"a.md": "".join([*LINES, "theirs\n"])})
    git.merge("side")
    git.write("a.md", git.read("a.md").replace(b"line 3", b"row 3"))
    git.move("a.md", "b.md")
    git.commit("edit and move", author="Bob Jones", trailers={"Memtree-Writer": "editor"})
    found = blame(Repo.open(git.path), "b.md", tip(git))
    assert [(line.text, line.commit) for line in found] == git_blame(git, "b.md")
    assert [line.line_no for line in found] == list(range(1, 13))
    assert [(line.author, line.writer) for line in found if line.text.startswith("row 3")] == [("Bob Jones", "editor")]
    assert found[0].writer == "git"


def test_blame_places_every_line_in_spite_of_a_wrong_clock(git: GitRepo) -> None:
    git.write("a.md", "".join(LINES))
    git.commit("root", time=START)
    git.git("checkout", "-q", "-b", "side")
    git.write("a.md", "".join([*LINES, "theirs\n"]))
    git.commit("theirs", time=START - 50_000)
    git.git("checkout", "-q", "main")
    git.write("a.md", "".join(["ours\n", *LINES]))
    git.commit("ours", time=START + 50_000)
    git.merge("side")
    found = blame(Repo.open(git.path), "a.md", tip(git))
    assert [(line.text, line.commit) for line in found] == git_blame(git, "a.md")


def test_blame_refuses_what_has_no_lines(git: GitRepo) -> None:
    git.write("a.bin", b"a\0b")
    git.write("empty.md", "")
    git.commit()
    with pytest.raises(NotAFile, match="is binary"):
        blame(Repo.open(git.path), "a.bin", tip(git))
    assert blame(Repo.open(git.path), "empty.md", tip(git)) == []


def random_history(git: GitRepo, seed: int) -> dict[str, tuple[list[str], set[int]]]:
    """A random graph of commits; each commit's parents and the lines of a.md, which are always in rising order."""
    random = Random(seed)
    made: list[tuple[list[int], set[int]]] = []
    script = ""
    for n in range(25):
        parents = sorted(random.sample(range(max(n - 4, 0), n), min(n, random.choice((1, 1, 2)))), reverse=True)
        lines = set[int]().union(*(made[parent][1] for parent in parents if random.random() < 0.7)) or {n}
        if random.random() < 0.6 or not parents:
            lines = {line for line in lines if random.random() < 0.9} | set(random.sample(range(1000), 2))
        made.append((parents, lines))
        text = "".join(f"{line}\n" for line in sorted(lines))
        links = "".join(f"{'merge' if k else 'from'} :{parent + 1}\n" for k, parent in enumerate(parents))
        when = START + random.randrange(2000)
        script += f"commit refs/heads/{'main' if n == 24 else 'other'}\nmark :{n + 1}\ncommitter a <a@b> {when} +0000\ndata 1\nm\n"
        script += f"{links}M 100644 inline a.md\ndata {len(text)}\n{text}\nM 100644 inline b.md\ndata 1\n{random.randrange(2)}\n"
    git.git("fast-import", "--quiet", "--force", "--export-marks=marks", stdin=script.encode())
    ids = dict(line[1:].split() for line in git.read("marks").decode().splitlines())
    return {ids[str(n + 1)]: ([ids[str(p + 1)] for p in parents], lines) for n, (parents, lines) in enumerate(made)}


@pytest.mark.parametrize("seed", range(20))
def test_any_history_is_read_as_git_reads_it(git: GitRepo, seed: int) -> None:
    commits = random_history(git, seed)
    repo, top = Repo.open(git.path), tip(git)
    for path in ("a.md", "b.md"):
        expected = git.git("log", "--format=%H", "--topo-order", top, "--", path).split("\n")
        found = [item.commit.id for item in log(repo, top, LogQuery(path))]
        assert sorted(found) == sorted(expected)
    for line in blame(repo, "a.md", top):
        parents, lines = commits[line.commit]
        assert int(line.text) in lines
        assert all(int(line.text) not in commits[parent][1] for parent in parents)


NOW = int(datetime(2026, 3, 10, 15, 30, tzinfo=UTC).timestamp())


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30m", 1800), ("2h", 7200), ("3d", 259_200), ("2w", 1_209_600), ("2 days ago", 172_800), ("1 hour", 3600), ("now", 0)],
)
def test_an_age_counts_back_from_now(text: str, seconds: int) -> None:
    assert parse_when(text, NOW) == NOW - seconds


def test_days_have_two_ends_and_a_zone() -> None:
    midnight = int(datetime(2026, 3, 10, tzinfo=UTC).timestamp())
    assert parse_when("today", NOW, zone=UTC) == midnight
    assert parse_when("yesterday", NOW, zone=UTC) == midnight - 86_400
    assert parse_when("2026-03-10", NOW, edge=Edge.END, zone=UTC) == midnight + 86_399
    assert parse_when("2026-03-10", NOW, zone=timezone(timedelta(hours=2))) == midnight - 7200
    assert parse_when("2026-03-10T15:30", NOW, edge=Edge.END, zone=UTC) == NOW
    assert parse_when("2026-03-10T15:30:00Z", 0) == NOW


@pytest.mark.parametrize("text", ["", "soon", "2026-13-01", "3x", "12", "99999-01-01"])
def test_an_unreadable_time_says_what_is_accepted(text: str) -> None:
    with pytest.raises(UnknownTime) as caught:
        parse_when(text, NOW)
    assert "2026-03-31" in caught.value.hint
