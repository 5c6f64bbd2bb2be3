"""Texts that hold one secret each, by the rule that finds it; put together when needed, so that no scanner takes them for real."""

from __future__ import annotations

import base64
import json

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
