"""tree: asking the memory tree, a subcommand a mode."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

import click

from memtree.engine.memory_tree.asked import LONGEST_BODY, Parameter
from memtree.engine.memory_tree.modes import MODES
from memtree.tools.commands.common import json_option, notes, opens_workspace, progress, say, say_lines, screen
from memtree.tools.render import Look, table
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace

_EXAMPLES = {
    "walk": "memtree tree walk who renews the certificate --since 30d",
    "smart_walk": "memtree tree smart-walk who renews the certificate",
    "search_entities": "memtree tree search-entities ada --kind name",
    "query_source": "memtree tree query-source invoices --source-id mail",
    "query_global": "memtree tree query-global --since 7d",
    "query_topic": "memtree tree query-topic name:ada --query where she lives",
    "cover_window": "memtree tree cover-window --since 2026-03-01 --until 2026-03-31",
    "drill_down": "memtree tree drill-down 5f0c6a1e9b7d4c3f8a2b1c0d9e8f7a6b --max-depth 2",
    "fetch_leaves": "memtree tree fetch-leaves notes/heron.md#2",
    "list_sources": "memtree tree list-sources",
    "ingest_document": "memtree tree ingest-document page.md --title 'Release notes' --source-id https://example.org/notes",
}
_ARGUMENTS = {"query": "QUERY", "node_id": "NODE", "entity_id": "ENTITY", "chunk_ids": "LEAF"}
_NAMES = {"sources": "--source", "kinds": "--kind"}
_TYPED_OTHERWISE = {"since_ms", "until_ms", "time_window_days", "body"}
_METAVARS = {"since": "WHEN", "until": "WHEN", "sources": "NAME", "source_id": "NAME", "source_kind": "KIND", "kinds": "KIND"}


class _Modes(click.Group):
    """The subcommands, with dashes or underscores."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name.replace("_", "-"))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return [mode.replace("_", "-") for mode in MODES]


@click.group(cls=_Modes, invoke_without_command=True)
@click.pass_context
def tree(context: click.Context) -> None:
    """Ask the memory tree: entities, summaries and sources, without a model. Without a mode the modes are listed."""
    if context.invoked_subcommand is None:
        rows = [(mode.replace("_", "-"), facts.about) for mode, facts in MODES.items()]
        say_lines(table(("MODE", "WHAT IT ANSWERS"), rows))
        say("memtree tree MODE --help says how each is asked.", Look.FAINT)


def _command(mode: str) -> click.Command:
    facts = MODES[mode]

    @json_option
    @opens_workspace
    def ask(workspace: Workspace, as_json: bool, document: IO[str] | None = None, **typed: Any) -> None:
        parameters = {name: _value(value) for name, value in typed.items() if value not in (None, (), "")}
        if document is not None:
            parameters["body"] = _read(document)
        _answered(workspace, mode, parameters, as_json=as_json)

    beside = any(parameter.name in _ARGUMENTS and parameter.name != "query" for parameter in facts.parameters)
    run: Callable[..., Any] = ask
    for parameter in reversed(facts.parameters):
        if parameter.name not in _TYPED_OTHERWISE:
            run = _asked_by(parameter, beside=beside)(run)
    if any(parameter.name == "body" for parameter in facts.parameters):
        run = click.argument("document", type=click.File(encoding="utf-8", errors="replace"), metavar="FILE", default="-")(run)
    name = mode.replace("_", "-")
    return click.command(name, help=f"{facts.about}\n\nExample: {_EXAMPLES[mode]}", short_help=facts.about)(run)


def _asked_by(parameter: Parameter, *, beside: bool) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The argument or option that a parameter is typed as. What is wrong with its value, the mode tells.

    A query is an option where it stands `beside` another argument.
    """
    name = parameter.name
    if name in _ARGUMENTS and (name != "query" or not beside):
        return click.argument(name, nargs=-1, metavar=f"{_ARGUMENTS[name]}...", required=parameter.required)
    number = parameter.form == "integer"
    return click.option(
        *(("-n",) if name == "limit" else ()),
        _NAMES.get(name, f"--{name.replace('_', '-')}"),
        name,
        type=click.Choice(parameter.choices) if parameter.choices and len(parameter.choices) < 5 else int if number else str,
        default=parameter.default,
        show_default=parameter.default is not None,
        required=parameter.required,
        multiple=parameter.form == "array",
        metavar=_METAVARS.get(name) if not parameter.choices or len(parameter.choices) >= 5 else None,
        help=parameter.about,
    )


def _value(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _read(document: IO[str]) -> str:
    if document is sys.stdin and sys.stdin.isatty():
        raise UserError("there is no document", hint="name a file, or pass the text on standard input")
    return document.read(LONGEST_BODY + 1)


def _answered(workspace: Workspace, mode: str, parameters: dict[str, object], *, as_json: bool) -> None:
    from memtree.engine.memory_tree.as_json import as_json as jsoned
    from memtree.engine.memory_tree.modes import run_mode

    for name in ("query", "node_id", "entity_id"):
        if name in parameters:
            typed = parameters[name]
            parameters[name] = " ".join(map(str, typed)) if isinstance(typed, list) else typed
    with progress("indexing") as step:
        answer = run_mode(workspace, mode, parameters, progress=step)
    out = screen()
    if as_json:
        out.json(jsoned(answer, mode))
        return
    from memtree.tools.tree_view import answer_lines

    say_lines(answer_lines(answer, str(parameters.get("query", "")), columns=out.columns))
    notes(answer.notes)


for _mode in MODES:
    tree.add_command(_command(_mode))
