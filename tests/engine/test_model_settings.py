"""The `[models.…]` tables: what a role gets, what it takes over from the default, and what is said of a wrong one."""

from __future__ import annotations

import pytest

from memtree.engine.model_settings import ROLES, RoleModel, is_loopback
from memtree.engine.settings import InvalidSettings, parse

LOCAL = '[models.default]\nurl = "http://127.0.0.1:11434/v1/"\nmodel = "small"\n'


def role(text: str, name: str = "chat") -> RoleModel:
    found = parse(text.encode()).models.named(name)
    assert found is not None
    return found


def test_without_tables_no_role_has_a_model() -> None:
    assert [parse(b"").models.named(name) for name in ROLES] == [None] * 4


def test_one_table_serves_every_role() -> None:
    found = [role(LOCAL, name) for name in ROLES]
    assert found == [RoleModel(model="small", url="http://127.0.0.1:11434/v1/")] * 4
    assert found[0].address == "http://127.0.0.1:11434/v1"
    assert parse(LOCAL.encode()).unknown == ()


def test_a_role_may_say_something_else_of_anything() -> None:
    text = LOCAL + '[models.chat]\nmodel = "large"\ntemperature = 1\nrequest_limit = 3\ntimeout = 5\nretries = 0\nmax_tokens = 9\n'
    assert role(text) == RoleModel(
        model="large", url="http://127.0.0.1:11434/v1/", temperature=1.0, request_limit=3, timeout=5.0, retries=0, max_tokens=9
    )
    assert role(text, "local").model == "small"


def test_a_role_without_a_model_has_none() -> None:
    found = parse(b'[models.chat]\nprovider = "openai"\nmodel = "one"\n').models
    assert found.named("local") is None
    assert found.named("chat") == RoleModel("openai", "one")


def test_another_provider_takes_over_neither_address_nor_key_nor_model() -> None:
    text = LOCAL + 'key_env = "LAN_KEY"\ntimeout = 7\n[models.chat]\nprovider = "anthropic"\nmodel = "far"\n'
    found = role(text)
    assert found == RoleModel("anthropic", "far", timeout=7.0)
    assert (found.address, found.variable, found.consent) == ("https://api.anthropic.com", "ANTHROPIC_API_KEY", "anthropic")
    assert parse(text.replace('model = "far"\n', "").encode()).models.named("chat") is None


def test_another_address_takes_over_no_key() -> None:
    found = role(LOCAL + 'key_env = "LAN_KEY"\n[models.chat]\nurl = "https://models.example.org/v1"\n')
    assert (found.key_env, found.variable, found.model) == ("", "", "small")
    assert found.consent == "https://models.example.org/v1"


def test_a_key_of_its_own_takes_the_place_of_the_common_one() -> None:
    found = role(LOCAL + 'key_env = "LAN_KEY"\n[models.chat]\nkey_ring = "memtree/ada"\n')
    assert (found.key_env, found.key_ring, found.variable) == ("", "memtree/ada", "")


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://localhost:1234", True),
        ("http://[::1]:80/v1", True),
        ("http://localhost.example.org/v1", False),
        ("http://127.0.0.1.example.org/v1", False),
        ("http://192.168.0.2/v1", False),
        ("http://0x7f000001.example.org", False),
        ("https://api.openai.com/v1", False),
    ],
)
def test_only_addresses_of_this_machine_need_no_consent(url: str, own: bool) -> None:
    assert is_loopback(url) is own
    assert (RoleModel(url=url).consent == "") is own


def test_a_well_known_key_goes_to_its_own_provider_only() -> None:
    assert RoleModel("openai", "one").variable == "OPENAI_API_KEY"
    assert RoleModel("openai", "one", url="https://api.openai.com/v1/").variable == "OPENAI_API_KEY"
    assert RoleModel("openai", "one", url="https://elsewhere.example.org/v1").variable == ""
    assert RoleModel("openai-compatible", "one").variable == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("models = 3", "models must hold tables"),
        ('[models.chatt]\nmodel = "x"', "unknown table 'chatt'"),
        ("[models]\nchat = 3", "models.chat must be a table"),
        ('[models.chat]\nmodle = "x"', "unknown key 'modle'; it may hold context"),
        ('[models.chat]\napi_key = "x"', "keys never stand in this file: key_env or key_ring"),
        ("[models.chat]\nmodel = 3", "models.chat.model must be a short text"),
        ('[models.chat]\nmodel = "a\\nb"', "models.chat.model must be a short text"),
        ('[models.chat]\nprovider = "openia"', "models.chat.provider = 'openia' must be one of openai-compatible, openai"),
        ('[models.chat]\nmodel = "x"', "models.chat names a model without its url"),
        ('[models.default]\nmodel = "x"', "models.default names a model without its url"),
        ('[models.chat]\nurl = "localhost:11434"', "is not an http address"),
        ('[models.chat]\nurl = "http://a b/"', "is not an http address"),
        ('[models.chat]\nurl = "http://127.0.0.1:99999/v1"', "is not an http address"),
        ('[models.chat]\nurl = "https://me:secretword@example.org/v1"', "holds credentials"),
        ('[models.chat]\nkey_env = "MY KEY"', "must be the name of an environment variable"),
        ('[models.chat]\nkey_ring = "memtree"', "service/user"),
        ('[models.chat]\nkey_env = "A"\nkey_ring = "a/b"', "key_env or key_ring, not both"),
        ("[models.chat]\ntemperature = 3", "models.chat.temperature must be a number from 0 to 2"),
        ("[models.chat]\ntimeout = 0", "models.chat.timeout must be a number from 0.1 to 3,600"),
        ("[models.chat]\nretries = 1.5", "models.chat.retries must be a whole number from 0 to 10"),
        ("[models.chat]\nmax_tokens = true", "models.chat.max_tokens must be a whole number"),
        ("[models.chat]\ntimeout = nan", "models.chat.timeout must be a number"),
    ],
)
def test_a_wrong_table_is_refused_with_what_is_wrong(text: str, says: str) -> None:
    with pytest.raises(InvalidSettings) as error:
        parse(text.encode())
    assert says in str(error.value)


KEY = "sk-" + "proj-Zq4" + "xT9bLw2RkV7nYc3Hd8Js5Pf1Gm6"


@pytest.mark.parametrize("line", [f'key_env = "{KEY}"', f'key_ring = "{KEY}"', f'api_key = "{KEY}"', f'provider = "{KEY}"'])
def test_a_key_in_the_file_is_refused_and_not_repeated(line: str) -> None:
    with pytest.raises(InvalidSettings) as error:
        parse(f"[models.chat]\n{line}\n".encode())
    assert KEY not in str(error.value)
