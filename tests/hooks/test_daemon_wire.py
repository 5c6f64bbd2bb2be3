"""What goes over a daemon's socket: served whole, refused in words, and nothing that comes through it ends the daemon."""

from __future__ import annotations

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memtree.hooks.daemon import wire
from memtree.hooks.daemon.address import NAME, Address, read_address, write_address
from memtree.hooks.daemon.client import Client, Unreachable, tell
from memtree.hooks.daemon.server import Server
from memtree.hooks.place import Place
from memtree.tree.errors import CorruptionError, Error, StateError, TransientError, UserError
from memtree.tree.version import VERSION
from support.daemon import bare_place, listening

WAIT = 20.0  # seconds until a test gives up


class Meddled(StateError):
    """An error of no module that a client knows."""


def echo(params: dict[str, Any], _progress: Callable[[int], None]) -> object:
    return params


def broken(_params: dict[str, Any], _progress: Callable[[int], None]) -> object:
    raise ValueError("the text of a note")


@pytest.fixture(scope="module")
def shared() -> Iterator[tuple[Place, Server]]:
    """A server with an echo. Below a short folder: a socket's path may have a hundred bytes."""
    with tempfile.TemporaryDirectory() as folder:
        place = bare_place(Path(folder))
        with listening(place, {"echo": echo, "broken": broken, "strange": lambda *_: object()}) as server:
            yield place, server


@pytest.fixture
def place() -> Iterator[Place]:
    with tempfile.TemporaryDirectory() as folder:
        yield bare_place(Path(folder))


def client_of(place: Place) -> Client:
    client = Client.of(place)
    assert client is not None
    return client


def raw(place: Place) -> socket.socket:
    address = read_address(place)
    assert address is not None
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(WAIT)
    connection.connect(address.socket)
    return connection


def everything(connection: socket.socket) -> bytes:
    """What comes until the other end closes."""
    found = b""
    try:
        while piece := connection.recv(1 << 16):
            found += piece
    except ConnectionResetError:  # it closed without reading all
        pass
    return found


def answers(place: Place, data: bytes) -> list[Any]:
    """What a server answers to these bytes and an end."""
    with raw(place) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
        except (BrokenPipeError, ConnectionResetError):  # it has heard enough
            pass
        return [json.loads(line) for line in everything(connection).splitlines()]


# -- served


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=40)
@given(value=JSON)
@example(value="\udc80 \x00 \u2028 中文 \U0001f980")
@example(value=0.1 + 0.2)
def test_what_is_asked_and_answered_comes_whole(shared: tuple[Place, Server], value: object) -> None:
    with client_of(shared[0]) as client:
        assert client.call("echo", {"value": value}) == {"value": value}


def test_a_connection_serves_one_request_after_the_other(shared: tuple[Place, Server]) -> None:
    with client_of(shared[0]) as client:
        assert [client.call("echo", {"n": n}) for n in range(3)] == [{"n": n} for n in range(3)]
        assert client.call("hello", {}) == {"protocol": wire.PROTOCOL, "version": VERSION, "pid": os.getpid()}
        assert client.version == VERSION


def test_what_wants_no_answer_is_done_although_its_client_is_gone(place: Place) -> None:
    heard: list[object] = []
    done = threading.Event()

    def hear(params: dict[str, Any], _progress: Callable[[int], None]) -> object:
        heard.append(params)
        done.set()
        return None

    with listening(place, {"notify": hear}):
        assert tell(place, "notify", {"what": "post-commit"})
        assert done.wait(WAIT)
    assert heard == [{"what": "post-commit"}]
    assert not tell(place, "notify", {"what": "post-commit"})


def test_a_client_hears_how_far_a_long_method_is(place: Place) -> None:
    seen = threading.Event()

    def long(_params: dict[str, Any], progress: Callable[[int], None]) -> object:
        progress(7)
        assert seen.wait(WAIT)
        return "done"

    told: list[int] = []

    def hear(done: int) -> None:
        told.append(done)
        seen.set()

    with listening(place, {"long": long}), client_of(place) as client:
        assert client.call("long", {}, patience=WAIT, progress=hear) == "done"
    assert set(told) == {7}


