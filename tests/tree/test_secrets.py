"""Secrets by shape: every rule finds its own, prose and hashes trip none, and what was redacted holds none any more.

Every secret here is put together when the test runs, so that no scanner of source code takes one for real.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.tree.redaction import without_credentials
from memtree.tree.secret_rules import RULES
from memtree.tree.secrets import FINGERPRINT, find_secrets, redacted

M = "a1B2"  # what tokens are made of here
HEX = "0a1b2c3d"
PASSWORD = "hunter" + "2x"
WEB = ".".join(
    base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"ada"}', b"\xff" * 32)
)
KEY_LINES = [M * 16, "Zz9/" * 16, M * 5 + "=="]


def block(kind: str, end: str = "\n", lines: list[str] | None = None) -> str:
    return end.join([f"-----BEGIN {kind}-----", *(lines or KEY_LINES), f"-----END {kind}-----"])


# rule -> texts that hold exactly one such secret
FOUND: dict[str, list[str]] = {
    "private-key": [
        block("PRIVATE KEY"),
        block("RSA PRIVATE KEY", lines=["Proc-Type: 4,ENCRYPTED", "DEK-Info: AES-128-CBC,00FF", "", *KEY_LINES]),
        block("OPENSSH PRIVATE KEY", "\r\n"),
        block("PGP PRIVATE KEY BLOCK", lines=["Version: 2", "", *KEY_LINES]),
        json.dumps({"private_key": block("EC PRIVATE KEY") + "\n"}),
        block("PRIVATE KEY", "\n-"),
        f"-----BEGIN PRIVATE KEY-----\n{M * 16}\n{M * 16}\ncut off here",
    ],
    "age-key": ["AGE-SECRET-KEY-1" + "QPZRY9X8" * 7 + "GF"],
    "github-token": [
        *(kind + M * 9 for kind in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")),
        "github_pat_" + M * 20,
        f"(ghp_{M * 9})",
    ],
    "gitlab-token": ["glpat-" + M * 5],
    "aws-key-id": ["AKIA" + "Q3EG7LMN" * 2, "+AKIA" + "Q3EG7LMN" * 2, "-AKIA" + "Q3EG7LMN" * 2, "id=ASIA" + "Q3EG7LMN" * 2],
    "aws-secret": ["aws_secret_access_key = " + (M + "/+zZ9xY8") * 3 + "abcd", '"SecretKey": "' + M * 10 + '"'],
    "google-key": ["AIza" + M * 8 + "abc"],
    "google-oauth": ["ya29." + M * 10, "GOCSPX-" + M * 7],
    "slack-token": ["xoxb-" + "123456789012-" * 2 + M * 6, "xapp-1-A0-" + M * 5, "xoxp-" + "1234567890-" + "abcdefABCDEF"],
    "webhook": [
        "https://hooks.slack.com/services/T0001ABCD/B0001ABCD/" + M * 6,
        "https://discord.com/api/webhooks/123456789012345678/" + M * 17,
    ],
    "stripe-key": ["sk_" + "live_" + M * 6, "rk_" + "live_" + M * 6, "whsec_" + M * 8],
    "npm-token": ["npm_" + M * 9],
    "pypi-token": ["pypi-" + "AgEIcHlwaS5vcmc" + M * 15],
    "openai-key": ["-sk-" + M * 12, r"x\n-sk-" + M * 12, "sk-" + M * 12, "sk-proj-" + M * 8 + "-" + M * 8],
    "anthropic-key": ["sk-ant-" + "api03-" + M * 20],
    "jwt": [WEB, f"cookie: session={WEB}; path=/"],
    "huggingface-token": ["hf_" + M * 9],
    "sendgrid-key": ["SG." + M * 5 + "ab." + M * 10 + "abc"],
    "twilio-key": ["SK" + HEX * 4],
    "mailgun-key": ["key-" + HEX * 4],
    "digitalocean-token": ["dop_v1_" + HEX * 8],
    "azure-key": ["AccountName=x;AccountKey=" + M * 21 + "ab==;EndpointSuffix=y"],
    "telegram-token": ["12345678:AA" + "x1Yz_" * 6 + "abc"],
    "discord-token": ["M" + M * 5 + "abc." + "Gh1j2k" + "." + M * 6 + "abc"],
    "uri-password": [
        f"postgres://ada:{PASSWORD}@db.example.com:5432/memory",
        f"redis://:{PASSWORD}@127.0.0.1:6379/0",
        f"git clone https://{M * 10}@git.example.com/a/b.git",
        f"<https://ada:{PASSWORD}@example.com>",
    ],
    "bearer-token": ["Authorization: Bearer " + M * 8, f"curl -H 'authorization: bearer {HEX * 4}'"],
    "authorization": [
        "Authorization: Basic " + base64.b64encode(f"ada:{PASSWORD}".encode()).decode(),
        "Authorization: token " + HEX * 5,
        '"Authorization": "' + M * 8 + '"',
    ],
    "password": [
        f"password={PASSWORD}",
        f"password: {PASSWORD}",
        f"Password : '{PASSWORD}',",
        f"export DB_PASSWORD={PASSWORD}",
        f'"password": "{PASSWORD}"',
        f'{{"input": "{{\\"password\\": \\"{PASSWORD}\\"}}"}}',
        f"**Password:** {PASSWORD}",
        f"- `passwd`: `{PASSWORD}`",
        f"<password>{PASSWORD}</password>",
        f"my password is {PASSWORD}.",
        f"the password is: `{PASSWORD}`",
        f"mysql -u root --password={PASSWORD}",
        f"mysql -u root --password {PASSWORD}",
        f"PGPASSWORD={PASSWORD} psql",
        f"db_pass = {PASSWORD}",
        f"pwd={PASSWORD};",
        f"password := {PASSWORD}",
        f"密码：{PASSWORD}",
        f"他的密码是{PASSWORD}",
        f"https://example.com/login?password={PASSWORD}&next=/",
        'password = "p@ssw' + '!ord$x"',
        f"curl -u ada:{PASSWORD} https://example.com",
    ],
    "secret": [f"client_secret = '{M * 3}'", f"secret: {M * 3}", "secret_key_base: " + HEX * 8],
    "token": [
        "token: " + HEX * 5,
        f"access_token={M * 5}&x=1",
        f"SESSION_TOKEN='{M * 5}'",
        "mytool --token " + M * 5,
        "bot_token = " + "aBcDeFgHiJkLmNoPqRsT",
    ],
    "api-key": [f'api_key: "{M * 5}"', f"APIKEY={M * 5}", f"x-api-key: {M * 5}", f"apiKey: '{M * 5}'", f"ACCESS_KEY={M * 5}"],
}

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
