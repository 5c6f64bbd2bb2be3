"""Models as the agent library knows them. It, and the clients of the providers, are imported here and in `talk` alone.

Nothing of the environment decides where texts go or who is told of them: address, key and headers are given, tracing is off.
"""

from __future__ import annotations

import contextlib
import logging
import warnings
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from memtree.engine.llm.errors import ExtraMissing
from memtree.engine.model_settings import ANTHROPIC, COMPATIBLE

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

    from memtree.engine.llm.roles import Ready
    from memtree.engine.llm.wire import Line, Wire

_NO_KEY = "none"  # the clients want some key; the wire puts the real one on
# Bytes: an answer as long as was asked for, each token in an event of its own, is well below.
_ANSWER_BASE, _ANSWER_TOKEN = 1 << 17, 400
_TALKATIVE = ("openai", "anthropic", "httpx2", "httpcore2", "pydantic_ai")


@contextlib.asynccontextmanager
async def open_model(ready: Ready, pause: float) -> AsyncIterator[tuple[Model, Wire]]:
    """A role's model with the wire below it, closed in the end; raise ExtraMissing."""
    try:
        import httpx2
        import pydantic_ai  # noqa: F401 - missing packages are told apart from wrong ones

        from memtree.engine.llm.wire import Wire
    except ModuleNotFoundError as error:
        raise ExtraMissing(error.name or "a package") from None
    wire = Wire(_line(ready, pause))
    async with httpx2.AsyncClient(transport=wire, trust_env=False, follow_redirects=False, timeout=None) as http:
        try:
            model = _anthropic(ready, http) if ready.model.provider == ANTHROPIC else _openai(ready, http)
        except ModuleNotFoundError as error:
            raise ExtraMissing(error.name or "a package") from None
        _quieten()
        yield model, wire


def _line(ready: Ready, pause: float) -> Line:
    from memtree.engine.llm.wire import Line

    model = ready.model
    headers = {"x-api-key": ready.key} if model.provider == ANTHROPIC else {"authorization": f"Bearer {ready.key}"}
    return Line(
        address=model.address,
        model=model.model,
        timeout=model.timeout,
        retries=model.retries,
        limit=_ANSWER_BASE + _ANSWER_TOKEN * model.max_tokens,
        pause=pause,
        headers=headers if ready.key else {},
        key=ready.key,
        plain=model.provider == COMPATIBLE,
    )


def _openai(ready: Ready, http: httpx2.AsyncClient) -> Model:
    from openai import AsyncOpenAI
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai import OpenAIProvider

    client = AsyncOpenAI(base_url=ready.model.address, api_key=_NO_KEY, max_retries=0, http_client=http)
    # Servers that speak the protocol of others mostly know its oldest form alone.
    plain = OpenAIModelProfile(
        supports_json_object_output=False,
        supports_json_schema_output=False,
        openai_chat_supports_max_completion_tokens=False,
        openai_chat_supports_multiple_system_messages=False,
        openai_supports_strict_tool_definition=False,
    )
    profile = plain if ready.model.provider == COMPATIBLE else None
    return OpenAIChatModel(ready.model.model, provider=OpenAIProvider(openai_client=client), profile=profile)


def _anthropic(ready: Ready, http: httpx2.AsyncClient) -> Model:
    from anthropic import AsyncAnthropic
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    client = AsyncAnthropic(base_url=ready.model.address, api_key=_NO_KEY, max_retries=0, http_client=http, open_telemetry=False)
    return AnthropicModel(ready.model.model, provider=AnthropicProvider(anthropic_client=client))


def _quieten() -> None:
    """Keep what is asked out of logs, whatever the environment wants of the clients."""
    from pydantic_ai.exceptions import UnsupportedSettingWarning

    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)
    # A model that thinks by itself takes no temperature: it is left out, which nobody need be told each time.
    warnings.filterwarnings("ignore", category=UnsupportedSettingWarning)
    warnings.filterwarnings("ignore", message="Failed to extract usage")  # a server that counts wrongly
