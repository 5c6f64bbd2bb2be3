"""The table of secrets: which shapes give one away. One table for what is held back, what is not pushed and what is redacted.

A rule is asked only where one of its anchors stands, and its expression is bounded or stops where the next anchor stands, so that
looking through a text takes time in proportion to its length whatever is in it. Rules by entropy there are none: hashes, ids and
images in notes would trip them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from memtree.tree.secret_shapes import (
    is_address_password,
    is_key,
    is_login,
    is_mixed_token,
    is_numbered_token,
    is_password,
    is_private_key,
    is_secret,
    is_token,
    is_web_token,
    key_material,
)

# Raised whenever a rule changes: what was looked through with another table is looked through again.
VERSION = 2

Accepts = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """A shape. `expression` matches where an anchor begins; its group `value` or `quoted`, else the whole match, is the secret.

    A `folded` rule sees the text in lower case. `accepts` has the last word on the value as it stands there. `essence` is what two
    copies of one secret have in common.
    """

    name: str
    anchors: tuple[str, ...]
    expression: bytes
    accepts: Accepts
    folded: bool = False
    essence: Callable[[bytes], bytes] = bytes

    def match(self, text: bytes, at: int) -> re.Match[bytes] | None:
        return _compiled(self.expression).match(text, at)


@cache
def _compiled(expression: bytes) -> re.Pattern[bytes]:
    # Each when it is first asked: most texts have hardly any anchor, and a start must be quick.
    return re.compile(expression)


def _rule(name: str, anchors: str, pattern: str, accepts: Accepts, *, folded: bool = False) -> Rule:
    return Rule(name, tuple(anchors.split()), pattern.encode(), accepts, folded)


def _token(name: str, prefixes: str, body: str, accepts: Accepts = is_token, *, before: str = r"\w", joins: str = "") -> Rule:
    """A token that begins with one of some prefixes, and not in the middle of a longer word.

    `joins` are marks that join it to a word before them; where a line of a diff begins they join nothing.
    """
    start = "|".join(map(re.escape, prefixes.split()))
    # In the text of JSON a break is a backslash and a letter.
    apart = rf"(?:(?<![\w/+-][{joins}])|(?<=\\[nr][{joins}]))" if joins else ""
    return _rule(name, prefixes, f"(?<!{before}){apart}(?:{start}){body}", accepts)


def _webhook(addresses: str, body: str) -> Rule:
    """An address that whoever knows it may post to; the host is no secret."""
    start = "|".join(map(re.escape, addresses.split()))
    return _rule("webhook", addresses, f"(?:{start})(?P<value>{body})", is_token)


_QUOTE = r"""\\{0,3}["'`]"""
# What is assigned: in quotes up to the quote, else up to a space or a mark that ends a word in code, prose and addresses.
# It is only looked at, so that a value that is no secret may itself begin an assignment.
_VALUE = (
    rf"""(?=(?:{_QUOTE}(?P<quoted>[^\s"'`\\]{{6,200}}){_QUOTE}"""
    r"""|(?P<value>[^\s"'`\\,;&|<>(){}\[\]]{6,200})(?=[\s"'`\\,;&|<>)}\]]|$)))"""
)
_CLOSING = rf"(?:{_QUOTE})?[\])*_]{{0,3}}[ \t]{{0,8}}"
_SIGN = (
    r"(?:(?:(?:is|was|是)[ \t]{0,4})?(?::=|=>|={1,2}|:|>|：)|(?:is|was)[ \t]{1,4}|是)[*_]{0,3}[ \t]{0,8}"
    r"(?:(?:str|string)[ \t]{0,2}=[ \t]{0,2})?"
)
_TAIL = r"(?:[_-]?(?:key|base|value|token))?(?:[_-]base)?s?\d{0,2}"


def _assigned(name: str, anchors: str, words: str, accepts: Accepts) -> Rule:
    """What is assigned to a name that ends in one of some words: in code, settings, JSON, YAML, addresses, markdown."""
    return _rule(name, anchors, f"(?:{words}){_TAIL}{_CLOSING}{_SIGN}{_VALUE}", accepts, folded=True)


def _option(name: str, anchors: str, words: str, accepts: Accepts) -> Rule:
    """What follows an option of a command after a space."""
    return _rule(name, anchors, rf"(?<=-)(?:{words})[ \t]{{1,4}}{_VALUE}", accepts, folded=True)


_KEY_BLOCK = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]{64,})"
)
_AFTER_SCHEME = r"(?<=[A-Za-z0-9+.-]{2})://"
_DISCORD = (
    r"(?<=(?<![\w-])[MNO][\w-]{23})\.[\w-]{6}\.[\w-]{27}(?![\w-])|(?<=(?<![\w-])[MNO][\w-]{25})\.[\w-]{6}\.[\w-]{38}(?![\w-])"
)
_CURL = r"""(?<![\w-])curl(?=[ \t])[^\r\n]{0,100}?[ \t](?:-u|--user)[ =]?["']?[^\s:"'{<$]{1,64}:(?P<value>[^\s"']{4,100})"""

_HEADER = (
    rf"authorization{_CLOSING}[:=][ \t]{{0,4}}(?:{_QUOTE})?(?:(?:token|api-?key|key)[ \t]{{1,4}})?"
    r"(?P<value>[a-z0-9._~+/=-]{16,4000})"
)

