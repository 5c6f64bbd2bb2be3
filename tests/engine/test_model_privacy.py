"""Where texts and keys go: to the one address that is allowed on this machine, and nowhere else."""

from __future__ import annotations

import json
import logging
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from memtree.engine.llm.asking import Asker, KeyMissing, ModelBroken, ModelNotConfigured
from memtree.engine.llm.roles import CONSENT_KEY, KeyNotAllowed, Models, NotAllowed, NothingToAllow, UnknownRole
from memtree.engine.workspace import Options, Workspace
from support.asking import asker_of, workspace_with
from support.model_server import ModelServer, fail, model_server, raw, typed

KEY = "made-up-" + "0123456789"
ELSEWHERE = '[models.default]\nmodel = "far"\nurl = "http://models.example.org:1/v1"\n'


class Word(BaseModel):
    """One word."""

    word: str


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[ModelServer, ModelServer]]:
    with model_server() as server, model_server() as other:
        yield server, other


@pytest.fixture
def server(running: tuple[ModelServer, ModelServer]) -> ModelServer:
    running[0].script(typed(word="x"))
    return running[0]


@pytest.fixture
def other(running: tuple[ModelServer, ModelServer]) -> ModelServer:
    """Where nothing must ever go."""
    running[1].script(typed(word="caught"))
    return running[1]


_watching: list[tuple[str, Any]] | None = None


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    if _watching is not None and event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        _watching.append((event, arguments[1] if event == "socket.connect" else arguments))


sys.addaudithook(_audit)


@contextmanager
def connections() -> Iterator[list[tuple[str, Any]]]:
    """Every address that this process speaks to meanwhile."""
    global _watching  # noqa: PLW0603 - an audit hook cannot be taken away
    _watching = found = []
    try:
        yield found
    finally:
        _watching = None


@pytest.mark.parametrize("provider", ["openai-compatible", "openai", "anthropic"])
def test_the_environment_sends_texts_nowhere_else(
    tmp_path: Path, server: ModelServer, other: ModelServer, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "OTEL_EXPORTER_OTLP_ENDPOINT"):
        monkeypatch.setenv(name, other.url)
        monkeypatch.setenv(name.lower(), other.url)
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("ANTHROPIC_CUSTOM_HEADERS", f"X-Told: {KEY}")
    url = server.anthropic_url if provider == "anthropic" else server.url
    with asker_of(tmp_path, server, provider=provider, url=url) as asker, connections() as found:
        asker.ask_typed("chat", "i", "p", Word)
    assert {address for event, address in found if event == "socket.connect"} == {
        ("127.0.0.1", int(url.split(":")[2][:5].split("/")[0]))
    }
    assert other.requests == []
    # A well-known key belongs to its provider's own address, which this is not.
    assert KEY not in json.dumps([server.headers, server.requests])


