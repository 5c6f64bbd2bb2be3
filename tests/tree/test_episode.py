"""Episodes: a turn is a file and back, and no two sessions meet in one folder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.document import Document
from memtree.tree.episode import Episode, InvalidEpisode, episode_path, session_folder, session_of, turn_key
from memtree.tree.paths import RepoPath, fold, portability_warning, refusal

_CHARS = st.characters(exclude_categories=["Cs"])
_SESSIONS = st.one_of(
    st.text(_CHARS, max_size=20),
    st.sampled_from(
        ["con", "a", "A", ".git", "..", "a.", "a/b", "Ü", "U\u0308", "%41", "null", "0123", "- x", "x" * 300, "é" * 90, " a "]
    ),
).filter(lambda text: text.strip() != "")
_TEXTS = st.one_of(
    st.text(_CHARS, max_size=60),
    st.lists(st.sampled_from(["---", "\n", "\r", "\r\n", "x", "...", "\ufeff", "key: v"])).map("".join),
)
_EXTRA = st.sampled_from(
    ["", "tool_calls:\n  - name: x\n    arguments: {a: 1}\n", "# words\nbad: Foo: bar\n", "lesson: |\n  text\n\n  more\n"]
)
episodes = st.builds(
    Episode,
    session=_SESSIONS,
    seq=st.integers(0, 10**15 - 1),
    text=_TEXTS,
    timestamp=st.one_of(st.none(), st.integers(-62_135_596_800_000, 253_402_300_799_999)),
    role=st.sampled_from(["", "user", "assistant", "no"]),
    speaker=st.text(_CHARS, max_size=10),
    source=st.text(_CHARS, max_size=10),
    extra=_EXTRA,
)


@given(episodes)
def test_an_episode_is_read_as_it_was_written(episode: Episode) -> None:
    data = episode.render()
    assert Episode.parse(episode.path(), data) == episode
    assert Episode.parse(RepoPath("memory_tree/content/chat/x/ab/abcd.md"), data) == episode
    assert turn_key(RepoPath("any.md"), data) == (episode.session, episode.seq)


def test_the_file_is_plain() -> None:
    episode = Episode("s-1", 12, "Hello\n\nthere", 1714557600123, "user", "Ada", "cli", "mood: fine\n")
    assert episode.render().decode() == (
        "---\nsession_id: s-1\nseq: 12\ntimestamp: 2024-05-01T10:00:00.123Z\nrole: user\nspeaker: Ada\nsource: cli\n"
        "mood: fine\n---\nHello\n\nthere\n"
    )
    assert episode.path() == "memory_tree/content/episodic/s-1/000012.md"
    assert episode.path("") == "episodic/s-1/000012.md"
    assert episode_path("s", 1234567, "brain") == "brain/episodic/s/1234567.md"


@pytest.mark.parametrize(
    ("path", "text", "key"),
    [
        ("memory_tree/content/episodic/s/000003.md", "no header", ("s", 3)),
        ("memory_tree/content/episodic/s%41/000003.md", "---\nseq: 4\n---\n", ("sA", 4)),
        ("memory_tree/content/episodic/s/000003-ab12cd34.md", "---\nsession_id: s\nseq: 3\n---\n", ("s", 3)),
        ("memory_tree/content/chat/x/ab/y.md", "---\nsession_id: s\nseq: '000003'\n---\n", ("s", 3)),
        ("memory_tree/content/chat/x/ab/y.md", "---\nsession_id: s\n---\n", None),
        ("memory_tree/content/chat/x/ab/y.md", "---\nsession_id:\nseq: 1\n---\n", None),
        ("memory_tree/content/chat/x/ab/y.md", "---\nsession_id: [a]\nseq: 1\n---\n", None),
        ("notes/x.md", "---\nsession_id: s\nseq: -1\n---\n", None),
        ("notes/x.md", "---\nsession_id: s\nseq: 1.5\n---\n", None),
        ("notes/x.md", "text", None),
    ],
)
def test_the_header_says_which_turn_it_is_then_the_path(path: str, text: str, key: tuple[str, int] | None) -> None:
    assert turn_key(RepoPath(path), text.encode()) == key
    episode = Episode.parse(RepoPath(path), text.encode())
    assert (episode.turn.key if episode else None) == key


def test_foreign_forms_are_read() -> None:
    data = "\ufeff---\r\nseq: 2 # the second\r\nsession_id: 's'\r\ntimestamp: 1714557600\r\nmood: fine\r\n---\r\nHi\r\n".encode()
    episode = Episode.parse(RepoPath("a.md"), data)
    assert episode == Episode("s", 2, "Hi", 1714557600000, extra="mood: fine\r\n")
    assert Episode.parse(RepoPath("a.md"), b"{session_id: s, seq: 1}") is None
    assert Episode.parse(RepoPath("a.md"), b"---\n{session_id: s, seq: 1}\n---\nx") is None


@pytest.mark.parametrize("time", ["0001-01-01T00:00+14:00", "9999999999999", "yesterday", "[1]", "9999-12-31T23:59:59.9999Z"])
@pytest.mark.parametrize("seq", ["1", "999999999999999", "1000000000000000", "٣", "true", "1 2", ""])
def test_odd_headers_raise_nothing(time: str, seq: str) -> None:
    Episode.parse(RepoPath("a.md"), f"---\nsession_id: s\nseq: {seq}\ntimestamp: {time}\n---\nx".encode())


@given(
    st.lists(
        st.sampled_from(["---\n", "session_id:", "seq:", " s", " 1", "\n", "\r\n", "[", "x: y\n", "timestamp: 2024\n", "\xff"])
    ).map("".join)
)
def test_reading_any_bytes_raises_nothing(text: str) -> None:
    data = text.encode("latin-1")
    for path in ("a.md", "episodic/%53/000001.md", "x/episodic/%zz/000001.md"):
        episode = Episode.parse(RepoPath(path), data)
        assert (episode.turn.key if episode else None) in (turn_key(RepoPath(path), data), None)


def test_a_key_can_be_added_and_survives() -> None:
    data = Document.parse(Episode("s", 1, "x").render()).with_value("lesson", "quote: it").data
    episode = Episode.parse(RepoPath("a.md"), data)
    assert episode is not None
    assert episode.extra == 'lesson: "quote: it"\n'
    assert episode.render() == data


@pytest.mark.parametrize(
    ("session", "seq", "timestamp"), [("", 1, 0), (" \t", 1, 0), ("\ud800", 1, 0), ("s", -1, 0), ("s", 10**15, 0), ("s", 1, 10**15)]
)
def test_what_no_file_could_say_is_refused(session: str, seq: int, timestamp: int) -> None:
    with pytest.raises(InvalidEpisode):
        Episode(session, seq, "x", timestamp)


# -- folders


@pytest.mark.parametrize(
    ("session", "folder"),
    [
        ("3f2a-11.b_c", "3f2a-11.b_c"),
        ("Session 1", "%53ession%201"),
        (".git", "%2egit"),
        ("..", "%2e%2e"),
        ("con", "%63on"),
        ("con.x", "%63on.x"),
        ("a/b", "a%2fb"),
        ("北", "%e5%8c%97"),
        ("%41", "%2541"),
    ],
)
def test_folders_by_example(session: str, folder: str) -> None:
    assert session_folder(session) == folder
    assert session_of(folder) == session


@given(_SESSIONS, _SESSIONS)
def test_no_two_sessions_share_a_folder(one: str, two: str) -> None:
    folders = session_folder(one), session_folder(two)
    assert (fold(folders[0]) == fold(folders[1])) == (one == two)
    for session, folder in zip((one, two), folders, strict=True):
        assert session_of(folder) in ((session,) if len(folder) < 133 else (session, None))
        assert (refusal(folder), portability_warning(folder)) == ("", "")
        assert "/" not in folder


@pytest.mark.parametrize("folder", ["", "A", "a%4", "%61", "%ff", "a b", ".git", "x" * 300, "%zz"])
def test_other_folders_are_no_sessions(folder: str) -> None:
    assert session_of(folder) is None


def test_a_session_must_have_a_name() -> None:
    with pytest.raises(InvalidEpisode):
        session_folder(" ")
