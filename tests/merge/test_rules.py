"""The rule table: every kind of file has its rule, and only texts are ever merged."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.files import LARGEST
from memtree.engine.merge.generated import merge_fact, merge_generated
from memtree.engine.merge.goals import merge_goals
from memtree.engine.merge.keep_both import keep_both
from memtree.engine.merge.line_set import merge_line_set
from memtree.engine.merge.lines import merge_text
from memtree.engine.merge.outcome import ConflictKind, ContentRule
from memtree.engine.merge.profile import merge_profile
from memtree.engine.merge.prose import merge_entries, merge_prose
from memtree.engine.merge.rules import content_rules
from memtree.engine.merge.structured import merge_structured
from memtree.tree.paths import RepoPath
from support.merging import merge_file

CONTENT = "memory_tree/content"
RULES: dict[str, ContentRule | None] = {
    "MEMORY.md": merge_entries,
    "SKILL.md": merge_entries,
    "notes/MEMORY.md": merge_prose,
    "MEMORY_GOALS.md": merge_goals,
    "memtree.toml": merge_structured,
    ".gitignore": merge_line_set,
    "sub/.gitignore": merge_line_set,
    ".memtreeignore": merge_line_set,
    ".memtreeallow": merge_line_set,
    ".gitattributes": merge_line_set,
    f"{CONTENT}/episodic/s/000001.md": keep_both,
    f"{CONTENT}/chat/mail/ab/ab01.md": keep_both,
    f"{CONTENT}/raw/web/ab/ab01.txt": keep_both,
    f"{CONTENT}/recap/s/000001-000009.md": merge_generated,
    f"{CONTENT}/wiki/summaries/all/L1/n.md": merge_generated,
    f"{CONTENT}/facts/ab/ab01.md": merge_fact,
    f"{CONTENT}/profile/stack.md": merge_profile,
    f"{CONTENT}/entities/person/ab/ab01.md": merge_prose,
    f"{CONTENT}/notes/a.md": merge_prose,
    "notes/a.MD": merge_prose,
    "a.markdown": merge_prose,
    ".obsidian/app.json": merge_structured,
    "plan.canvas": merge_structured,
    "a.toml": merge_structured,
    "a.yaml": merge_structured,
    "a.yml": merge_structured,
    "a.py": merge_text,
    "a.csv": merge_text,
    "LICENSE": merge_text,
    "a.png": None,
    "a.pdf": None,
}


@pytest.mark.parametrize("path", RULES)
def test_every_kind_of_file_has_its_rule(path: str) -> None:
    assert content_rules()(RepoPath(path)) is RULES[path]


def test_the_layout_follows_the_content_root() -> None:
    assert content_rules("memory")(RepoPath("memory/facts/ab/ab01.md")) is merge_fact
    assert content_rules("")(RepoPath("facts/ab/ab01.md")) is merge_fact
    assert content_rules("memory")(RepoPath(f"{CONTENT}/facts/ab/ab01.md")) is merge_prose


@pytest.mark.parametrize("path", [path for path, rule in RULES.items() if rule is not merge_prose])
@pytest.mark.parametrize("other", [b"\xff\xfe", b"nul \0 inside"], ids=["not UTF-8", "NUL"])
def test_what_is_no_text_is_kept_in_both_versions(path: str, other: bytes) -> None:
    outcome = merge_file(path, b"base\n", b"ours\n", other)
    assert sorted(outcome.files.values()) == sorted((b"ours\n", other))
    assert outcome.conflict is not None
    assert outcome.conflict.kind is ConflictKind.BOTH_CHANGED
    assert outcome.conflict.second in outcome.files


def test_what_is_too_large_is_kept_in_both_versions() -> None:
    large = b"line\n" * (LARGEST // 5 + 1)
    outcome = merge_file("a.txt", large, large + b"ours\n", b"theirs\n" + large)
    assert sorted(map(len, outcome.files.values())) == [LARGEST // 5 * 5 + 10, LARGEST // 5 * 5 + 12]


def test_turns_that_differ_are_two_turns_but_line_ends_are_no_difference() -> None:
    path = f"{CONTENT}/episodic/s/000001.md"
    turn = b"---\nsession_id: s\nseq: 1\n---\nhello\n"
    assert merge_file(path, None, turn, turn.replace(b"\n", b"\r\n")).files == {path: turn}
    outcome = merge_file(path, None, turn, turn.replace(b"hello", b"hi"))
    assert sorted(outcome.files.values()) == sorted((turn, turn.replace(b"hello", b"hi")))


@pytest.mark.parametrize("path", [f"{CONTENT}/episodic/s/000001.md", f"{CONTENT}/raw/web/ab/a.txt", "a.csv", "a.json", "a.png"])
def test_a_forgotten_passage_is_not_kept_beside(path: str) -> None:
    base, forgot, edited = b'["a secret", 1]\n', b'["[forgotten]", 1]\n', b'["a secret that grew", 2]\n'
    outcome = merge_file(path, base, forgot, edited)
    assert outcome.files == {path: forgot}
    assert outcome.conflict is not None
    assert outcome.conflict.kind is ConflictKind.FORGOTTEN


_BITS = st.sampled_from(
    (
        b"---\n",
        b"a: 1\n",
        b"- [g1] x\n",
        b"- x ^m-1\n",
        b"# h\n",
        b"\n",
        b"<!-- goals: 2 -->\n",
        b"\r\n",
        b"\xc3",
        b"> [!conflict] c-00000000\n",
        b"{",
        b"}\n",
        b"a = 1\n",
        b"[forgotten]\n",
        b"\t",
        b"```\n",
    )
)
_ANY = st.lists(_BITS, max_size=12).map(b"".join)


@given(st.sampled_from(sorted(RULES)), st.none() | _ANY, _ANY, _ANY)
def test_any_files_are_merged_alike_on_both_sides(path: str, base: bytes | None, ours: bytes, theirs: bytes) -> None:
    one, two = merge_file(path, base, ours, theirs), merge_file(path, base, theirs, ours)
    assert (one.files, one.conflict) == (two.files, two.conflict)
    for side in (ours, theirs):
        assert merge_file(path, base, side, side).files == {path: side}
        if base is not None:
            assert merge_file(path, base, side, base).files == {path: side}
