"""The benchmark corpus is the same for a seed, and looks like notes."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from pathlib import Path

from memtree.tools.bench.corpus import note_id, notes, seed_repository
from memtree.tools.bench.vocabulary import CHINESE, SIZE, vocabulary
from support.gitrepo import GitRepo

COUNT, SEED = 400, 7


def test_a_seed_names_one_corpus() -> None:
    found = list(notes(COUNT, SEED))
    assert found == list(notes(COUNT, SEED))
    assert found[:50] == list(notes(50, SEED))
    assert found[0] != next(notes(1, SEED + 1))
    assert len({path for path, _ in found}) == COUNT
    # Numbers measured on different machines are comparable only while this holds.
    assert hashlib.sha256(b"".join(data for _, data in found)).hexdigest()[:16] == "eddd19e4e54e830b"


def test_notes_look_like_notes() -> None:
    ids = {note_id(SEED, number) for number in range(COUNT)}
    chinese = 0
    for path, data in notes(COUNT, SEED):
        text = data.decode()
        assert re.fullmatch(r"notes/([0-9a-f]{2})/\1[0-9a-f]{14}\.md", path)
        assert re.match(r"---\ntitle: .+\ntags: \[[\w, ]+\]\ncreated: 20\d\d-.*\n---\n\n# .+\n\n## ", text)
        assert set(re.findall(r"\[\[(\w+)\]\]", text)) <= ids
        chinese += any(word in text for word in CHINESE)
    assert 0.02 * COUNT < chinese < 0.09 * COUNT


def test_words_are_as_many_as_asked_and_follow_zipf() -> None:
    counts: Counter[str] = Counter()
    for _, data in notes(COUNT, SEED):
        body = data.decode().split("---\n", 2)[2]
        words = re.findall(r"[a-z]+", re.sub(r"(?m)^#.*$|^see .*$", "", body.lower()))
        assert len(words) in (0, 500)
        counts.update(words)
    ranked = [count for _, count in counts.most_common()]
    assert 0.35 < sum(ranked[:100]) / sum(ranked) < 0.7
    assert len(ranked) > 10_000


def test_the_vocabulary_is_fixed() -> None:
    words = vocabulary()
    assert len(words) == len(set(words)) == SIZE
    assert words[:3] == ("the", "of", "and")


def test_a_repository_holds_the_corpus_and_is_clean(tmp_path: Path) -> None:
    seeded = seed_repository(str(tmp_path / "work"), 20, SEED, words=50, prefix="memory_tree/content/")
    git = GitRepo(tmp_path / "work")
    assert (seeded.files, seeded.commit) == (20, git.git("rev-parse", "HEAD"))
    assert git.git("status", "--porcelain") == ""
    for path, data in notes(20, SEED, words=50):
        assert git.read(f"memory_tree/content/{path}") == data
    assert len(git.git("ls-files").split("\n")) == 20
    again = seed_repository(str(tmp_path / "again"), 20, SEED, words=50, prefix="memory_tree/content/")
    assert again.commit == seeded.commit
