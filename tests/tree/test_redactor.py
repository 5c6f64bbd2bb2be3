"""The redactor: texts and JSON as agents write it lose what is secret, and nothing else; the rest stays JSON, and stays itself.

Every secret here is put together when the test runs, so that no scanner of source code takes one for real.
"""

from __future__ import annotations

import base64
import contextlib
import json
import shlex
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree import redactor as redactor_module
from memtree.tree.pii_rules import PiiClass
from memtree.tree.redactor import Redactor

M = "a1B2"
P = "hunter2" + "longpw"
KEY = M * 5
WEB = ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256"}', b'{"sub":"ada"}', b"\xff" * 32))
PRIVATE = "\n".join(["-----BEGIN OPENSSH PRIVATE KEY-----", M * 16, "Zz9/" * 16, "-----END OPENSSH PRIVATE KEY-----"])
CARD, MAIL = "4111 1111 1111 1111", "ada@example.com"

SECRETS = Redactor()
ALL = Redactor(frozenset(PiiClass))

# Kinds of secrets: how each stands on a line -> what of it must go.
NAMED: dict[str, tuple[str, str]] = {
    "a private key": (PRIVATE, M * 16),
    "a bearer token": (f"Authorization: Bearer {KEY}", KEY),
    "an assignment": (f"DB_PASSWORD={P}", P),
    "an api key": (f"api_key={KEY}", KEY),
    "GitHub": ("ghp_" + M * 9, "ghp_" + M * 9),
    "GitHub, fine-grained": ("github_pat_" + M * 20, M * 20),
    "GitLab": ("glpat-" + M * 5, M * 5),
    "AWS": ("AKIA" + "Q3EG7LMN" * 2, "Q3EG7LMN" * 2),
    "AWS's other half": (f"aws_secret_access_key = {M * 10}", M * 10),
    "Google": ("AIza" + M * 8 + "abc", M * 8),
    "Slack": ("xoxb-" + "123456789012-" * 2 + M * 6, M * 6),
    "Stripe": ("sk_" + "live_" + M * 6, M * 6),
    "npm": ("npm_" + M * 9, M * 9),
    "OpenAI": ("sk-proj-" + M * 8, M * 8),
    "Anthropic": ("sk-ant-" + "api03-" + M * 20, M * 20),
    "a JWT": (WEB, WEB),
    "an address with a password": (f"postgres://ada:{P}@db.example.com:5432/memory", P),
}


def command(line: str) -> dict[str, Any]:
    return {"command": f"curl -sS -X POST https://api.example.com/v1 -d {shlex.quote(json.dumps({'text': line}))}"}


def header(line: str) -> dict[str, Any]:
    return {"command": f'curl -H "X-Note: {line}" https://example.com'}


def heredoc(line: str) -> dict[str, Any]:
    return {"command": f"cat > .env <<'EOF'\nDEBUG=1\n{line}\nPORT=8080\nEOF\nchmod 600 .env"}


def python(line: str) -> dict[str, Any]:
    return {"code": f"import os\nvalue = {line!r}\nprint(value)"}


def patch(line: str) -> dict[str, Any]:
    return {"input": "*** Update File: app.py\n@@\n-old\n" + "".join(f"+{one}\n" for one in line.split("\n"))}


def removal(line: str) -> dict[str, Any]:
    return {"patch": json.dumps("".join(f"-{one}\n" for one in line.split("\n")) + "+new\n")}


def arguments(line: str) -> dict[str, Any]:
    return {"name": "shell", "arguments": json.dumps({"command": ["bash", "-lc", f'echo "{line}" >> notes']})}


def nested(line: str) -> dict[str, Any]:
    return {"body": json.dumps({"arguments": json.dumps({"payload": json.dumps([{"text": line}])})})}


def written(line: str) -> dict[str, Any]:
    return {"file_path": "/tmp/x.json", "content": json.dumps({"a": {"b": [line]}}, indent=2)}


def plain(line: str) -> dict[str, Any]:
    return {"text": f"use this:\n{line}\nthanks", "n": 1}


WAYS = (command, header, heredoc, python, patch, removal, arguments, nested, written, plain)


@pytest.mark.parametrize("name", sorted(NAMED))
@pytest.mark.parametrize("way", WAYS)
def test_tool_calls_lose_every_kind_of_secret(name: str, way: Any) -> None:
    line, secret = NAMED[name]
    call = way(line)
    safe = SECRETS.value(call)
    told = json.dumps(safe)
    assert secret not in told
    assert told.count("[secret: ") >= 1
    assert safe.keys() == call.keys()
    assert SECRETS.value(safe) == safe
    for key in ("arguments", "body"):
        if key in safe:
            json.loads(safe[key])
    if name == "an address with a password":
        assert "@db.example.com:5432/memory" in told


