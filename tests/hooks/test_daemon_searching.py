"""A daemon's answer is the one that a command would have found by itself, to the last digit, and so are its errors."""

from __future__ import annotations

import contextlib
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memtree.engine.asked import MOST, Answered, Asked, answer
from memtree.engine.typed_paths import OutsideWorkspace
from memtree.engine.workspace import Workspace
from memtree.hooks.daemon import client, searching, wire
from memtree.hooks.events import AgentEvent
from memtree.hooks.events import Kind as Event
from memtree.hooks.recall import recalled, serve_recall
from memtree.indexers.query import Hit, Mode, Standing
from memtree.tree.episode import Episode
from memtree.tree.errors import UserError
from memtree.tree.kinds import Kind
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from support.daemon import Serving, daemon, listening
from support.hooked import Hooked

CONTENT = "memory_tree/content"
NOW = 1_767_700_000
SETTINGS = 'durability = "fast"\n'


def turn(seq: int, role: str, text: str) -> dict[str, str]:
    episode = Episode("one", seq, text, (NOW + seq) * 1000, role)
    return {str(episode.path()): episode.render().decode()}


NOTES = {
    "MEMORY.md": "- Staging runs on port 8443.\n- The café opens at 8.\n",
    "projects/heron.md": (
        "---\ntitle: Heron\ndate: 2026-01-03\n---\n# Heron\n\nThe certificate renewal is due in May.\n\n## Who\n\nAda does.\n"
    ),
    "projects/ibis.md": "# Ibis\n\nThe certificate of the ibis project was renewed; staging stays.\n",
    "图书馆.md": "# 图书馆\n\n今天和图书馆的同事开会，讨论证书续期。\n",
    f"{CONTENT}/profile/who.md": "# Ada\n\nAda prefers short answers about certificates.\n",
    f"{CONTENT}/wiki/tls.md": "# TLS\n\n" + "A certificate proves who a server is. " * 30,
    **turn(1, "user", "Which port does staging use for the certificate?"),
    **turn(2, "assistant", "Staging uses port 8443."),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Hooked, Serving]]:
    hooked = Hooked(tmp_path_factory.mktemp("served") / "w", SETTINGS, NOTES)
    with daemon(hooked.root) as serving:
        yield hooked, serving


@pytest.fixture(scope="module")
def alone(served: tuple[Hooked, Serving]) -> Iterator[Workspace]:
    """The same workspace, as a command opens it."""
    with Workspace.open(served[0].root) as workspace:
        yield workspace


# -- the same results

WORDS = ["certificate", "renewal", "staging", "port", "证书", "图书馆", "Ada", "zzzz", '"', "café", "\udc80", "8443"]
FOLDERS = ["", "projects", "projects/", "*.md", "**/*.md", "nowhere", f"{CONTENT}/wiki", "projects/heron.md", "."]
QUERIES = st.builds(
    Asked,
    words=st.lists(
        st.sampled_from(
            ["certificate", "renewal", "staging", "port", "证书", "图书馆", "Ada", "zzzz", '"', "café", "\udc80", "8443"]
        ),
        min_size=1,
        max_size=3,
    ).map(tuple),
    limit=st.sampled_from([1, 2, 10, MOST]),
    kinds=st.lists(st.sampled_from(Kind), max_size=3).map(tuple),
    folder=st.sampled_from(FOLDERS),
    since=st.none() | st.sampled_from([0, NOW - 86_400, NOW, 2**40]),
    until=st.none() | st.sampled_from([0, NOW + 1, 2**40]),
    mode=st.none() | st.sampled_from(Mode),
    cwd=st.none(),
)


@settings(max_examples=40)
@given(question=QUERIES)
def test_a_daemon_finds_what_a_command_finds(served: tuple[Hooked, Serving], alone: Workspace, question: Asked) -> None:
    hooked, _ = served
    question = question._replace(cwd=hooked.root)
    assert searching.ask_daemon(hooked.place, question) == answer(alone, question)


