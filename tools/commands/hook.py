"""hook: what agents' programs call when something happens, and recording turns from scripts."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from memtree.hooks.githooks.serving import NOTICES, PRE_PUSH, notice
from memtree.tools.agent_hook import HookWords, run_hook
from memtree.tools.commands.common import counted, json_option, notes, opens_workspace, say, screen, workspace_place
from memtree.tools.commands.session_end import session_end
from memtree.tree.errors import StateError, UserError

if TYPE_CHECKING:
    from memtree.engine.workspace import Workspace
    from memtree.engine.writers.turns import TurnReport
    from memtree.hooks.worker import Done
    from memtree.tree.agent_turn import AgentTurn

_LARGEST = 16 * 1024 * 1024  # bytes of a turn as JSON
_PATIENCE = 30.0  # seconds that a person's flush waits for a worker
# An option of another version must not stop an agent.
_LENIENT = {"ignore_unknown_options": True, "allow_extra_args": True}


class BadTurn(UserError):
    """A turn that is not described as it should be."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the turn cannot be recorded: {reason}", hint="memtree hook turn --help and docs/hooks.md show how")


@click.group()
def hook() -> None:
    """What agents call: memtree hooks install sets it up. Also records turns from scripts."""


def _serve(agent: str, context: click.Context) -> None:
    run_hook(HookWords(agent, context.obj, tuple(context.args)))


@hook.command("claude-code", context_settings=_LENIENT, short_help="Serve an event of Claude Code.")
@json_option
@click.pass_context
def hook_claude_code(context: click.Context, as_json: bool) -> None:  # noqa: ARG001 - its answer is JSON in any case
    """Serve an event of Claude Code: its JSON on standard input, the answer on standard output. Always exits with 0.

    SessionStart and UserPromptSubmit are answered with what memory knows; Stop, PreCompact and SessionEnd record the turns from the
    transcript, in the background. What goes wrong stands in .git/memtree/hooks.log. MEMTREE_HOOKS=off turns it off.
    """
    _serve("claude-code", context)


@hook.command("codex", context_settings=_LENIENT, short_help="Serve an event of Codex.")
@json_option
@click.pass_context
def hook_codex(context: click.Context, as_json: bool) -> None:  # noqa: ARG001 - its answer is JSON in any case
    """Serve an event of Codex, as `memtree hook claude-code` does; also the JSON that its `notify` gives as an argument."""
    _serve("codex", context)


@hook.command("generic", context_settings=_LENIENT, short_help="Serve an event of any other agent.")
@click.option("--schema", is_flag=True, help="Print the JSON schema of the events.")
@json_option
@click.pass_context
def hook_generic(context: click.Context, schema: bool, as_json: bool) -> None:  # noqa: ARG001 - its answer is JSON in any case
    """Serve an event of any other agent, as the JSON schema describes it (docs/hooks.md). Always exits with 0."""
    if schema:
        from memtree.hooks.generic import SCHEMA

        screen().json(SCHEMA)
        return
    _serve("generic", context)


@hook.command("git", short_help="Serve a hook of git.")
@click.argument("name", type=click.Choice([*NOTICES, PRE_PUSH]))
@click.argument("words", nargs=-1)
@json_option
def hook_git(name: str, words: tuple[str, ...], as_json: bool) -> None:
    """Serve the hook NAME of git, with the WORDS that git gives it: memtree hooks install git lets git call it.

    The ones called after something let the daemon know. pre-push reads from standard input what is about to leave, looks it through
    for secrets as `memtree push` does, and exits with 3 where it must not, or where that could not be told.
    """
    if name != PRE_PUSH:
        told = notice(name, words, os.environ, os.getcwd())
        if as_json:
            screen().json({"hook": name, "told": told})
        return
    refused = _look_through(words, as_json=as_json)
    if refused:
        raise click.exceptions.Exit(refused)
    if as_json:
        screen().json({"hook": name, "refused": False})


def _look_through(words: Sequence[str], *, as_json: bool) -> int:
    """The exit code for a push, 0 where it may go on."""
    from memtree.engine.git_environment import inside_git_of_ours
    from memtree.engine.secrets.scan import PushBlocked
    from memtree.hooks.githooks.pushing import refuse_push
    from memtree.tools import exits

    if inside_git_of_ours(os.environ):
        return 0  # a sync has looked through what it sends
    try:
        lines = sys.stdin.buffer.read().decode("utf-8", "surrogateescape").split("\n")
        refuse_push("".join(words[:1]), filter(None, lines), os.environ, os.getcwd())
    except Exception as error:  # noqa: BLE001 - what could not be looked through does not leave, also for a bug
        exits.report(error, json=as_json)
        if not isinstance(error, PushBlocked):
            notes(["this push could not be looked through for secrets; git push --no-verify sends it all the same"])
        return exits.FAMILIES[StateError][1]
    return 0