KEYED: list[Any] = [
    {"password": P},
    {"apiKey": KEY},
    {"Api Key": KEY},
    {"headers": {"Authorization": f"Bearer {KEY}"}},
    {"headers": {"authorization": KEY}},
    {"headers": [{"name": "x-api-key", "value": KEY}]},
    {"headers": [["x-api-key", KEY], ["accept", "*/*"]]},
    {"headers": {"X-Api-Key": [KEY]}},
    {"env": [{"name": "DB_PASSWORD", "value": P}, {"value": P, "name": "PGPASSWORD"}]},
    {"env": {"DB_PASSWORD": P, "DEBUG": "1"}},
    {"password": {"value": P}},
    {"passwords": [P, P + "2"]},
    ["--password", P],
    ["mytool", "--token", KEY, "--verbose"],
    ["curl", "-u", f"ada:{P}", "https://example.com"],
    ["mysql", f"--password={P}"],
    {"argv": ["psql", f"postgres://ada:{P}@db/x"]},
    {"lines": PRIVATE.split("\n")},
    {"password": f"{P},{P}"},
    {"password": f'{P}"{P}'},
    {"password": f"{P}\\{P}"},
    {"password": f"{P}  # of the test machine"},
    {"client_secret": M * 3, "clientSecret": M * 3},
    {"arguments": json.dumps({"password": P})},
    json.dumps({"password": f'{P}"x'}),
    {"dsn": f"Server=db;Database=x;Pwd={P};"},
    {"secretKey": M * 10},
    {"refresh_token": KEY * 20},
    [{"k": "password", "v": P}],
]


@pytest.mark.parametrize("value", KEYED, ids=str)
def test_a_key_or_a_neighbour_gives_a_value_away(value: Any) -> None:
    safe = SECRETS.value(value)
    told = json.dumps(safe)
    for secret in (P, KEY, M * 3):
        assert secret not in told
    assert type(safe) is type(value)
    assert SECRETS.value(safe) == safe


ORDINARY: list[Any] = [
    {"monkey": M * 5, "keyboard": KEY, "tokenizer": KEY, "hotkey": "ctrl1+alt2+X3Y4"},
    {"note": "secret sauce", "subject": "password reset", "text": "my password is important"},
    {"token_count": 1200, "max_tokens": 4096, "tokens": 12345678, "usage": {"input_tokens": 99, "cache": 1.5}},
    {"password": None, "secret": True, "token": False, "api_key": "", "passwords": []},
    {"password": "${DB_PASSWORD}", "token": "<your-token>", "api_key": "changeme12345678", "secret": "[secret: secret]"},
    {"sessionId": "550e8400-e29b-41d4-a716-446655440000", "token": "550e8400-e29b-41d4-a716-446655440000"},
    {"sha": "0a1b2c3d" * 5, "created": 1700000000000, "date": "2024-05-12T12:30:00Z", "version": "1.2.3"},
    {"file_path": "/home/ada/.password-store/x1y2.gpg", "pattern": "password\\s*=", "command": "pass show db"},
    {"name": "max_tokens", "value": "4096"},
    ["--password-file", "/run/secrets/db1", "--token", "$TOKEN"],
    {"nested": '{ "a" :  [1, 2.50,   "x"], "a2": {}}', "list": "[not json", "brace": "{}", "number": "[1]"},
    {"deep": [[[[[[[[[["x"]]]]]]]]]]},
    [],
    {},
    None,
    True,
    12,
    1.5,
    "",
    "日本語 \ud800 \x00",
]


@pytest.mark.parametrize("value", ORDINARY, ids=ascii)
@pytest.mark.parametrize("redactor", [SECRETS, ALL], ids=["secrets", "all"])
def test_what_agents_write_all_the_time_stays(value: Any, redactor: Redactor) -> None:
    assert redactor.value(value) == value


def test_texts_lose_secrets_first_and_then_personal_data() -> None:
    text = f"password: {P}, card {CARD}, postgres://ada:{P}@db.example.com/x, {MAIL}"
    safe = f"password: [secret: password], card {CARD}, postgres://ada:[secret: uri-password]@db.example.com/x, {MAIL}"
    assert SECRETS.text(text) == safe
    assert Redactor(frozenset({PiiClass.EMAIL})).text(text) == safe.replace(MAIL, "[personal: email]")
    assert ALL.text(text) == safe.replace(MAIL, "[personal: email]").replace(CARD, "[personal: card]")


def test_json_loses_personal_data_in_texts_keys_and_numbers() -> None:
    value = {
        MAIL: [CARD, 4111111111111111, 12],
        "cpf": 52998224725,
        "CPF": "52998224725",
        "n": 52998224725,
        "phone": "212 555 0123",
    }
    assert ALL.value(value) == {
        "[personal: email]": ["[personal: card]", "[personal: card]", 12],
        "cpf": "[personal: national-id]",
        "CPF": "[personal: national-id]",
        "n": 52998224725,
        "phone": "[personal: phone]",
    }
    assert SECRETS.value(value) == value