def test_a_key_goes_where_its_table_says_and_into_no_log(
    tmp_path: Path, server: ModelServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_MODEL_KEY", f" {KEY}\n")
    with asker_of(tmp_path, server, key_env="LOCAL_MODEL_KEY") as asker, caplog.at_level(logging.DEBUG):
        asker.ask_typed("chat", "Instructions of note.", "A text of note.", Word)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        server.script(fail(401, said=f"the key {KEY} is not known"))
        with pytest.raises(ModelBroken, match="refused the key") as error:
            asker.ask_typed("chat", "i", "p", Word)
        ledger = Path(asker._ledger.path).read_text(encoding="utf-8")
        told = f"{error.value} {caplog.text} {ledger} {asker.models.ready('chat')!r}"
    assert KEY not in told
    assert "of note" not in told


def test_a_key_follows_no_redirection(
    tmp_path: Path, server: ModelServer, other: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOCAL_MODEL_KEY", KEY)
    server.script(raw(b"", status=307, Location=f"{other.url}/chat/completions"))
    with asker_of(tmp_path, server, key_env="LOCAL_MODEL_KEY") as asker, pytest.raises(ModelBroken, match="redirects"):
        asker.ask_typed("chat", "i", "p", Word)
    assert other.requests == []


@pytest.mark.parametrize("value", [None, "", "  ", "two words", "line\nend", "schlüssel", "x" * 5000])
def test_a_missing_or_odd_key_is_told_by_the_name_of_its_variable(
    tmp_path: Path, server: ModelServer, value: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCAL_MODEL_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("LOCAL_MODEL_KEY", value)
    with asker_of(tmp_path, server, key_env="LOCAL_MODEL_KEY") as asker:
        with pytest.raises(KeyMissing, match="LOCAL_MODEL_KEY") as error:
            asker.ask_typed("chat", "i", "p", Word)
        assert not asker.models.configured("chat")
        assert asker.models.why_not("chat") == f"{error.value}; {error.value.hint}"
    assert server.requests == []
    assert not value or not value.strip() or value.strip() not in f"{error.value}{error.value.hint}"


def test_a_key_from_the_keyring(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.backend import KeyringBackend

    class Ring(KeyringBackend):
        """A keyring in memory."""

        priority = 1

        def get_password(self, service: str, username: str) -> str | None:
            return KEY if (service, username) == ("memtree", "ada") else None

        def set_password(self, service: str, username: str, password: str) -> None:
            raise NotImplementedError

        def delete_password(self, service: str, username: str) -> None:
            raise NotImplementedError

    before = keyring.get_keyring()
    keyring.set_keyring(Ring())
    try:
        with asker_of(tmp_path / "a", server, key_ring="memtree/ada") as asker:
            asker.ask_typed("chat", "i", "p", Word)
        assert server.headers[0]["authorization"] == f"Bearer {KEY}"
        with asker_of(tmp_path / "b", server, key_ring="memtree/bob") as asker:
            assert asker.models.why_not("chat") == "the keyring has no entry memtree/bob; keyring set memtree bob"
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize("backend", ["nowhere.Ring", "nodots", "keyring.backends.fail.Keyring"])
def test_a_keyring_that_does_not_work_is_told(tmp_path: Path, server: ModelServer, backend: str) -> None:
    """In a process of its own: the keyring looks for its backend once."""
    with asker_of(tmp_path, server, key_ring="memtree/ada"):
        pass
    environment = {**os.environ, "PYTHON_KEYRING_BACKEND": backend}
    words = (sys.executable, "-m", "memtree.tools", "models", "test", "chat")
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 3
    assert "the keyring could not be read" in done.stderr
    assert "Traceback" not in done.stderr
    assert server.requests == []


def test_another_machine_is_asked_only_where_somebody_allowed_it(tmp_path: Path) -> None:
    with workspace_with(tmp_path, ELSEWHERE) as workspace, connections() as found:
        models = Models.of(workspace)
        with pytest.raises(NotAllowed, match=r"http://models\.example\.org:1/v1, which was not allowed on this machine"):
            Asker(workspace).ask_typed("chat", "i", "p", Word)
        assert [event for event, _ in found if event.startswith("socket")] == []
        assert "memtree models allow http://models.example.org:1/v1" in models.why_not("chat")
        with pytest.raises(NothingToAllow, match="no table"):
            models.allow("http://models.example.org/v1")
        assert models.allow("http://models.example.org:1/v1/").changed
        assert not models.allow("http://models.example.org:1/v1").changed
        assert models.configured("chat")
        assert workspace.git.run("config", "--get-all", CONSENT_KEY) == b"http://models.example.org:1/v1\n"


def test_consent_is_for_one_address_and_for_a_provider_by_its_name(tmp_path: Path) -> None:
    tables = '[models.chat]\nprovider = "anthropic"\nmodel = "x"\nkey_env = "PATH"\n[models.local]\nmodel = "y"\nurl = "http://a.example/v1"\n'
    with workspace_with(tmp_path, tables) as workspace:
        models = Models.of(workspace)
        models.allow("http://a.example/v1")
        assert models.configured("local")
        assert not models.configured("chat")
        assert models.allow("anthropic") == ("anthropic", ("$PATH",), True)
        assert "was not allowed" not in models.why_not("chat")
        workspace.git.run("config", "--unset-all", CONSENT_KEY)
        assert not models.configured("local")


@pytest.mark.parametrize(
    ("url", "named", "as_what"),
    [
        ("http://127.0.0.1:1/v1", 'key_env = "{}"', "http://127.0.0.1:1/v1"),
        ("http://models.example.org:1/v1", 'key_env = "{}"', "http://models.example.org:1/v1"),
        ("http://models.example.org:1/v1", 'key_ring = "memtree/{}"', "http://models.example.org:1/v1"),
        ("", 'provider = "openai"\nkey_env = "{}"', "openai"),
    ],
)
def test_a_key_is_sent_only_where_somebody_allowed_that_key(tmp_path: Path, url: str, named: str, as_what: str) -> None:
    """Settings come from other machines: they must not take whatever stands in the environment to an address that is allowed."""
    table = '[models.chat]\nmodel = "x"\n' + (f'url = "{url}"\n' if url else "")
    environment = {"MEANT": KEY, "OTHER": KEY, "OPENAI_API_KEY": KEY}
    with workspace_with(tmp_path, table + named.format("MEANT"), environment=environment) as workspace:
        workspace.git.run("config", "--add", CONSENT_KEY, as_what)
        with pytest.raises(KeyNotAllowed, match=r"(\$|memtree/)MEANT to http.* not allowed on this machine") as error:
            Models.of(workspace).ready("chat")
        assert error.value.hint.endswith(f"memtree models allow {as_what}")
        allowed = Models.of(workspace).allow(as_what)
        assert (allowed.where, len(allowed.keys), allowed.changed) == (as_what, 1, True)
        assert "not allowed" not in Models.of(workspace).why_not("chat")
    toml = tmp_path / "memtree.toml"
    toml.write_text(toml.read_text(encoding="utf-8").replace("MEANT", "OTHER"), encoding="utf-8")
    with Workspace.open(str(tmp_path), Options(environment=environment)) as workspace:
        with pytest.raises(KeyNotAllowed, match="OTHER"):
            Models.of(workspace).ready("chat")
        assert Models.of(workspace).allow(as_what).changed
        assert "not allowed" not in Models.of(workspace).why_not("chat")


def test_a_providers_own_key_at_its_own_address_needs_no_more_than_the_provider(tmp_path: Path) -> None:
    table = '[models.chat]\nprovider = "openai"\nmodel = "x"\n'
    with workspace_with(tmp_path, table, environment={"OPENAI_API_KEY": KEY}) as workspace:
        workspace.git.run("config", "--add", CONSENT_KEY, "openai")
        assert Models.of(workspace).ready("chat").key == KEY


def test_no_model_is_a_state_that_says_what_to_write(tmp_path: Path) -> None:
    with workspace_with(tmp_path, "") as workspace:
        with pytest.raises(ModelNotConfigured, match="no model is configured for chat") as error:
            Asker(workspace).ask_typed("chat", "i", "p", Word)
        assert "[models.chat]" in error.value.hint
        with pytest.raises(UnknownRole, match="no role 'poet'"):
            Models.of(workspace).why_not("poet")


def test_the_ledger_tells_every_call_and_is_private(tmp_path: Path, server: ModelServer) -> None:
    with asker_of(tmp_path, server, agent="archivist", retries=0) as asker:
        asker.ask_typed("chat", "i", "p", Word)
        server.script(fail(500))
        with pytest.raises(Exception, match="answered 500"):
            asker.ask_typed("local", "i", "p", Word)
        calls = list(asker._ledger.calls())
        mode = stat.S_IMODE(os.stat(asker._ledger.path).st_mode)
    assert [(call.role, call.agent, call.outcome, call.usage.input_tokens) for call in calls] == [
        ("chat", "archivist", "answered", 9),
        ("local", "archivist", "ModelAway", 0),
    ]
    assert mode == 0o600
