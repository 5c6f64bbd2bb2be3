"""Token vectors live and die with the vectors they stand beside; and a slow model's texts may wait for theirs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.indexers.base import Index, IndexCorrupt
from memtree.indexers.catch_up import catch_up
from memtree.indexers.embedder import EmbedderUnavailable, TokenCodes, normalised
from memtree.indexers.token_vectors import TokenFile, coded, decoded
from memtree.indexers.vector_log import VectorLog
from memtree.indexers.vectors import VectorIndex
from memtree.tree.episode import Episode, episode_path
from memtree.tree.paths import RepoPath
from support.hash_embedder import HashContextEmbedder
from support.index_suite import IndexSuite, Recorder
from support.memory_source import MemorySource

MODEL = b"m" * 16
WIDTH = HashContextEmbedder.token_width


def turns(number: int, *, word: str = "quokka") -> dict[str, bytes]:
    """The files of a conversation."""
    episodes = [
        Episode("s1", seq, f"turn {seq} speaks of the {word} w{seq}", timestamp=1_700_000_000_000 + seq, speaker="Ada")
        for seq in range(number)
    ]
    return {episode_path("s1", one.seq, "memory_tree/content"): one.render() for one in episodes}


NOTES = {f"notes/{number}.md": f"# Note {number}\nwords w{number}\n".encode() for number in range(5)}
TURNS = turns(30)
FILES = {**NOTES, **TURNS}
PLACES = [(path, 0) for path in TURNS]


def opened(folder: Path, model: HashContextEmbedder | None = None, *, ticks: Iterator[float] | None = None) -> VectorIndex:
    """An index; with `ticks` its clock, an apply may take one second."""
    if ticks is None:
        return VectorIndex.open(folder, "settings", model or HashContextEmbedder())
    return VectorIndex.open(folder, "settings", model or HashContextEmbedder(), patience=1.0, clock=lambda: next(ticks))


class TestSuite(IndexSuite):
    def make_source(self, folder: Path) -> Recorder:
        return MemorySource()

    def make_index(self, folder: Path) -> Index:
        return opened(folder)

    def dump(self, index: Index) -> object:
        assert isinstance(index, VectorIndex)
        vectors, tokens = index.read_again([(path, ordinal) for path, ordinal, *_ in index.contents()])
        return index.contents(), vectors.tolist(), [one.tolist() for one in tokens]


@pytest.fixture
def source() -> MemorySource:
    return MemorySource()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


def tokens_file(folder: Path) -> Path:
    (found,) = (folder / "v2").glob("tokens-*.log")
    return found


def expected(path: str) -> TokenCodes:
    text = TURNS[path].decode().rsplit("---\n", 1)[1].strip()
    return HashContextEmbedder().embed_with_tokens([f"Ada\n{text}"])[1][0]


def assert_whole(index: VectorIndex) -> None:
    vectors, tokens = index.read_again(PLACES)
    assert (np.linalg.norm(vectors, axis=1) > 0.99).all()
    for (path, _), found in zip(PLACES, tokens, strict=True):
        assert np.array_equal(found, expected(path))


# -- bytes
@given(st.integers(0, 2**32 - 1))
def test_bytes_keep_a_cosine(seed: int) -> None:
    rows = normalised(np.random.default_rng(seed).standard_normal((2, 64)).astype(np.float32))
    again = decoded(coded(rows))
    assert float(again[0] @ again[1]) == pytest.approx(float(rows[0] @ rows[1]), abs=0.02)
    assert np.linalg.norm(again, axis=1) == pytest.approx(1, abs=1e-5)


def test_a_file_gives_back_what_was_put_in_any_order(tmp_path: Path) -> None:
    seed = Random().randrange(2**32)
    random = np.random.default_rng(seed)
    texts = [random.integers(-127, 128, (int(random.integers(0, 40)), 8), np.int8) for _ in range(60)]
    file = TokenFile.create(str(tmp_path / "tokens"), 8)
    places = file.append(texts[:20]) + file.append(texts[20:])
    order = random.permutation(60)
    for number, found in zip(order, file.read([places[number] for number in order]), strict=True):
        assert np.array_equal(found, texts[number]), f"seed {seed}"
    assert file.read([]) == []


def test_a_changed_byte_and_a_cut_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    file = TokenFile.create(str(path), 4)
    first, second = file.append([np.ones((3, 4), np.int8), np.full((2, 4), 7, np.int8)])
    data = bytearray(path.read_bytes())
    data[13] ^= 1
    path.write_bytes(data)
    assert np.array_equal(file.read([first])[0], np.ones((3, 4), np.int8))
    with pytest.raises(IndexCorrupt, match="damaged"):
        file.read([first, second])
    os.truncate(path, 15)
    with pytest.raises(IndexCorrupt, match="cut off"):
        file.read([second])


def test_a_record_whose_tokens_are_damaged_is_no_whole_one(tmp_path: Path) -> None:
    log = VectorLog.create(str(tmp_path), MODEL, 4, 2)
    log.append([b"a" * 16, b"b" * 16], np.eye(2, 4, dtype=np.float32), [np.ones((2, 2), np.int8), np.ones((1, 2), np.int8)])
    (tokens,) = tmp_path.glob("tokens-*.log")
    data = bytearray(tokens.read_bytes())
    data[-1] ^= 1
    tokens.write_bytes(data)
    first, second = log.whole()
    assert first is not None
    assert first.hash == b"a" * 16
    assert second is None


# -- beside the vectors
def test_turns_have_their_tokens_and_notes_none(folder: Path, source: MemorySource) -> None:
    index = opened(folder)
    catch_up(index, source, source.commit(FILES))
    assert_whole(index)
    vectors, (note, missing) = index.read_again([("notes/1.md", 0), ("nowhere.md", 3)])
    assert note.shape == missing.shape == (0, WIDTH)
    assert vectors[0].any()
    assert not vectors[1].any()
    assert index.read_again([])[1] == []
    assert index.verify() == []


def test_an_index_that_was_never_built_has_none(folder: Path) -> None:
    vectors, tokens = opened(folder).read_again([("a.md", 0)])
    assert not vectors.any()
    assert [len(one) for one in tokens] == [0]


def test_a_rebuild_and_a_compaction_keep_them_and_embed_nothing(folder: Path, source: MemorySource) -> None:
    model = HashContextEmbedder()
    index = opened(folder, model)
    catch_up(index, source, source.commit({**FILES, **{f"gone/{one}": data for one, data in turns(9, word="heron").items()}}))
    seen = len(model.seen)
    index.clear()
    catch_up(index, source, source.commit(FILES))
    assert_whole(index)
    before = tokens_file(folder).stat().st_size
    index.compact()
    assert_whole(index)
    assert len(model.seen) == seen
    assert tokens_file(folder).stat().st_size < before
    assert index.verify() == []


def test_what_was_forgotten_is_in_no_file(folder: Path, source: MemorySource) -> None:
    index = opened(folder)
    secret = turns(1, word="platypus")
    (path,) = secret
    catch_up(index, source, source.commit({**NOTES, **secret}))
    (kept,) = index.read_again([(path, 0)])[1]
    assert kept.tobytes() in tokens_file(folder).read_bytes()
    catch_up(index, source, source.commit(NOTES))
    index.compact()
    for file in (folder / "v2").iterdir():
        assert kept.tobytes() not in file.read_bytes()


@pytest.mark.parametrize("harm", ["gone", "cut", "changed"])
def test_damage_to_them_is_found_and_mended(folder: Path, source: MemorySource, harm: str) -> None:
    index = opened(folder)
    catch_up(index, source, source.commit(FILES))
    file = tokens_file(folder)
    if harm == "gone":
        index.close()
        file.unlink()
    elif harm == "cut":
        os.truncate(file, file.stat().st_size // 2)
    else:
        data = bytearray(file.read_bytes())
        data[len(data) // 2] ^= 1
        file.write_bytes(data)
    index = opened(folder)
    assert index.verify() != []
    report = catch_up(index, source, source.commit(FILES))
    assert report.rebuilt
    assert_whole(index)
    assert index.verify() == []


def test_what_a_killed_run_had_embedded_is_found(folder: Path, source: MemorySource) -> None:
    """A run that ends before it commits leaves longer logs and the old state."""
    index = opened(folder)
    catch_up(index, source, source.commit(NOTES))
    index.close()
    state = (folder / "v2" / "state.sqlite").read_bytes()
    commit = source.commit(FILES)
    grown = opened(folder)
    catch_up(grown, source, commit)
    grown.close()
    for file in (folder / "v2").glob("state.sqlite*"):
        file.unlink()
    (folder / "v2" / "state.sqlite").write_bytes(state)
    with tokens_file(folder).open("ab") as file:
        file.write(b"half a text's tokens")
    model = HashContextEmbedder()
    again = opened(folder, model)
    catch_up(again, source, commit)
    assert model.seen == []
    assert_whole(again)
    assert again.verify() == []


# -- texts that wait
def test_a_slow_model_keeps_nobody_waiting_and_is_completed_later(folder: Path, source: MemorySource) -> None:
    model = HashContextEmbedder()
    index = opened(folder, model, ticks=map(float, count()))
    commit = source.commit(FILES)
    catch_up(index, source, commit)
    covered = index.coverage()
    assert index.position() == commit
    assert 0 < covered.pending < len(FILES)
    assert covered.embedded + covered.pending == len(FILES)
    assert index.has_pending()
    steps: list[int] = []
    for _ in range(len(FILES)):
        before = index.coverage()
        after = index.complete(source, 1.0, steps.append)
        assert after.embedded > before.embedded
        if not after.pending:
            break
    assert index.coverage() == (len(FILES), 0)
    assert steps
    assert not index.has_pending()
    assert len(model.seen) == len(set(model.seen)) == len(FILES)
    assert_whole(index)
    at_once = opened(folder.with_name("other"))
    catch_up(at_once, source, commit)
    assert index.contents() == at_once.contents()


def test_what_waits_can_be_changed_moved_and_deleted(folder: Path, source: MemorySource) -> None:
    index = opened(folder, ticks=map(float, count(0, 2)))
    catch_up(index, source, source.commit(FILES))
    assert index.coverage().embedded == 0
    moved = {path.replace("notes/", "moved/"): data for path, data in NOTES.items()}
    changed = {**moved, **TURNS, "memory_tree/content/new.md": b"# New\nwords\n"}
    changed.pop(next(iter(TURNS)))
    commit = source.commit(changed)
    catch_up(index, source, commit)
    assert index.coverage().pending == len(changed)
    patient = opened(folder)
    patient.complete(source, 1000.0)
    at_once = opened(folder.with_name("other"))
    catch_up(at_once, source, commit)
    assert patient.contents() == at_once.contents()


def test_a_text_that_waits_twice_is_embedded_once(folder: Path, source: MemorySource) -> None:
    index = opened(folder, ticks=map(float, count(0, 2)))
    catch_up(index, source, source.commit({"a/n.md": b"# T\nsame words\n", "b/n.md": b"# T\nsame words\n"}))
    model = HashContextEmbedder()
    assert opened(folder, model).complete(source, 1000.0) == (2, 0)
    assert len(model.seen) == 1


def test_completing_goes_on_where_it_was_broken_off(folder: Path, source: MemorySource) -> None:
    index = opened(folder, ticks=map(float, count(0, 2)))
    catch_up(index, source, source.commit(FILES))
    failing = HashContextEmbedder(fail_after=20)
    with pytest.raises(EmbedderUnavailable):
        opened(folder, failing, ticks=iter([0.0] * 1000)).complete(source, 1000.0)
    assert failing.seen
    model = HashContextEmbedder()
    assert opened(folder, model).complete(source, 1000.0) == (len(FILES), 0)
    assert not set(model.seen) & set(failing.seen)
    assert_whole(opened(folder))


def test_nothing_is_pending_without_a_limit(folder: Path, source: MemorySource) -> None:
    index = opened(folder)
    catch_up(index, source, source.commit(FILES))
    assert index.coverage() == (len(FILES), 0)
    assert index.complete(source, 1.0) == (len(FILES), 0)


def test_a_commit_that_is_gone_is_not_asked_for_when_nothing_waits(folder: Path, source: MemorySource) -> None:
    index = opened(folder)
    catch_up(index, source, source.commit(FILES))
    assert index.complete(MemorySource(), 1.0).pending == 0


def test_copies_of_a_folder_are_indexes_too(folder: Path, source: MemorySource) -> None:
    index = opened(folder)
    catch_up(index, source, source.commit(FILES))
    index.close()
    shutil.copytree(folder, folder.with_name("copy"))
    assert_whole(opened(folder.with_name("copy")))


def test_paths_of_turns_are_where_episodes_lie() -> None:
    assert all(RepoPath(path).within("memory_tree/content/episodic") for path in TURNS)
