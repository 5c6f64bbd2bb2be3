"""The `memtree` command: finds the workspace, runs one command, turns errors into a line and an exit code.

Each command lives in a module that is imported only when it is called: start-up time is a feature.
"""

from __future__ import annotations

import importlib
import keyword
import sys
from collections.abc import Sequence

import click

from memtree.tools import exits
from memtree.tools.agent_hook import without_veto
from memtree.tools.output import end, forgiving_streams
from memtree.tree.version import VERSION

# Command -> module and help line; the modules are not imported to list them.
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("setup", "Make a folder a workspace."),
    "clone": ("setup", "Get a workspace from a remote into a new folder."),
    "remote": ("setup", "Show and choose the remotes to sync with."),
    "save": ("memory", "Commit every edit made outside."),
    "import": ("bringing", "Bring documents, mail and chats from elsewhere into memory."),
    "search": ("memory", "Find notes by words and meaning."),
    "ask": ("ask", "Answer a question from memory, with sources."),
    "tree": ("tree", "Ask the memory tree: entities, summaries and sources."),
    "grep": ("grep", "Find lines by the letter, or by an expression."),
    "context": ("recalling", "Print what an agent is told of memory."),
    "goals": ("goals", "List and change your long-term goals."),
    "facts": ("facts", "Show what lasts of what was told, each a file, and change it."),
    "profile": ("profile", "Show what memory has learned of you, and decide about it."),
    "memory": ("memory_md", "List and change what is noted in MEMORY.md and SKILL.md."),
    "log": ("history", "Show the commits, newest first."),
    "wiki": ("wiki", "Build and show the summaries of what memory holds."),
    "review": ("history", "Show what is new since you last looked, and mark it read."),
    "show": ("history", "Print a file as it was."),
    "diff": ("history", "Show what changed."),
    "blame": ("history", "Show who wrote each line, and when."),
    "restore": ("history", "Bring a file or folder back as it was."),
    "undo": ("history", "Take one commit's changes back by a new commit."),
    "forget": ("forgetting", "Take a text out of every file, the indexes and unpushed history."),
    "watch": ("watching", "Save, index and sync edits as they are made."),
    "daemon": ("watching", "Do that in the background."),
    "service": ("service", "Have that start when you log in."),
    "sync": ("exchange", "Exchange commits with the remotes."),
    "pull": ("exchange", "Fetch and merge, without pushing."),
    "push": ("exchange", "Push, without merging."),
    "conflicts": ("conflicts", "List what merges left to decide."),
    "resolve": ("conflicts", "Settle a conflict with one of its versions."),
    "merge-driver": ("merging", "Merge one file for git, which calls it by itself."),
    "secrets": ("secrets", "Show what is held back or blocks a push, and allow it."),
    "hook": ("hook", "Serve an agent's event; record turns from scripts."),
    "hooks": ("hooks", "Connect an agent's hooks to a workspace, and disconnect them."),
    "agents": ("agents", "Show the agents that work on memory with a model."),
    "mcp": ("mcp", "Serve memory over MCP, and connect clients to it."),
    "librarian": ("librarian", "Show or choose the machine that does what only one must."),
    "models": ("models", "Show which models are asked, allow and test them."),
    "usage": ("models", "Show what models cost."),
    "status": ("care", "Show how the workspace stands."),
    "doctor": ("care", "Look for trouble, and repair it on request."),
    "reindex": ("care", "Build the search indexes anew."),
    "maintain": ("care", "Pack the history and tidy up."),
    "demo": ("showing", "Show two machines at work, in a temporary folder."),
    "bench": ("showing", "Measure memtree beside git."),
    "completion": ("showing", "Print the script that completes commands in a shell."),
}


# What people type who know git, grep or another tool -> our word for it.
OTHER_WORDS = {
    "add": "save",
    "autosave": "watch",
    "cat": "show",
    "check": "doctor",
    "checkout": "restore",
    "commit": "save",
    "connect": "hooks install",
    "disconnect": "hooks uninstall",
    "fetch": "pull",
    "find": "search",
    "fsck": "doctor",
    "gc": "maintain",
    "egrep": "grep --regex",
    "history": "log",
    "index": "reindex",
    "live": "watch",
    "logs": "daemon logs",
    "mergetool": "resolve",
    "redact": "forget",
    "repair": "doctor --repair",
    "reset": "restore",
    "revert": "undo",
    "rg": "grep",
    "serve": "daemon start",
    "start": "daemon start",
    "stop": "daemon stop",
    "version": "--version",
}


class LazyGroup(click.Group):
    """A group whose commands are imported when they are called."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if args[:1] == ["help"]:
            if len(args) == 1:
                click.echo(ctx.get_help())
                ctx.exit()
            args = [args[1], "--help"]
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            near = _nearest(args[0])
            meant = f"; did you mean: memtree {near}" if near else ""
            ctx.fail(f"there is no command {args[0]!r}{meant}")
        return super().resolve_command(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"memtree.tools.commands.{COMMANDS[cmd_name][0]}")
        found = getattr(module, cmd_name.replace("-", "_") + "_" * keyword.iskeyword(cmd_name))
        assert isinstance(found, click.Command)
        return found

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


def _nearest(word: str) -> str:
    import difflib  # only a typing error pays for it

    if word in OTHER_WORDS:
        return OTHER_WORDS[word]
    return next(iter(difflib.get_close_matches(word, COMMANDS, 1, 0.6)), "")


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.option("-w", "--workspace", metavar="FOLDER", help="The workspace; else MEMTREE_WORKSPACE, else upwards from here.")
@click.version_option(VERSION, "-V", "--version", prog_name="memtree", message="%(prog)s %(version)s")
@click.pass_context
def cli(ctx: click.Context, workspace: str | None) -> None:
    """Memory for AI agents as a folder of markdown: kept in git, searched at once, synced between machines."""
    ctx.obj = workspace


def run(words: Sequence[str]) -> int:
    """Run one command, tell its outcome, and return the exit code."""
    try:
        code = cli.main(args=list(words), prog_name="memtree", standalone_mode=False)
        sys.stdout.flush()
    except SystemExit as ended:  # click's own way out when the reader of a pipe is gone
        code = exits.BROKEN_PIPE if ended.code == 1 else ended.code
        sys.stdout = sys.stderr
    except BaseException as error:  # noqa: BLE001 - the last place an error can be told; bugs keep their traceback there
        code = exits.report(error, json="--json" in words)
    return without_veto(code, words) if isinstance(code, int) else 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Run one command and exit with the code of its outcome."""
    forgiving_streams()
    end(run(sys.argv[1:] if arguments is None else arguments))
