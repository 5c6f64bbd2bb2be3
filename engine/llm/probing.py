"""Probing: whether a model answers at all, keeps to a form, and can work with tools."""

from __future__ import annotations

from dataclasses import dataclass

from memtree.engine.llm.asking import Asker, BadReply, Tool
from memtree.engine.llm.errors import ModelBroken
from memtree.engine.llm.usage import Usage

_WORD = "heron"


@dataclass(frozen=True, slots=True)
class Probe:
    """What a model can do. `form` and `tools` are '' where all is well, else what was wrong."""

    form: str
    tools: str
    usage: Usage


def probe(asker: Asker, role: str) -> Probe:
    """Ask a role's model two small things; raise ModelNotConfigured, ModelBroken or ModelAway where it does not answer."""
    form, first = _keeps_to_a_form(asker, role)
    tools, second = _calls_a_tool(asker, role)
    return Probe(form, tools, first + second)


def _keeps_to_a_form(asker: Asker, role: str) -> tuple[str, Usage]:
    from pydantic import BaseModel

    class Word(BaseModel):
        """One word."""

        word: str

    try:
        answer = asker.ask_typed(role, "You repeat words.", f"Repeat this word: {_WORD}", Word)
    except BadReply as error:
        return str(error), error.usage
    return "", answer.usage


def _calls_a_tool(asker: Asker, role: str) -> tuple[str, Usage]:
    said: list[str] = []

    def say_word(word: str) -> str:
        said.append(word)
        return "It was said."

    tool = Tool("say_word", "Say one word aloud.", say_word)
    try:
        run = asker.run_agent(role, "You say words with your tool.", f"Say this word: {_WORD}", [tool], request_limit=2)
    except BadReply as error:
        return str(error), error.usage
    except ModelBroken as error:  # it answered before: a server that refuses tools
        return str(error), Usage()
    return ("" if said else "it answered without calling the tool that it was given"), run.usage