def test_json_in_a_text_stays_json_and_keeps_its_form() -> None:
    inner = {"to": MAIL, "card": 4111111111111111, "note": "line\nbreak é"}
    for form in (
        json.dumps(inner, ensure_ascii=False),
        json.dumps(inner, separators=(",", ":"), ensure_ascii=False),
        json.dumps(inner, indent=2, ensure_ascii=False),
    ):
        expected = form.replace(MAIL, "[personal: email]").replace("4111111111111111", '"[personal: card]"')
        assert ALL.value({"arguments": form}) == {"arguments": expected}
    lonely = ALL.value(json.dumps({"type": "CPF", "number": 52998224725}))
    assert "52998224725" not in lonely
    json.loads(lonely)


def test_keys_that_become_the_same_lose_no_value() -> None:
    value = {"ghp_" + M * 9: 1, "ghp_" + M[::-1] * 9: 2, "[secret: github-token] (2)": 3, "ghp_" + "c3D4" * 9: 4}
    safe = SECRETS.value(value)
    assert safe == {
        "[secret: github-token]": 1,
        "[secret: github-token] (3)": 2,
        "[secret: github-token] (2)": 3,
        "[secret: github-token] (4)": 4,
    }
    assert SECRETS.value(safe) == safe


@pytest.mark.parametrize("levels", [39, 40, 41, 200, 900])
@pytest.mark.parametrize("wrap", [lambda value: {"a": value}, lambda value: [value, 1]], ids=["mappings", "lists"])
def test_depth_hides_nothing(levels: int, wrap: Any) -> None:
    value: Any = {"password": P, "text": f"ghp_{M * 9}", "card": CARD}
    for _ in range(levels):
        value = wrap(value)
    safe = ALL.value(value)
    told = json.dumps(safe)
    assert P not in told
    assert M * 9 not in told
    assert CARD not in told
    assert ALL.value(safe) == safe


def test_json_in_json_in_json_hides_nothing() -> None:
    text = json.dumps({"password": P})
    for _ in range(6):
        text = json.dumps({"arguments": text})
    safe = SECRETS.value({"x": text})
    assert P not in json.dumps(safe)
    inner = safe["x"]
    for _ in range(6):
        inner = json.loads(inner)["arguments"]
    assert json.loads(inner) == {"password": "[secret: password]"}


LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.sampled_from([P, KEY, CARD, MAIL, PRIVATE, *(line for line, _ in NAMED.values()), "{", '["', "52998224725", "212 555 0123"]),
)
KEYS = st.one_of(
    st.text(max_size=6),
    st.sampled_from(["password", "token", "value", "name", "cpf", "phone", MAIL, "ghp_" + M * 9, "ghp_" + "c3D4" * 9]),
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(KEYS, inner, max_size=4),
        inner.map(json.dumps),
    ),
    max_leaves=8,
)


def size(value: Any) -> int:
    if isinstance(value, list):
        return 1 + sum(map(size, value))
    return 1 + sum(map(size, value.values())) if isinstance(value, dict) else 1


@given(VALUES)
def test_redacting_twice_is_the_same_as_once_and_loses_no_value(value: Any) -> None:
    for redactor in (SECRETS, ALL):
        safe = redactor.value(value)
        assert redactor.value(safe) == safe
        assert size(safe) == size(value)
        told = json.dumps(safe, ensure_ascii=False)
        assert redactor.text(told) == told or redactor is ALL  # words in other values may name a number
        assert "ghp_" + M * 9 not in told


@given(VALUES)
def test_json_stays_json(value: Any) -> None:
    for redactor in (SECRETS, ALL):
        json.loads(redactor.value(json.dumps([value])))


@contextlib.contextmanager
def quick_ids() -> Iterator[None]:
    """Ids are made the same way, but at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(redactor_module, "_EFFORT", 2)
        yield
    redactor_module._veiled.cache_clear()


@given(
    st.lists(
        st.from_regex(r"(\+49 1[5-7]\d \d{7,8}|[a-z]{3,9}@example\.com|4111 1111 1111 1111)( #\d{1,4})?", fullmatch=True),
        unique=True,
        max_size=6,
    )
)
def test_ids_that_tell_something_become_others_that_never_meet(ids: list[str]) -> None:
    redactor = Redactor(frozenset(PiiClass))
    with quick_ids():
        found = [redactor.id(one) for one in ids]
    assert len(set(found)) == len(ids)
    for one, other in zip(ids, found, strict=True):
        assert other != one
        assert redactor.id(other) == redactor.text(other) == other
        assert Redactor().id(one) == one


def test_an_id_takes_its_time() -> None:
    """Whoever tries every phone number would need years."""
    assert redactor_module._EFFORT >= 1 << 12


@given(st.uuids())
def test_ids_that_tell_nothing_stay(one: UUID) -> None:
    assert Redactor(frozenset(PiiClass)).id(str(one)) == str(one)