def test_a_search_finds_something_of_every_sort(served: tuple[Hooked, Serving]) -> None:
    """What the random questions compare is not nothing."""
    found = searching.ask_daemon(served[0].place, Asked(("certificate", "证书", "staging"), limit=50))
    assert found is not None
    assert {hit.kind for hit in found.hits} >= {Kind.NOTE, Kind.EPISODE, Kind.WIKI, Kind.PROFILE, Kind.MEMORY}
    assert any(hit.parts and hit.highlights and hit.time and hit.score % 0.01 for hit in found.hits)
    assert "图书馆.md" in {hit.path for hit in found.hits}


def test_an_edit_just_saved_is_found(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w")
    with daemon(hooked.root):
        Path(hooked.root, "late.md").write_text("A kingfisher came late.\n")
        found = searching.ask_daemon(hooked.place, Asked(("kingfisher",)))
    assert found is not None
    assert [hit.path for hit in found.hits] == ["late.md"]


def test_the_current_folder_is_the_askers(served: tuple[Hooked, Serving], alone: Workspace) -> None:
    hooked, _ = served
    question = Asked(("certificate",), folder="heron.md", cwd=f"{hooked.root}/projects")
    found = searching.ask_daemon(hooked.place, question)
    assert found == answer(alone, question)
    assert found is not None
    assert {hit.path for hit in found.hits} == {"projects/heron.md"}


@pytest.mark.parametrize("folder", ["../..", "/", "a\0b", ".git/x"])
def test_an_error_is_the_same_error(served: tuple[Hooked, Serving], alone: Workspace, folder: str) -> None:
    question = Asked(("x",), folder=folder, cwd=served[0].root)
    met: list[Any] = []
    for ask in (lambda: searching.ask_daemon(served[0].place, question), lambda: answer(alone, question)):
        with pytest.raises(UserError) as error:
            ask()
        met.append((type(error.value).__name__, str(error.value), error.value.hint))
    assert met[0] == met[1]
    assert folder != "../.." or met[0][0] == OutsideWorkspace.__name__


def test_without_a_daemon_nobody_answers(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w")
    assert searching.ask_daemon(hooked.place, Asked(("x",))) is None
    assert client.other_version(hooked.place) == []


def test_a_daemon_of_another_version_is_not_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooked = Hooked(tmp_path / "w")
    with daemon(hooked.root) as serving:
        assert client.other_version(hooked.place) == []
        monkeypatch.setattr(client, "VERSION", "99.0")
        assert searching.ask_daemon(hooked.place, Asked(("x",))) is None
        (said,) = client.other_version(hooked.place)
    assert "memtree daemon restart" in said
    assert serving.asked == []


@pytest.mark.parametrize(
    "answered",
    [
        None,
        [],
        {},
        {"text": "", "commit": None, "hits": [[]], "remarks": []},
        {"text": 1, "commit": None, "hits": [], "remarks": []},
    ],
)
def test_a_daemon_that_answers_something_else_is_none(tmp_path: Path, answered: object) -> None:
    hooked = Hooked(tmp_path / "w")
    with listening(hooked.place, {"search": lambda *_: answered}):
        assert searching.ask_daemon(hooked.place, Asked(("x",))) is None


# -- nothing is lost on the way

CARRIED = Hit(
    RepoPath("a/\udc80.md"),
    Kind.WIKI,
    "t",
    "h",
    2,
    3,
    "s\u2028",
    ((0, 1), (2, 3)),
    0.1 + 0.2,
    -5,
    CommitId("c"),
    (("text", 1e-300),),
    Standing("f" * 32, "superseded", "2026-01", "2026-03-01", "superseded 2026-03-01"),
)
ASKED = Asked(("a", "\udc80"), 3, (Kind.NOTE, Kind.RAW), "f", 1, 2, Mode.VECTOR, "/here")
ANSWERED = Answered("a b", "c", (CARRIED, CARRIED._replace(time=None, parts=(), highlights=(), fact=None)), ("one", "two"))


def unset(value: Any) -> list[str]:
    """The fields that stand as they would by themselves: a test that carries those proves nothing."""
    return [name for name in value._fields if getattr(value, name) in (value._field_defaults.get(name), None, "", (), 0)]


@pytest.mark.parametrize("value", [CARRIED, ASKED, ANSWERED])
def test_the_examples_fill_every_field(value: object) -> None:
    assert unset(value) == []


def on_the_way(value: object) -> Any:
    reply = wire.read_reply(wire.result(1, value))
    assert reply is not None
    return reply.result


def test_every_field_is_carried() -> None:
    assert searching.asked_from_wire(on_the_way(searching.asked_to_wire(ASKED))) == ASKED
    assert searching.answered_from_wire(on_the_way(searching.answered_to_wire(ANSWERED))) == ANSWERED


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=6,
)


SENT = on_the_way(searching.answered_to_wire(ANSWERED))
ODD = JSON | st.fixed_dictionaries({name: st.just(value) | JSON for name, value in SENT.items()})


@given(value=ODD, at=st.integers(0, len(Hit._fields) - 1), field=JSON)
def test_another_answer_is_told_from_an_answer(value: Any, at: int, field: object) -> None:
    changed = on_the_way(searching.answered_to_wire(ANSWERED))
    changed["hits"][0][at] = field
    for answered in (value, changed):
        with contextlib.suppress(KeyError, TypeError, ValueError):
            assert isinstance(searching.answered_from_wire(answered), Answered)


@pytest.mark.parametrize(
    "change",
    [
        {"words": "certificate"},
        {"words": [1]},
        {"limit": 0},
        {"limit": MOST + 1},
        {"limit": True},
        {"limit": "9"},
        {"kinds": ["none"]},
        {"kinds": "note"},
        {"kinds": [[]]},
        {"folder": None},
        {"since": "yesterday"},
        {"mode": "both"},
        {"mode": {}},
        {"cwd": 3},
    ],
)
def test_what_is_no_search_is_refused(served: tuple[Hooked, Serving], change: dict[str, object]) -> None:
    params = searching.asked_to_wire(ASKED)
    with pytest.raises(wire.BadParams):
        searching.asked_from_wire(json.loads(json.dumps(params | change)))
    for name in params:
        with pytest.raises(wire.BadParams):
            searching.asked_from_wire({key: value for key, value in params.items() if key != name})


# -- what a hook recalls

EVENTS = [
    AgentEvent(Event.PROMPT, "claude-code", "two", prompt="Which port does staging use?"),
    AgentEvent(Event.PROMPT, "claude-code", "one", prompt="Who handles the certificate renewal? 证书"),
    AgentEvent(Event.PROMPT, "claude-code", "", prompt="zzzz qqqq"),
    AgentEvent(Event.SESSION_START, "claude-code", "two"),
]


@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_recalls_the_same_with_a_daemon(tmp_path: Path, event: AgentEvent) -> None:
    hooked = Hooked(tmp_path / "w", SETTINGS, NOTES)
    by_itself = recalled(event, hooked.place, float(NOW))
    with daemon(hooked.root) as serving:
        assert recalled(event, hooked.place, float(NOW)) == by_itself
    assert serving.asked == ["recall"]


def test_a_hook_does_not_wait_for_a_daemon_that_says_nothing(tmp_path: Path) -> None:
    hooked = Hooked(tmp_path / "w", SETTINGS, NOTES)
    enough = threading.Event()
    with listening(hooked.place, {"recall": lambda *_: enough.wait(20)}):
        found = recalled(EVENTS[0], hooked.place, float(NOW))
        enough.set()
    assert "8443" in found.text


@pytest.mark.parametrize("answered", [None, [], {}, {"text": "x"}, {"text": "x", "notes": "y"}])
def test_a_hook_believes_no_other_answer(tmp_path: Path, answered: object) -> None:
    hooked = Hooked(tmp_path / "w", SETTINGS, NOTES)
    with listening(hooked.place, {"recall": lambda *_: answered}):
        assert "8443" in recalled(EVENTS[0], hooked.place, float(NOW)).text


@pytest.mark.parametrize("params", [{}, {"prompt": 1}, {"prompt": "", "session": "", "now": 1, "standing": True}])
def test_what_is_no_recall_is_refused(alone: Workspace, params: dict[str, object]) -> None:
    with pytest.raises(wire.BadParams):
        serve_recall(alone, params)