def test_two_clients_are_served_at_once(place: Place) -> None:
    both = threading.Barrier(2, timeout=WAIT)
    found: list[object] = []

    def meet() -> None:
        with client_of(place) as client:
            found.append(client.call("meet", {}))

    with listening(place, {"meet": lambda *_: both.wait() >= 0}):
        threads = [threading.Thread(target=meet) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [True, True]


# -- refused


def asking(**changes: object) -> bytes:
    message = {"jsonrpc": "2.0", "id": 1, "method": "echo", "params": {"protocol": 1}} | changes
    return json.dumps(message).encode() + b"\n"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{not json}\n", wire.NO_JSON),
        (b'{"a": NaN}\n', wire.NO_JSON),
        ('{"a": "\xe4"}\n'.encode("latin-1"), wire.NO_JSON),
        (b"[" * 100_000 + b"\n", wire.NO_JSON),
        (b'{"a":' * 100_000 + b"\n", wire.NO_JSON),
        (b"9" * 10_000 + b"\n", wire.NO_JSON),
        (b"\0\n", wire.NO_JSON),
        (asking().replace(b'"id": 1', b'"id": 1, "id": 2'), wire.NO_JSON),
        (b"[]\n", wire.NO_REQUEST),
        (b"[" + asking().strip() + b"]\n", wire.NO_REQUEST),
        (b"null\n", wire.NO_REQUEST),
        (asking(jsonrpc="1.0"), wire.NO_REQUEST),
        (asking(id=1.5), wire.NO_REQUEST),
        (asking(id=True), wire.NO_REQUEST),
        (asking(id=None), wire.NO_REQUEST),
        (asking(method=3), wire.NO_REQUEST),
        (asking(more=3), wire.NO_REQUEST),
        (asking(method="nothing"), wire.NO_METHOD),
        (asking(method="__init__"), wire.NO_METHOD),
        (asking(params=[1]), wire.BAD_PARAMS),
        (asking(params=None), wire.BAD_PARAMS),
        (asking(params={}), wire.OTHER_PROTOCOL),
        (asking(params={"protocol": 2}), wire.OTHER_PROTOCOL),
        (asking(params={"protocol": True}), wire.OTHER_PROTOCOL),
        (asking(params={"protocol": {}}), wire.OTHER_PROTOCOL),
        (asking(method="broken"), wire.INTERNAL),
        (asking(method="strange"), wire.INTERNAL),
    ],
)
def test_what_cannot_be_served_is_refused_by_its_code(shared: tuple[Place, Server], line: bytes, code: int) -> None:
    refused, served = answers(shared[0], line + asking(id="next"))
    assert refused["jsonrpc"] == "2.0"
    assert refused["error"]["code"] == code
    assert "text of a note" not in json.dumps(refused)
    assert served == {"jsonrpc": "2.0", "id": "next", "result": {}}


def test_the_protocol_may_stand_beside_the_parameters(shared: tuple[Place, Server]) -> None:
    (served,) = answers(shared[0], asking(protocol=1, params={"a": 1}))
    assert served["result"] == {"a": 1}


def test_who_speaks_another_protocol_learns_which_one_is_spoken(shared: tuple[Place, Server]) -> None:
    (refused,) = answers(shared[0], asking(method="hello", params={"protocol": 99}))
    assert refused["error"]["data"] == {"protocol": wire.PROTOCOL, "version": VERSION}


def test_half_a_line_is_none(shared: tuple[Place, Server]) -> None:
    assert answers(shared[0], asking()[:-1]) == []
    assert answers(shared[0], b"\n \r\n" + asking())[0]["result"] == {}


def test_a_line_without_end_is_cut_off(shared: tuple[Place, Server]) -> None:
    (refused,) = answers(shared[0], b'"' + b"a" * (wire.LONGEST + (1 << 17)))
    assert refused["error"]["code"] == wire.NO_JSON


@settings(max_examples=40)
@given(data=st.binary(max_size=300) | st.lists(JSON.map(lambda value: json.dumps(value).encode()), max_size=3).map(b"\n".join))
def test_any_bytes_leave_the_server_as_it_was(shared: tuple[Place, Server], data: bytes) -> None:
    place, _ = shared
    for answer in answers(place, data + b"\n"):
        assert answer["error"]["code"] in (wire.NO_JSON, wire.NO_REQUEST)
    with client_of(place) as client:
        assert client.call("echo", {"still": "there"}) == {"still": "there"}