# Where two rules see a secret in the same place the earlier one names it.
RULES: tuple[Rule, ...] = (
    Rule("private-key", ("-----BEGIN ",), _KEY_BLOCK.encode(), is_private_key, essence=key_material),
    _token("age-key", "AGE-SECRET-KEY-1", r"[0-9A-Z]{58}"),
    _token("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", r"[A-Za-z0-9]{36,255}"),
    _token("github-token", "github_pat_", r"\w{22,255}"),
    _token("gitlab-token", "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- gloas- glagent-", r"[\w.-]{20,255}"),
    _token("aws-key-id", "AKIA ASIA", r"[A-Z0-9]{16}(?![A-Za-z0-9/+=])", before=r"[\w/]", joins="+-"),
    _token("google-key", "AIza", r"[\w-]{35}(?![\w-])"),
    _token("google-oauth", "ya29. GOCSPX- 1//0", r"[\w-]{20,512}", before=r"[\w/.]", joins="-"),
    _token("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-", r"[\w-]{10,255}", is_numbered_token),
    _webhook("hooks.slack.com/services/", r"T\w{6,20}/B\w{6,20}/\w{16,40}"),
    _webhook("discord.com/api/webhooks/ discordapp.com/api/webhooks/", r"\d{15,22}/[\w-]{50,100}"),
    _webhook("webhook.office.com/webhookb2/", r"[\w@-]{20,120}/IncomingWebhook/[\w/-]{20,120}"),
    _token("stripe-key", "sk_live_ rk_live_ whsec_", r"[A-Za-z0-9+/]{16,255}={0,2}"),
    _token("npm-token", "npm_", r"[A-Za-z0-9]{36}(?![A-Za-z0-9])"),
    _token("pypi-token", "pypi-", r"[\w-]{40,512}", is_mixed_token),
    _token("anthropic-key", "sk-ant-", r"[\w-]{20,255}", is_mixed_token),
    _token("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-or-v1-", r"[\w-]{20,255}", is_mixed_token),
    _token("openai-key", "sk-", r"[A-Za-z0-9]{20,255}(?![\w-])", is_mixed_token, joins="-"),
    _token("huggingface-token", "hf_", r"[A-Za-z0-9]{30,64}(?!\w)"),
    _token("sendgrid-key", "SG.", r"[\w-]{16,32}\.[\w-]{32,64}"),
    _token("twilio-key", "SK", r"[0-9a-f]{32}(?!\w)"),
    _token("mailgun-key", "key-", r"[0-9a-f]{32}(?!\w)", is_mixed_token, joins="-"),
    _token("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", r"[0-9a-f]{64}"),
    _rule("azure-key", "AccountKey= SharedAccessKey=", r"\w+=(?P<value>[A-Za-z0-9+/]{40,100}={0,2})", is_token),
    _rule("telegram-token", ":AA", r"(?<=\d{8}):(?P<value>AA[\w-]{33})(?![\w-])", is_token),
    _rule("discord-token", ".", _DISCORD, is_mixed_token),
    _token("jwt", "eyJ", r"[\w-]{8,4000}\.[\w-]{8,8000}\.[\w-]{16,2000}", is_web_token, joins="-"),
    _rule(
        "uri-password",
        "://",
        _AFTER_SCHEME + r"""[^\s/?#@:"'<>`\[{(]{0,100}:(?P<value>[^\s/@"'<>`]{3,200})@(?=[\w\[.-])""",
        is_address_password,
    ),
    _rule("uri-password", "://", r"(?:(?<=http)|(?<=https))://(?P<value>[\w.~%-]{16,255})@(?=[\w\[.-])", is_key),
    _rule(
        "aws-secret",
        "secret",
        rf"secret[_-]?(?:access)?[_-]?key{_CLOSING}{_SIGN}(?:{_QUOTE})?(?P<value>[a-z0-9/+]{{40}})(?![a-z0-9/+=])",
        is_token,
        folded=True,
    ),
    _rule("bearer-token", "bearer", r"(?<![a-z])bearer[ \t]{1,4}(?P<value>[a-z0-9._~+/=-]{16,4000})", is_key, folded=True),
    _rule("authorization", "authorization", _HEADER, is_key, folded=True),
    _rule("authorization", "basic", r"(?<![a-z])basic[ \t]{1,4}(?P<value>[a-z0-9+/]{8,400}={0,2})", is_login, folded=True),
    _rule("password", "curl", _CURL, is_address_password, folded=True),
    _assigned(
        "password",
        "_pass passw passp pwd 密码 口令",
        "_?(?:password|passwd|passphrase|passwort)|_pass|(?<![a-z])pwd|密码|口令",
        is_password,
    ),
    _assigned("secret", "secret credential 密钥", "secret|credential|密钥", is_secret),
    _assigned("token", "token", "token", is_key),
    _assigned(
        "api-key",
        "apikey api_key api-key accesskey access_key access-key privatekey private_key private-key",
        "(?:api|access|private)[_-]?key",
        is_key,
    ),
    _option("password", "passw passp", "password|passwd|passphrase", is_password),
    _option("token", "token secret api-key access-key", "(?:token|secret|api-key|access-key)", is_key),
)
