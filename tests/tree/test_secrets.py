"""Secrets by shape: every rule finds its own, prose and hashes trip none, and what was redacted holds none any more.

Every secret here is put together when the test runs, so that no scanner of source code takes one for real.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.redaction import without_credentials
from memtree.tree.secret_rules import RULES
from memtree.tree.secrets import FINGERPRINT, find_secrets, redacted
from support.secret_texts import FOUND, HEX, PASSWORD, M, block

PROSE = [
    "I asked for a password reset, and then for another one.",
    "token: the word",
    "my password is important, and so is yours",
    "my password is unknown",
    "the password was changed in March",
    "Password: ask Bob",
    "password: the usual one",
    "Passwords: 12characters at least, 2FA-enabled, hashed with sha256 or argon2id",
    "password: sha256",
    "password: 12characters",
    "Password: 1Password",
    "secret: none",
    "Secret Santa 2024: Bob",
    "the secret: 2024-05-01",
    "the secret: chapter12, and the token: Notifications2024",
    "a bot's token begins with xoxb-or-something",
    "secrets: inherit",
    "api key: see the vault",
    "bearer of bad news; basic authentication",
    "max_tokens=4096, tokens: 128000, token_count: 12345678",
    "token: eyebrow",
    "a task-" + M * 12,
    "a task of-sk-" + M * 12,
    "a/b+AKIA" + "Q3EG7LMN" * 2,
    "sk-learn-contrib-package-name",
    "version 1.2.3-alpha4+build5",
    "password: correct horse battery staple",
    "password: /run/secrets/db1_pass",
    "pwd: /home/ada/x1y2",
    "password: ada@example.com",
    "secret: https://example.com/x1y2z3a4b5",
    "see [the token](https://example.com/docs/token2) of page 12",
]
STAND_INS = [
    "password=xxxxxxxx1",
    "password=********",
    "password=<your-password1>",
    "password=${DB_PASS1}",
    "password=$PASSWORD1",
    "password={{ vault_pass1 }}",
    "password=%PASS1%",
    "api_key=your-api-key-12345678",
    "api_key=changeme12345678",
    "password: example123",
    "password: password",
    "password=test123",
    "password: [secret: password]",
    "password = os.environ['X1Y2Z3']",
    "password = get_password2(name)",
    "password = settings.db.password2",
    "token = tokenizer.encode2(text)",
    "api_key = settings.API_KEY2",
    "password: str = field()",
    "password: Optional[str]",
    "token: string",
    "token: TextGenerationStreamOutputToken",
    "--token TOKEN",
    "ghp_" + "x" * 36,
    "AKIAIOSFODNN7" + "EXAMPLE",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN12345678901",
    "postgres://user:password@localhost/db",
    "amqp://guest:guest@localhost",
    "postgres://{user}:{password}@localhost/db",
    "protocol://user[:password]@host/share",
    "https://user:$PASSWORD@host/",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "curl -u username:password https://example.com",
    "curl -u {{user}}:{{password}} https://example.com",
]
HARMLESS = [
    f"see commit {hashlib.sha1(b'x').hexdigest()} and {hashlib.sha256(b'x').hexdigest()}",
    f"https://github.com/a/b/commit/{hashlib.sha1(b'y').hexdigest()}",
    "md5 `d41d8cd98f00b204e9800998ecf8427e`",
    "id: 550e8400-e29b-41d4-a716-446655440000",
    "token: 550e8400-e29b-41d4-a716-446655440000",
    'integrity="sha512-' + M * 21 + 'aa=="',
    "sha256:" + HEX * 8,
    "0x" + HEX * 5,
    "![a cat](data:image/png;base64," + base64.b64encode(hashlib.sha512(b"cat").digest() * 40).decode() + ")",
    "https://example.com/a/very/long/path?x=" + M * 40 + "&y=" + HEX * 20 + "#part",
    "http://localhost:8080/@scope/package",
    f"ssh://{HEX * 3}@jobs.example.com is a name",
    "ssh://git@github.com/a/b and git@github.com:a/b and https://ada@example.com/x",
    block("PUBLIC KEY"),
    block("CERTIFICATE"),
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + M * 10 + " ada@host",
    "eyJhbGciOi is how a header begins; " + "eyJ" + M * 5 + "." + M * 5 + "." + M * 5,
    "passwordHash: $2b$12$" + M * 5,
    "",
    "\x00\x01 not text",
]


@pytest.mark.parametrize("rule", sorted({rule.name for rule in RULES}))
def test_every_rule_finds_its_own(rule: str) -> None:
    for text in FOUND[rule]:
        for around in ("{}", "Some words.\n{}\nMore words.\n", "> {}\n"):
            found = find_secrets(around.format(text))
            assert [secret.rule for secret in found] == [rule], text
            assert found[0].line == around.split("{}")[0].count("\n") + 1 or rule == "private-key"


@pytest.mark.parametrize("text", PROSE + STAND_INS + HARMLESS)
def test_what_people_write_all_the_time_is_no_secret(text: str) -> None:
    assert find_secrets(text) == []
    assert redacted(text) == text


@pytest.mark.parametrize("rule", sorted(FOUND))
def test_a_token_inside_a_longer_word_or_cut_short_is_none(rule: str) -> None:
    if rule not in {"github-token", "npm-token", "aws-key-id", "google-key", "huggingface-token", "digitalocean-token", "jwt"}:
        assert any(find_secrets(text) for text in FOUND[rule])
        return
    text = FOUND[rule][0]
    assert find_secrets("word" + text) == []
    assert find_secrets(text[: len(text) // 2]) == []


def test_what_is_found_does_not_tell_the_secret() -> None:
    for texts in FOUND.values():
        for text in texts:
            (secret,) = find_secrets(text)
            value = text.encode()[secret.start : secret.end].decode()
            assert value not in repr(secret)
            assert value not in str(secret)
            assert FINGERPRINT.fullmatch(secret.fingerprint)


def test_lines_and_bytes_are_counted_in_utf_8() -> None:
    text = f"图书馆\n\npassword: {PASSWORD}\r\nümlaut token: {M * 5}\n"
    first, second = find_secrets(text)
    assert (first.line, second.line) == (3, 4)
    data = text.encode()
    assert data[first.start : first.end] == PASSWORD.encode()
    assert data[second.start : second.end] == (M * 5).encode()
    assert find_secrets(data) == [first, second]


def test_a_fingerprint_belongs_to_the_secret_wherever_it_stands() -> None:
    def one(text: str) -> str:
        (secret,) = find_secrets(text)
        return secret.fingerprint

    assert one(f"password={PASSWORD}") == one(f"x\nPASSWORD: '{PASSWORD}' # y") != one(f"password={PASSWORD}y")
    plain = one(block("PRIVATE KEY"))
    assert plain == one(block("PRIVATE KEY", "\r\n")) == one(block("PRIVATE KEY", "\\n")) == one(block("PRIVATE KEY", "\n    "))
    assert plain != one(block("PRIVATE KEY", lines=["Qq7/" * 16]))


def test_redaction_keeps_what_stands_around() -> None:
    assert redacted(f"postgres://ada:{PASSWORD}@db.example.com/x") == "postgres://ada:[secret: uri-password]@db.example.com/x"
    assert redacted(f'{{"password": "{PASSWORD}", "n": 1}}') == '{"password": "[secret: password]", "n": 1}'
    assert redacted(f"use ghp_{M * 9}, please") == "use [secret: github-token], please"
    assert redacted(f"before\n{block('PRIVATE KEY')}\nafter") == "before\n[secret: private-key]\nafter"
    assert redacted(FOUND["webhook"][0]) == "https://hooks.slack.com/services/[secret: webhook]"


def test_a_message_loses_secrets_of_every_shape() -> None:
    assert without_credentials(f"fatal: https://ada:{PASSWORD}@h/x refused ghp_{M * 9}") == (
        "fatal: https://***@h/x refused [secret: github-token]"
    )


PIECES = st.sampled_from(
    [
        *(text for texts in FOUND.values() for text in texts),
        *PROSE,
        *STAND_INS,
        "\n",
        " ",
        "://",
        "@",
        ":",
        '"',
        "\\",
        "eyJ",
        "-----",
    ]
)


@given(st.lists(st.one_of(PIECES, st.text(max_size=8)), max_size=8))
def test_what_was_redacted_holds_no_secret(parts: list[str]) -> None:
    """Whatever stands side by side: redacted text is found clean, and redacting it again changes nothing."""
    text = "".join(parts)
    clean = redacted(text)
    assert find_secrets(clean) == []
    assert redacted(clean) == clean


@given(st.one_of(st.binary(max_size=300), st.text().map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_any_bytes_are_looked_through(data: bytes) -> None:
    for secret in find_secrets(data):
        assert 0 <= secret.start < secret.end <= len(data)
        assert 1 <= secret.line <= data.count(b"\n") + 1


HOSTILE: dict[str, Callable[[int], str]] = {
    "anchors of every rule": lambda n: " ".join(anchor for rule in RULES for anchor in rule.anchors) * (n // 400),
    "keys that never end": lambda n: "-----BEGIN PRIVATE KEY-----\n" * (n // 28),
    "one key that never ends": lambda n: "-----BEGIN PRIVATE KEY-----\n" + "a-b-c " * (n // 6),
    "assignments in a row": lambda n: "password:" * (n // 9),
    "addresses in a row": lambda n: "a://b:c" * (n // 7),
    "one long address": lambda n: "https://" + "a:" * (n // 2),
    "one long word": lambda n: "a" * n,
    "one long token": lambda n: "token=" + M * (n // 4),
    "parts of a web token": lambda n: ".eyJ" + "a" * 40 + ("." + "a" * 40) * (n // 41),
    "web tokens in a row": lambda n: "eyJaaaaaaaa." * (n // 12),
    "commands in a row": lambda n: "curl " * (n // 5),
    "spaces": lambda n: "password" + " " * n,
    "quotes": lambda n: "password" + "\\" * n,
    "dots": lambda n: "M" + "." * n,
    "tokens in a row": lambda n: f"ghp_{M * 9} " * (n // 41),
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_time_grows_with_the_length_and_no_faster(name: str) -> None:
    """Sixteen times the text takes about sixteen times as long; anything quadratic would take 256 times."""
    small, large = (HOSTILE[name](size).encode() for size in (8_000, 128_000))

    def seconds(data: bytes) -> float:
        best = float("inf")
        for _ in range(3):
            started = time.process_time()
            find_secrets(data)
            best = min(best, time.process_time() - started)
        return best

    assert seconds(large) < 64 * max(seconds(small), 0.0005)