@settings(max_examples=60)
@given(
    message=st.fixed_dictionaries(
        {},
        optional={
            "jsonrpc": st.sampled_from(["2.0", 2.0, "1.0"]),
            "id": JSON,
            "method": st.sampled_from(["echo", "broken", "", "no"]) | JSON,
            "params": st.dictionaries(st.sampled_from(["protocol", "a"]), st.just(1) | JSON) | JSON,
            "protocol": st.just(1) | JSON,
        },
    )
)
def test_a_message_is_a_request_or_refused(message: dict[str, Any]) -> None:
    line = json.dumps(message).encode()
    try:
        request = wire.read_request(line, VERSION)
    except wire.Refused as met:
        refused = met
    else:
        assert (request.method, request.id) == (message["method"], message.get("id"))
        assert "protocol" not in request.params
        return
    assert json.loads(wire.refusal(refused))["error"]["code"] == refused.code


WORD = st.text() | JSON
FACTS = {"kind": WORD, "family": st.sampled_from(["user", "none"]) | JSON, "message": st.text(), "hint": WORD}
DATA = JSON | st.fixed_dictionaries(FACTS)
ERRORS = JSON | st.fixed_dictionaries({"code": st.just(wire.FAILED) | JSON}, optional={"message": JSON, "data": DATA})


@settings(max_examples=60)
@given(error=ERRORS)
def test_a_clients_world_does_not_end_with_an_odd_error(error: object) -> None:
    reply = wire.read_reply(json.dumps({"id": 1, "error": error}).encode())
    assert reply is not None
    assert reply.error is not None
    met = wire.as_error(reply.error)
    assert met is None or isinstance(met, Error)