@hook.command("turn", short_help="Record one turn of a conversation.")
@click.option("--session", metavar="ID", help="The conversation that the turn belongs to.")
@click.option("--user", metavar="TEXT", help="What the user asked.")
@click.option("--user-file", type=click.File("rb"), help="The same from a file.")
@click.option("--assistant", metavar="TEXT", help="What the agent answered.")
@click.option("--assistant-file", type=click.File("rb"), help="The same from a file.")
@click.option("--uuid", metavar="ID", help="The turn's id: one that is recorded already is not recorded again.")
@click.option("--timestamp", metavar="TIME", help="When the user spoke: RFC 3339, or seconds or milliseconds since 1970.")
@click.option("--model", metavar="NAME", help="Which model answered.")
@click.option("--cost", type=click.FloatRange(min=0), help="What it cost, in US dollars.")
@click.option("--tool", "tools", metavar="NAME", multiple=True, help="A tool that was called; may be repeated.")
@click.option("--failed-tool", "failed", metavar="NAME", multiple=True, help="A tool that was called and failed.")
@click.option("--stdin", "from_stdin", is_flag=True, help="Read the turn as a JSON object; so it is without a text option.")
@json_option
@opens_workspace
def hook_turn(workspace: Workspace, as_json: bool, from_stdin: bool, **options: Any) -> None:
    """Record one turn of a conversation, what the user asked and what the agent answered, in one commit.

    A JSON object on standard input holds session_id beside the fields of a turn in the schema (memtree hook generic --schema);
    what options say comes before what it says.

    Example: memtree hook turn --session s1 --user "Which port?" --assistant "8443."
    """
    texts = any(options[name] is not None for name in ("user", "user_file", "assistant", "assistant_file"))
    if not texts and not from_stdin and sys.stdin.isatty():
        raise BadTurn("nothing is given: it takes --session, --user and --assistant, or a JSON object on standard input")
    given = _from_stdin() if from_stdin or not texts else {}
    report = workspace.record_turn(_turn(given, options))
    if as_json:
        screen().json({"commit": report.commit.after, "outcome": report.outcome, "paths": report.paths, "notes": report.notes})
        return
    say(_told(report))
    notes(report.notes)


def _told(report: TurnReport) -> str:
    if not report.paths:
        return "This turn is recorded already."
    what = "The answer has grown" if report.outcome.value == "grown" else "Recorded"
    return f"{what}: {', '.join(report.paths)} ({(report.commit.after or '')[:8]})."


def _from_options(options: dict[str, Any]) -> dict[str, Any]:
    calls = [{"name": name} for name in options["tools"]] + [{"name": name, "failed": True} for name in options["failed"]]
    turn = {
        "user": _text(options["user"], options["user_file"]),
        "assistant": _text(options["assistant"], options["assistant_file"]),
        "tool_calls": calls or None,
        **{key: options[key] for key in ("uuid", "timestamp", "model", "cost")},
    }
    return {key: value for key, value in turn.items() if value is not None}


def _text(text: str | None, file: Any) -> str | None:
    if file is None:
        return text
    if text is not None:
        raise BadTurn("a text is given twice, as it is and by a file")
    return str(file.read(_LARGEST).decode("utf-8-sig", "replace"))


def _from_stdin() -> dict[str, Any]:
    from memtree.hooks.reading import parsed

    data = sys.stdin.buffer.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise BadTurn(f"more than {_LARGEST:,} bytes came")
    given = parsed(data)
    if given is None:
        raise BadTurn("what came on standard input is no JSON object")
    return given


def _turn(given: dict[str, Any], options: dict[str, Any]) -> AgentTurn:
    from memtree.hooks.delivery import turn_of
    from memtree.hooks.events import BadField
    from memtree.hooks.generic import parse

    session = given.get("session_id") if options["session"] is None else options["session"]
    if session is None:
        raise BadTurn("it names no session; give --session, or session_id in the JSON")
    event = {"event": "turn", "session_id": session, "turn": given | _from_options(options), "agent": given.get("agent", "cli")}
    try:
        found = parse(event)
    except BadField as error:
        raise BadTurn(str(error)) from error
    return turn_of(found.turn or {}, found.session, source=found.agent)


@hook.command("flush", short_help="Record what hooks left to record.")
@click.option("--quiet", is_flag=True, help="Say nothing, as the worker does that a hook starts; what goes wrong is logged.")
@click.option("--again", is_flag=True, help="Also try again what could not be recorded.")
@json_option
@click.pass_obj
def hook_flush(folder: str | None, quiet: bool, again: bool, as_json: bool) -> None:
    """Record what hooks left to record, bring the indexes up to date, and sync where a session began or ended."""
    if quiet:
        _work_quietly(folder, again=again)
        return
    from memtree.hooks.worker import Worker

    done = Worker(workspace_place(folder), patience=_PATIENCE).run(again=again)
    if as_json:
        screen().json(done)
    else:
        _tell_done(done)


def _work_quietly(folder: str | None, *, again: bool) -> None:
    from memtree.hooks.log import HookLog, told
    from memtree.hooks.worker import Worker

    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with contextlib.suppress(UserError):
        place = workspace_place(folder)
        try:
            Worker(place).run(again=again)
        except Exception as error:  # noqa: BLE001 - nobody else hears of it
            HookLog(place.state).line("worker", "", "", told(error))


def _tell_done(done: Done) -> None:
    if done.busy:
        say("Another worker is recording what waits.")
        return
    say(f"Recorded {counted(done.turns, 'turn')} of {counted(done.entries, 'event')}.")
    if done.waiting:
        say(f"{counted(done.waiting, 'event')} still to record; the next hook or memtree hook flush tries again.")
    if done.failed:
        say(f"{counted(done.failed, 'event')} could not be recorded.")
    notes(done.notes)


hook.add_command(session_end)
