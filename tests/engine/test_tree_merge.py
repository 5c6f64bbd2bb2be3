"""TreeMerger on real repositories: moves, clashes of names, several merge bases. Which side merges which changes nothing of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.engine.merge.outcome import ConflictKind
from memtree.engine.repo import Repo
from memtree.tree.objects import EXECUTABLE, FILE, GITLINK, SYMLINK, CommitId, Entry
from memtree.tree.paths import RepoPath
from support.made_trees import Files, check_words, made_trees, words
from support.tree_lab import Held, Tree, TreeLab


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TreeLab]:
    made = TreeLab(str(tmp_path_factory.mktemp("lab")))
    yield made
    made.repo.close()


def beside(path: str, data: str | bytes, digits: int = 8) -> str:
    name = Repo.hash_blob(data.encode() if isinstance(data, str) else data)
    return RepoPath(path).beside(name[:digits])


A = "".join(f"alpha {number}\n\n" for number in ("one", "two", "three", "half", "more", "rest", "last but one")) + "alpha four\n"
B = "beta one\n\nbeta two\n\nbeta three\n"
A_TOP = A.replace("alpha one", "alpha one, edited on top")
A_END = A.replace("alpha four", "alpha four, edited at the end")
A_BOTH = A_TOP.replace("alpha four", "alpha four, edited at the end")
WITH_ID = "---\nid: n-1\n---\n" + A
REWRITTEN = "---\nid: n-1\n---\nnothing of it stands as it stood\n\nalpha four\n"

TWICE = ConflictKind.RENAMED_TWICE
DELETED = ConflictKind.CHANGED_AND_DELETED
CLASH = ConflictKind.FILE_AND_FOLDER
BOTH = ConflictKind.BOTH_CHANGED

# What both started from, what one side has, what the other has, what the merge holds, what it tells.
CASES: dict[str, tuple[Tree, Tree, Tree, Tree, list[tuple[str, ConflictKind]]]] = {
    "a rename and an edit": ({"a.md": A}, {"b.md": A}, {"a.md": A_END}, {"b.md": A_END}, []),
    "a rename with an edit, and an edit": ({"a.md": A}, {"b.md": A_TOP}, {"a.md": A_END}, {"b.md": A_BOTH}, []),
    "a rename by its id with the text rewritten, and an edit": (
        {"a.md": WITH_ID},
        {"b.md": REWRITTEN},
        {"a.md": WITH_ID.replace("alpha four", "alpha four, edited at the end")},
        {"b.md": REWRITTEN.replace("alpha four", "alpha four, edited at the end")},
        [],
    ),
    "two renames to one name": ({"a.md": A}, {"b.md": A_TOP}, {"b.md": A_END}, {"b.md": A_BOTH}, []),
    "two renames to two names": ({"a.md": A}, {"z.md": A_TOP}, {"b.md": A_END}, {"b.md": A_BOTH}, [("b.md", TWICE)]),
    "two renames to two names, nothing edited": ({"a.md": A}, {"z.md": A}, {"b.md": A}, {"b.md": A}, [("b.md", TWICE)]),
    "two renames, one below the other's name": ({"a": A}, {"x": A}, {"x/y": A}, {"x": A}, [("x", TWICE)]),
    "a rename and a delete": ({"a.md": A}, {"b.md": A}, {}, {"b.md": A}, []),
    "a rename with an edit, and a delete": ({"a.md": A}, {"b.md": A_TOP}, {}, {"b.md": A_TOP}, []),
    "a rename onto a name that the other side gave to a new file": (
        {"a.md": A},
        {"b.md": A},
        {"a.md": A, "b.md": B},
        {"b.md": A + "\n" + B},
        [],
    ),
    "a rename onto a new file's name, with an edit": (
        {"a.md": A},
        {"b.md": A},
        {"a.md": A_END, "b.md": B},
        {"b.md": A_END + "\n" + B},
        [],
    ),
    "two files renamed to one name": (
        {"a.md": A, "b.md": B},
        {"c.md": A, "b.md": B},
        {"a.md": A, "c.md": B},
        {"c.md": A + "\n" + B},
        [],
    ),
    "a folder renamed and a new file in it": (
        {"docs/a.md": A, "docs/b.md": B},
        {"texts/a.md": A, "texts/b.md": B},
        {"docs/a.md": A, "docs/b.md": B, "docs/new.md": "new\n"},
        {"texts/a.md": A, "texts/b.md": B, "texts/new.md": "new\n"},
        [],
    ),
    "a folder renamed and a new file deep in it": (
        {"docs/a.md": A, "docs/in/b.md": B},
        {"texts/a.md": A, "texts/in/b.md": B},
        {"docs/a.md": A, "docs/in/b.md": B, "docs/in/deep/new.md": "new\n", "docs/other/new.md": "too\n"},
        {"texts/a.md": A, "texts/in/b.md": B, "texts/in/deep/new.md": "new\n", "texts/other/new.md": "too\n"},
        [],
    ),
    "a folder inside a folder renamed and a new file in it": (
        {"p/docs/a.md": A, "p/stays.md": B},
        {"p/texts/a.md": A, "p/stays.md": B},
        {"p/docs/a.md": A, "p/stays.md": B, "p/docs/new.md": "new\n", "p/new.md": "here\n"},
        {"p/texts/a.md": A, "p/stays.md": B, "p/texts/new.md": "new\n", "p/new.md": "here\n"},
        [],
    ),
    "a folder moved to the top and a new file in it": (
        {"docs/a.md": A, "docs/b.md": B},
        {"a.md": A, "b.md": B},
        {"docs/a.md": A, "docs/b.md": B, "docs/new.md": "new\n"},
        {"a.md": A, "b.md": B, "new.md": "new\n"},
        [],
    ),
    "a folder renamed and files in it edited": (
        {"docs/a.md": A, "docs/b.md": B},
        {"texts/a.md": A_TOP, "texts/b.md": B},
        {"docs/a.md": A_END, "docs/b.md": B + "\nmore\n"},
        {"texts/a.md": A_BOTH, "texts/b.md": B + "\nmore\n"},
        [],
    ),
    "a folder joined into another one, and a new file of a name that is taken there": (
        {"docs/a.md": A, "archive/old.md": B},
        {"archive/a.md": A, "archive/old.md": B},
        {"docs/a.md": A, "docs/old.md": "new\n", "archive/old.md": B},
        {"archive/a.md": A, "archive/old.md": B + "\nnew\n"},
        [],
    ),
    "a folder joined into another one, with a new file of the name of one that the other side edited": (
        {"docs/a.md": A, "archive/old.md": B},
        {"archive/a.md": A, "archive/old.md": B},
        {"docs/a.md": A, "docs/old.md": "new\n", "archive/old.md": B + "\nedited\n"},
        {"archive/a.md": A, "archive/old.md": B + "\nedited\n\nnew\n"},
        [],
    ),
    "a folder renamed to one name and to another": (
        {"docs/a.md": A, "docs/b.md": B},
        {"x/a.md": A_TOP, "x/b.md": B},
        {"y/a.md": A_END, "y/b.md": B, "y/new.md": "new\n"},
        {"x/a.md": A_BOTH, "x/b.md": B, "y/new.md": "new\n"},
        [("x/a.md", TWICE), ("x/b.md", TWICE)],
    ),
    "a folder deleted and a new file in it": (
        {"docs/a.md": A, "keep.md": B},
        {"keep.md": B},
        {"docs/a.md": A, "docs/new.md": "new\n", "keep.md": B},
        {"docs/new.md": "new\n", "keep.md": B},
        [],
    ),
    "a folder deleted and a file in it edited": (
        {"docs/a.md": A, "docs/b.md": B},
        {},
        {"docs/a.md": A_END, "docs/b.md": B},
        {"docs/a.md": A_END},
        [("docs/a.md", DELETED)],
    ),
    "two files that change names, and nothing else": (
        {"a.md": A, "b.md": B},
        {"a.md": B, "b.md": A},
        {"a.md": A, "b.md": B},
        {"a.md": B, "b.md": A},
        [],
    ),
    "two files that change names on both sides": (
        {"a.md": A, "b.md": B},
        {"a.md": B, "b.md": A},
        {"a.md": B, "b.md": A},
        {"a.md": B, "b.md": A},
        [],
    ),
    "a name in another case, and an edit": ({"plan.md": A}, {"Plan.md": A}, {"plan.md": A_END}, {"Plan.md": A_END}, []),
    "a name in two other cases": (
        {"plan.md": A},
        {"Plan.md": A_TOP},
        {"PLAN.md": A_END},
        {"PLAN.md": A_BOTH},
        [("PLAN.md", TWICE)],
    ),
    "a folder in another case, and a new file": (
        {"notes/a.md": A},
        {"Notes/a.md": A},
        {"notes/a.md": A, "notes/new.md": "new\n"},
        {"Notes/a.md": A, "Notes/new.md": "new\n"},
        [],
    ),
    "an edit and a delete": ({"a.md": A}, {"a.md": A_TOP}, {}, {"a.md": A_TOP}, [("a.md", DELETED)]),
    "a delete of what the other side left alone": ({"a.md": A, "b.md": B}, {"b.md": B}, {"a.md": A, "b.md": B}, {"b.md": B}, []),
    "a file and a folder of one name": (
        {"b.md": B},
        {"b.md": B, "thing": "file\n"},
        {"b.md": B, "thing/in.md": "in\n"},
        {"b.md": B, beside("thing", "file\n"): "file\n", "thing/in.md": "in\n"},
        [("thing", CLASH)],
    ),
    "a file that became a folder, and an edit": (
        {"thing": A},
        {"thing/in.md": B},
        {"thing": A_END},
        {"thing/in.md": B, beside("thing", A_END): A_END},
        [("thing", CLASH), ("thing", DELETED)],
    ),
    "a file that moved into a folder of its own name, and an edit": (
        {"thing": A},
        {"thing/index.md": A},
        {"thing": A_END},
        {"thing/index.md": A_END},
        [],
    ),
    "a folder that became a file, and a new file in it": (
        {"d/a.md": A, "d/b.md": B},
        {"d": "flat\n"},
        {"d/a.md": A, "d/b.md": B, "d/new.md": "new\n"},
        {beside("d", "flat\n"): "flat\n", "d/new.md": "new\n"},
        [("d", CLASH)],
    ),
    "a rename to a folder's place": (
        {"a.md": A, "b.md": B},
        {"place": A, "b.md": B},
        {"a.md": A_END, "b.md": B, "place/new.md": "new\n"},
        {beside("place", A_END): A_END, "b.md": B, "place/new.md": "new\n"},
        [("place", CLASH)],
    ),
    "bytes that are no text on both sides": (
        {"p.png": b"\0base"},
        {"p.png": b"\0one"},
        {"p.png": b"\0two"},
        dict(
            zip(
                ("p.png", beside("p.png", max(b"\0one", b"\0two", key=Repo.hash_blob))),
                sorted((b"\0one", b"\0two"), key=Repo.hash_blob),
                strict=True,
            )
        ),
        [("p.png", BOTH)],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_merge_of_trees(lab: TreeLab, case: str) -> None:
    base, ours, theirs, expected, told = CASES[case]
    held, conflicts = lab.outcome(base, ours, theirs)
    assert held == {path: lab.repo.blob(lab.entry(content).id) for path, content in expected.items()}
    assert conflicts == sorted(told, key=lambda row: (row[0], row[1].name))


C = "".join(f"gamma {number}\n\n" for number in range(8))
OTHER_ID = "---\nid: n-2\n---\n" + C

# What one side did with the names, while the other one edited; what the merge holds.
NAMES_TAKEN: dict[str, tuple[Tree, Tree, Tree, Tree]] = {
    "archived, and begun anew": ({"a.md": A}, {"old/a.md": A, "a.md": C}, {"a.md": A_END}, {"old/a.md": A_END, "a.md": C}),
    "archived with an edit, and begun anew, by id": (
        {"a.md": WITH_ID},
        {"old/a.md": WITH_ID.replace("alpha one", "alpha one, edited on top"), "a.md": OTHER_ID},
        {"a.md": WITH_ID.replace("alpha four", "alpha four, edited at the end")},
        {"old/a.md": WITH_ID.replace(A, A_BOTH), "a.md": OTHER_ID},
    ),
    "two that changed names": (
        {"a.md": A, "b.md": B},
        {"a.md": B, "b.md": A},
        {"a.md": A_END, "b.md": B},
        {"a.md": B, "b.md": A_END},
    ),
    "two that changed names, both edited": (
        {"a.md": A, "b.md": B},
        {"a.md": B, "b.md": A},
        {"a.md": A_END, "b.md": B + "\nmore\n"},
        {"a.md": B + "\nmore\n", "b.md": A_END},
    ),
    "one that took the name of one that moved on": (
        {"a.md": A, "b.md": B},
        {"b.md": A, "c.md": B},
        {"a.md": A_END, "b.md": B + "\nmore\n"},
        {"b.md": A_END, "c.md": B + "\nmore\n"},
    ),
    "one that took the place of another": ({"a.md": A, "b.md": B}, {"b.md": A}, {"a.md": A_END, "b.md": B}, {"b.md": A_END}),
    "archived on both sides, and begun anew on both": (
        {"a.md": A},
        {"old/a.md": A, "a.md": B},
        {"old/a.md": A, "a.md": C},
        {"old/a.md": A, "a.md": B + "\n" + C},
    ),
    "a copy, and an edit of the first": (
        {"a.md": A},
        {"copy.md": A, "a.md": A_TOP},
        {"a.md": A_END},
        {"copy.md": A, "a.md": A_BOTH},
    ),
}


@pytest.mark.parametrize("case", NAMES_TAKEN)
def test_an_edit_stays_with_its_note_when_another_one_takes_the_name(lab: TreeLab, case: str) -> None:
    base, ours, theirs, expected = NAMES_TAKEN[case]
    held, conflicts = lab.outcome(base, ours, theirs)
    assert held == {path: lab.repo.blob(lab.entry(content).id) for path, content in expected.items()}
    assert conflicts == []


# -- names

BYTES = (b"\0one", b"\0two", b"\0three")
_TAKEN = [
    name for data in BYTES for digits in (8, 16, 40) for name in (beside("p", data, digits), beside("p", data, digits) + "/x")
]
made_names = st.dictionaries(st.sampled_from(("p", "p/x", *_TAKEN)), st.sampled_from(BYTES), max_size=5).map(
    lambda tree: {name: data for name, data in tree.items() if not any(other.startswith(f"{name}/") for other in tree)}
)


@given(made_names, made_names, made_names)
def test_a_name_that_something_has_is_given_to_nothing_else(base: Held, ours: Held, theirs: Held) -> None:
    """Files and folders stand where second versions would be put, on one side, on both, or until one of them deletes it."""
    held, _ = _RANDOM[0].outcome(base, ours, theirs)
    added = {*ours.values(), *theirs.values()} - {*base.values()}
    assert added <= set(held.values())


def test_a_second_name_that_is_a_folder_s_is_not_given_to_a_file(lab: TreeLab) -> None:
    folder = beside("thing", "a file\n") + "/in.md"
    held, conflicts = lab.outcome({"k": "k"}, {"k": "k", "thing": "a file\n"}, {"k": "k", "thing/x.md": "x\n", folder: "y\n"})
    assert held == {"k": b"k", "thing/x.md": b"x\n", folder: b"y\n", beside("thing", "a file\n", 16): b"a file\n"}
    assert conflicts == [("thing", CLASH)]


# -- kinds of entry


def test_a_link_and_a_text_both_stay(lab: TreeLab) -> None:
    merged, conflicts = lab.three({"a.md": A}, {"a.md": lab.entry("b.md", SYMLINK)}, {"a.md": A_END})
    assert {b"b.md", A_END.encode()} <= set(lab.files(merged).values())
    assert sorted(mode for path, mode in lab.modes(merged).items() if path.endswith(".md")) == [FILE, SYMLINK]
    assert conflicts == [("a.md", BOTH)]


def test_a_link_that_moved_and_points_elsewhere_on_the_other_side(lab: TreeLab) -> None:
    """Where a link points is all it is, so one that points elsewhere is another one."""
    merged, _ = lab.three({"l": lab.entry("a.md", SYMLINK)}, {"m": lab.entry("a.md", SYMLINK)}, {"l": lab.entry("b.md", SYMLINK)})
    assert lab.modes(merged).items() >= {"l": SYMLINK, "m": SYMLINK}.items()
    assert (lab.files(merged)["l"], lab.files(merged)["m"]) == (b"b.md", b"a.md")


def test_a_mode_follows_a_rename_and_an_edit(lab: TreeLab) -> None:
    merged, conflicts = lab.three({"a.sh": A}, {"b.sh": lab.entry(A, EXECUTABLE)}, {"a.sh": A_END})
    assert (lab.files(merged)["b.sh"], lab.modes(merged)["b.sh"]) == (A_END.encode(), EXECUTABLE)
    assert "a.sh" not in lab.files(merged)
    assert conflicts == []


@pytest.mark.parametrize(("one", "two"), [(FILE, FILE), (EXECUTABLE, FILE), (FILE, EXECUTABLE)])
def test_a_mode_and_a_text(lab: TreeLab, one: int, two: int) -> None:
    merged, _ = lab.three({"a.sh": lab.entry(A, FILE)}, {"a.sh": lab.entry(A_TOP, one)}, {"a.sh": lab.entry(A_END, two)})
    assert lab.modes(merged)["a.sh"] == max(one, two)


def test_submodules_take_one_of_the_two_commits(lab: TreeLab) -> None:
    base, one, two = (Entry(GITLINK, f"{n:040x}") for n in (1, 2, 3))
    merged, conflicts = lab.three({"lib": base}, {"lib": one}, {"lib": two})
    assert dict(lab.repo.files(merged))[RepoPath("lib")] == two
    assert conflicts == [("lib", ConflictKind.SUBMODULE)]


# -- merge bases


def crossed(lab: TreeLab, base: Tree, one: Tree, two: Tree) -> tuple[CommitId, CommitId, list[CommitId]]:
    """Two commits that both sides merged crosswise, and nothing edited since: both are merge bases of what follows."""
    root = lab.commit(base)
    left, right = lab.commit(one, root), lab.commit(two, root)
    merged, _ = lab.merge(left, right)
    files = dict(lab.repo.files(merged))
    # The same merge, made twice with different words: as two programs that know nothing of each other do.
    ours = lab.commit({**files, "only-left.md": "left\n"}, left, right)
    theirs = lab.commit({**files, "only-right.md": "right\n"}, right, left)
    bases = lab.repo.merge_bases(ours, theirs)
    assert bases == sorted((left, right))
    return ours, theirs, bases


def test_merges_that_crossed_are_merged_from_both_bases(lab: TreeLab) -> None:
    ours, theirs, _ = crossed(lab, {"a.md": A}, {"a.md": A_TOP}, {"a.md": A_END})
    merged, conflicts = lab.merge(ours, theirs)
    assert lab.files(merged) == {"a.md": A_BOTH.encode(), "only-left.md": b"left\n", "only-right.md": b"right\n"}
    assert conflicts == []


def test_what_was_taken_back_after_crossed_merges_stays_away(lab: TreeLab) -> None:
    """With one of the two bases the text of the other one would look like an addition, and come back."""
    ours, theirs, _ = crossed(lab, {"a.md": A}, {"a.md": A_TOP, "new.md": "new\n"}, {"a.md": A_END, "two.md": "two\n"})
    one = lab.edited(ours, {"a.md": A, "new.md": None, "two.md": None})
    merged, conflicts = lab.merge(one, theirs)
    assert lab.files(merged) == {"a.md": A.encode(), "only-left.md": b"left\n", "only-right.md": b"right\n"}
    assert conflicts == []


def test_edits_after_crossed_merges_meet(lab: TreeLab) -> None:
    ours, theirs, _ = crossed(lab, {"a.md": A}, {"a.md": A_TOP}, {"a.md": A_END})
    one = lab.edited(ours, {"a.md": A_BOTH.replace("alpha two", "alpha two of ours")})
    two = lab.edited(theirs, {"b.md": A_BOTH.replace("alpha three", "alpha three of theirs"), "a.md": None})
    merged, conflicts = lab.merge(one, two)
    expected = A_BOTH.replace("alpha two", "alpha two of ours").replace("alpha three", "alpha three of theirs")
    assert lab.files(merged)["b.md"] == expected.encode()
    assert "a.md" not in lab.files(merged)
    assert conflicts == []


def test_a_conflict_inside_the_bases_is_no_conflict_of_the_sides(lab: TreeLab) -> None:
    """Both bases changed one passage; both sides settled it in the same way, and edited elsewhere."""
    ours, theirs, _ = crossed(lab, {"a.md": A}, {"a.md": A_TOP}, {"a.md": A.replace("alpha one", "quite other words")})
    settled = A.replace("alpha one", "settled")
    one = lab.edited(ours, {"a.md": settled})
    two = lab.edited(theirs, {"a.md": settled.replace("alpha four", "alpha four, edited at the end")})
    merged, conflicts = lab.merge(one, two)
    assert lab.files(merged)["a.md"] == settled.replace("alpha four", "alpha four, edited at the end").encode()
    assert conflicts == []


def test_bases_that_have_several_bases_themselves(lab: TreeLab) -> None:
    ours, theirs, _ = crossed(lab, {"a.md": A}, {"a.md": A_TOP}, {"a.md": A_END})
    one = lab.edited(ours, {"a.md": A_BOTH.replace("alpha two", "alpha two of ours")})
    two = lab.edited(theirs, {"a.md": A_BOTH.replace("alpha three", "alpha three of theirs"), "gone.md": "g\n"})
    files = dict(lab.repo.files(lab.merge(one, two)[0]))
    left, right = lab.commit({**files, "l.md": "l\n"}, one, two), lab.commit({**files, "r.md": "r\n"}, two, one)
    assert lab.repo.merge_bases(left, right) == sorted((one, two))
    left = lab.edited(left, {"gone.md": None})
    merged, conflicts = lab.merge(left, right)
    expected = A_BOTH.replace("alpha two", "alpha two of ours").replace("alpha three", "alpha three of theirs")
    assert lab.files(merged)["a.md"] == expected.encode()
    assert {"gone.md"}.isdisjoint(lab.files(merged))
    assert {"l.md", "r.md", "only-left.md", "only-right.md"} <= lab.files(merged).keys()
    assert conflicts == []


def test_histories_that_crossed_very_often_still_merge(lab: TreeLab) -> None:
    """Deeper than bases of bases are followed."""
    root = lab.commit({"a.md": A})
    left, right = lab.commit({"a.md": A, "l.md": "0\n"}, root), lab.commit({"a.md": A, "r.md": "0\n"}, root)
    for number in range(40):
        files = {"a.md": A, "l.md": f"{number}\n", "r.md": f"{number}\n"}
        left, right = (
            lab.commit({**files, "l.md": f"{number + 1}\n"}, left, right),
            lab.commit({**files, "r.md": f"{number + 1}\n"}, right, left),
        )
    merged, conflicts = lab.merge(left, right)
    assert lab.files(merged) == {"a.md": A.encode(), "l.md": b"40\n", "r.md": b"40\n"}
    assert conflicts == []


def test_without_a_common_commit_everything_of_both_stays(lab: TreeLab) -> None:
    one = lab.commit({"same.md": "same\n", "differs.md": "of one\n", "one.md": "1\n", "x": "file\n", "p.png": b"\0one"})
    two = lab.commit({"same.md": "same\n", "differs.md": "of two\n", "two.md": "2\n", "x/in.md": "in\n", "p.png": b"\0two"})
    merged, _ = lab.merge(one, two)
    held = lab.files(merged)
    assert held["differs.md"] == b"of one\n\nof two\n"
    assert {b"same\n", b"1\n", b"2\n", b"file\n", b"in\n", b"\0one", b"\0two"} <= set(held.values())
    assert len(held) == 8


def test_an_empty_side_takes_the_other_one_whole(lab: TreeLab) -> None:
    theirs = lab.commit({"a.md": A, "d/b.md": B})
    assert lab.merger().commits(None, theirs).changes == dict(lab.repo.files(theirs))
    merged, conflicts = lab.merge(lab.commit({}), theirs)
    assert (dict(lab.repo.files(merged)), conflicts) == (dict(lab.repo.files(theirs)), [])


# -- anything

_RANDOM: list[TreeLab] = []


@pytest.fixture(autouse=True, scope="module")
def _lab_of_random_trees(lab: TreeLab) -> None:
    _RANDOM[:] = [lab]


@given(made_trees())
def test_any_edits_and_moves_lose_nothing_and_bring_nothing_back(made: tuple[Files, list[Files]]) -> None:
    base, sides = made
    held, _ = _RANDOM[0].outcome(base, *sides)
    check_words(base, sides, held)


@given(made_trees())
def test_any_histories_that_crossed_keep_the_laws(made: tuple[Files, list[Files]]) -> None:
    """The same edits again, above two merge bases."""
    lab = _RANDOM[0]
    base, (ours, theirs) = made
    left, right, _ = crossed(lab, base, {**ours, "left.txt": "l\n"}, {**theirs, "right.txt": "r\n"})
    shared = lab.files(left)
    one = lab.edited(left, {"late.md": "ulate1\n"})
    two = lab.edited(right, dict.fromkeys(sorted(shared)[:1]))
    merged, _ = lab.merge(one, two)
    assert words(lab.files(merged)) == words({path: shared[path] for path in sorted(shared)[1:]}) | {b"ulate1"}


def test_rules_are_asked_with_the_path_in_the_end(lab: TreeLab) -> None:
    """A note that moved among data files merges as a data file: what stands in the end must be readable as what it is."""
    one, two = "a: 1\nb: 2\nc: 3\nd: 4\n", "a: 1\nb: 2\nc: 3\nd: 5\n"
    held, _ = lab.outcome({"x.yaml": one}, {"y.yml": one}, {"x.yaml": two})
    assert held == {"y.yml": two.encode()}


def test_an_unchanged_folder_is_never_opened(lab: TreeLab, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {f"many/{number}.md": f"{number}\n" for number in range(50)}
    root = lab.commit({**files, "a.md": A})
    ours, theirs = lab.commit({**files, "a.md": A_TOP}, root), lab.commit({**files, "a.md": A_END}, root)
    untouched = lab.repo.entry(root, "many")
    assert untouched is not None
    opened: list[str] = []
    items = lab.repo.items
    monkeypatch.setattr(lab.repo, "items", lambda tree: (opened.append(tree), items(tree))[1])
    assert list(lab.merger().commits(ours, theirs).changes) == ["a.md"]
    assert untouched.id not in opened