@given(line=st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_line_is_a_reply_or_nothing(line: bytes) -> None:
    reply = wire.read_reply(line)
    assert reply is None or isinstance(reply, wire.Reply)


@pytest.mark.parametrize("kind", [UserError, StateError, CorruptionError, TransientError, Meddled, Error])
def test_an_error_of_ours_is_met_at_the_other_end(place: Place, kind: type[Error]) -> None:
    def fail(_params: dict[str, Any], _progress: Callable[[int], None]) -> object:
        raise kind("it was 中 \udc80", hint="do that")

    with listening(place, {"fail": fail}), client_of(place) as client:
        with pytest.raises(Error) as met:
            client.call("fail", {})
        assert client.call("hello", {})  # the connection is still good
    assert isinstance(met.value, kind.__mro__[1] if kind is Meddled else kind)
    assert (type(met.value).__name__, str(met.value), met.value.hint) == (kind.__name__, "it was 中 \udc80", "do that")


def test_a_method_may_refuse_its_parameters(place: Place) -> None:
    def picky(_params: dict[str, Any], _progress: Callable[[int], None]) -> object:
        raise wire.BadParams("not these")

    with listening(place, {"picky": picky}):
        (refused,) = answers(place, asking(method="picky"))
    assert refused["error"] == {"code": wire.BAD_PARAMS, "message": "not these"}


def test_a_mistake_of_a_method_is_told_to_the_daemon_alone(place: Place) -> None:
    told: list[tuple[str, BaseException]] = []
    with (
        listening(place, {"broken": broken}, failed=lambda name, error: told.append((name, error))),
        client_of(place) as client,
        pytest.raises(Unreachable) as met,
    ):
        client.call("broken", {})
    assert "note" not in str(met.value)
    assert [(name, str(error)) for name, error in told] == [("broken", "the text of a note")]


# -- who connects


def test_only_this_user_is_served(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(place, {}):
        connection = raw(place)
        other = os.geteuid() + 1
        monkeypatch.setattr(os, "geteuid", lambda: other)
        with connection, socket.socket(socket.AF_UNIX) as second:
            second.settimeout(WAIT)
            second.connect(connection.getpeername())
            assert everything(second) == b""
        assert Client.of(place) is None


def test_who_says_nothing_is_sent_away(place: Place) -> None:
    with listening(place, {}, idle=0.05), raw(place) as silent, raw(place) as slow:
        slow.sendall(b"{")
        assert everything(silent) == b""
        assert everything(slow) == b""


def test_there_is_an_end_to_how_many_are_served(place: Place) -> None:
    with listening(place, {"echo": echo}, most=2) as server, client_of(place) as one, client_of(place) as two:
        assert one.call("echo", {}) == two.call("echo", {}) == {}
        with client_of(place) as third, pytest.raises(Unreachable):
            third.call("echo", {})
        assert server.connections == 2


def test_a_client_that_goes_ends_nothing(place: Place) -> None:
    going, gone, done = threading.Event(), threading.Event(), threading.Event()

    def large(_params: dict[str, Any], _progress: Callable[[int], None]) -> object:
        going.set()
        assert gone.wait(WAIT)
        done.set()
        return "x" * 5_000_000

    with listening(place, {"large": large, "echo": echo}):
        connection = raw(place)
        connection.sendall(asking(method="large"))
        assert going.wait(WAIT)
        connection.close()
        gone.set()
        assert done.wait(WAIT)
        with client_of(place) as client:
            assert client.call("echo", {}) == {}


# -- a daemon that is none


@pytest.fixture
def silent(place: Place) -> Iterator[socket.socket]:
    """Something that listens where a daemon would, and does as a test says."""
    path = os.path.join(place.state, "s")
    with socket.socket(socket.AF_UNIX) as listening_socket:
        listening_socket.bind(path)
        listening_socket.listen()
        write_address(place, Address(os.getpid(), path, wire.PROTOCOL, VERSION, 1))
        yield listening_socket


def test_a_daemon_that_says_nothing_is_waited_for_no_longer_than_patience(place: Place, silent: socket.socket) -> None:
    with client_of(place) as client:
        with pytest.raises(Unreachable):
            client.call("echo", {}, patience=0.05)
        with pytest.raises(Unreachable):  # an answer that came now would be the other question's
            client.call("echo", {}, patience=WAIT)


@pytest.mark.parametrize(
    "said", [b"", b"x\n", b"[]\n", b"{}\n", b"\xff\n", b'{"id": 1', b'{"id": 1, "error": 3}\n', b"[" * 9999 + b"\n"]
)
def test_a_daemon_that_says_something_else_is_none(place: Place, silent: socket.socket, said: bytes) -> None:
    def speak() -> None:
        connection, _ = silent.accept()
        with connection:
            connection.recv(1000)
            connection.sendall(said)

    thread = threading.Thread(target=speak)
    thread.start()
    with client_of(place) as client, pytest.raises(Unreachable):
        client.call("echo", {}, patience=WAIT)
    thread.join()


def test_a_daemon_that_is_gone_is_none(place: Place) -> None:
    server = Server(place, {})
    server.start()
    client = client_of(place)
    server.stop()
    with pytest.raises(Unreachable):
        client.call("hello", {})
    client.notify("hello", {})
    assert Client.of(place) is None
    assert os.listdir(place.state) == ["daemon"]
    assert os.listdir(os.path.join(place.state, "daemon")) == []


def test_what_a_killed_daemon_left_is_no_daemon_and_goes_with_the_next(place: Place) -> None:
    code = (
        "import os, sys\nfrom memtree.hooks.daemon.server import Server\nfrom memtree.hooks.place import Place\n"
        "Server(Place(*sys.argv[1:]), {}).start()\nos._exit(0)\n"
    )
    subprocess.run((sys.executable, "-c", code, *place), check=True)
    left = read_address(place)
    assert left is not None
    assert os.path.exists(left.socket)
    assert Client.of(place) is None
    with listening(place, {}), client_of(place) as client:
        assert client.call("hello", {})
        assert not os.path.exists(left.socket)


def test_another_memtree_is_told_by_its_version(place: Place, silent: socket.socket) -> None:
    write_address(place, Address(os.getpid(), silent.getsockname(), wire.PROTOCOL, "99.0", 1))
    with client_of(place) as client:
        assert client.version == "99.0"
    write_address(place, Address(os.getpid(), silent.getsockname(), 99, "99.0", 1))
    assert Client.of(place) is None


# -- where it listens


def mode(path: str) -> int:
    return stat.S_IMODE(os.lstat(path).st_mode)


def test_only_its_user_gets_at_it(shared: tuple[Place, Server]) -> None:
    place, server = shared
    assert server.address is not None
    assert mode(server.address.socket) == 0o600
    assert mode(os.path.dirname(server.address.socket)) == 0o700
    assert mode(os.path.join(place.state, NAME)) == 0o600


@pytest.mark.parametrize("runtime", ["good", "open", "none"])
def test_a_path_that_is_too_long_leads_elsewhere(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with tempfile.TemporaryDirectory() as folder:
        here = os.path.join(folder, "run")
        os.mkdir(here, 0o755 if runtime == "open" else 0o700)
        if runtime == "none":
            monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
        else:
            monkeypatch.setenv("XDG_RUNTIME_DIR", here)
        place = bare_place(Path(folder, "x" * 100))
        with listening(place, {"echo": echo}) as server, client_of(place) as client:
            assert client.call("echo", {}) == {}
            assert server.address is not None
            home = os.path.dirname(server.address.socket)
            assert mode(home) == 0o700
            assert (os.path.dirname(home) == here) is (runtime == "good")
        assert not os.path.exists(home)


def test_a_file_system_that_holds_no_sockets_leads_elsewhere(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    class Elsewhere(socket.socket):
        def bind(self, path: Any) -> None:
            if path.startswith(place.state):
                raise PermissionError(1, "Operation not permitted")
            super().bind(path)

    monkeypatch.setattr(socket, "socket", Elsewhere)
    with listening(place, {"echo": echo}) as server, client_of(place) as client:
        assert client.call("echo", {}) == {}
        assert server.address is not None
        home = os.path.dirname(server.address.socket)
        assert mode(home) == 0o700
        assert not home.startswith(place.root)
    assert not os.path.exists(home)


def address_file(place: Place) -> Path:
    return Path(place.state, NAME)


def test_a_copied_workspace_has_no_daemon(place: Place, tmp_path: Path) -> None:
    with listening(place, {}) as server:
        copy = bare_place(tmp_path / "copy")
        shutil.copy(address_file(place), address_file(copy))
        assert Client.of(copy) is None
        with listening(copy, {}):
            pass
        assert server.address is not None
        assert os.path.exists(server.address.socket)
        client_of(place).close()


def test_a_workspace_that_moves_keeps_its_own(place: Place, silent: socket.socket, tmp_path: Path) -> None:
    moved = str(tmp_path / "moved")
    os.rename(place.state, moved)
    assert read_address(Place(place.root, moved)) is not None
    os.rename(moved, place.state)


def test_a_file_that_is_not_ours_is_not_followed(place: Place, silent: socket.socket) -> None:
    path = address_file(place)
    assert read_address(place) is not None
    path.rename(path.with_suffix(".real"))
    path.symlink_to(path.with_suffix(".real"))
    assert read_address(place) is None
    path.unlink()
    os.mkfifo(path)
    assert read_address(place) is None
    path.unlink()
    path.mkdir()
    assert read_address(place) is None
    assert Client.of(place) is None


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", "null", '{"state": 1}', "[" * 5_000, "\xff", " " * 20_000])
def test_a_damaged_file_names_no_daemon(place: Place, text: str) -> None:
    address_file(place).write_text(text, "latin-1")
    assert read_address(place) is None


@pytest.mark.parametrize("field", Address._fields)
@pytest.mark.parametrize("value", [None, True, 1.5, ["x"]])
def test_a_file_with_something_else_in_it_names_no_daemon(place: Place, silent: socket.socket, field: str, value: object) -> None:
    written = json.loads(address_file(place).read_text())
    address_file(place).write_text(json.dumps(written | {field: value}))
    assert read_address(place) is None


@pytest.mark.parametrize("named", ["precious", "folder", "", "a\0b"])
def test_nothing_but_a_socket_is_ever_removed(place: Place, named: str) -> None:
    precious = Path(place.root, "precious")
    precious.write_text("keep")
    Path(place.root, "folder").mkdir()
    write_address(place, Address(1, os.path.join(place.root, named) if named else "", wire.PROTOCOL, VERSION, 1))
    assert read_address(place) is not None
    assert Client.of(place) is None
    Path(place.state, "daemon").mkdir()
    Path(place.state, "daemon", "note.md").write_text("keep")
    with listening(place, {}):
        pass
    assert precious.read_text() == "keep"
    assert Path(place.root, "folder").is_dir()
    assert Path(place.state, "daemon", "note.md").exists()


def test_a_link_in_place_of_the_sockets_folder_is_not_followed(place: Place, tmp_path: Path) -> None:
    os.symlink(tmp_path, os.path.join(place.state, "daemon"))
    with listening(place, {}) as server:
        assert server.address is not None
        assert os.path.dirname(server.address.socket) != os.path.join(place.state, "daemon")
    assert list(tmp_path.iterdir()) == []


def test_who_only_asks_loads_next_to_nothing() -> None:
    code = "import sys\nimport memtree.hooks.daemon.client\nprint(*sys.modules)"
    done = subprocess.run((sys.executable, "-c", code), check=True, capture_output=True, text=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"dataclasses", "inspect", "asyncio", "subprocess", "click", "pygit2", "threading", "tempfile"}
