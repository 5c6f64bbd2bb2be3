"""What `hooks` does for git: its hooks in the workspace's own repository, and telling what was done."""

from __future__ import annotations

import os
import shutil
import sys

from memtree.engine.workspace import Workspace
from memtree.hooks.connect.command_line import program_words
from memtree.hooks.githooks.installing import HookDone, HooksDone, Outcome, State, install, standing, uninstall
from memtree.hooks.githooks.scripts import program_of
from memtree.hooks.githooks.serving import PRE_PUSH
from memtree.tools.commands.common import notes, say, screen
from memtree.tools.exits import explain
from memtree.tree.errors import Error

GIT = "git"


def install_git_hooks(workspace: Workspace, *, dry_run: bool, as_json: bool) -> None:
    """Let git call memtree in this repository, and tell what was done."""
    program = program_words(shutil.which("memtree"), sys.argv[0], sys.executable)
    done = install(workspace.repo, program, dry_run=dry_run)
    if as_json:
        _show(done, workspace.root, dry_run=dry_run)
        return
    changed = _named(done, Outcome.INSTALLED, Outcome.CHAINED, Outcome.UPDATED)
    if changed:
        say(f"Git {'would call' if dry_run else 'calls'} memtree now: {_listed(changed)} ({done.folder}).")
    else:
        say(f"Git calls memtree already; nothing was changed ({done.folder}).")
    if PRE_PUSH in changed and not dry_run:
        say("A push of yours is looked through for secrets first, as memtree push is.")
    _tell_rest(done, dry_run=dry_run)


def uninstall_git_hooks(workspace: Workspace, *, dry_run: bool, as_json: bool) -> None:
    """Let git call what it called before, and tell what was done."""
    done = uninstall(workspace.repo, dry_run=dry_run)
    if as_json:
        _show(done, None, dry_run=dry_run)
        return
    changed = _named(done, Outcome.REMOVED, Outcome.RESTORED)
    if changed:
        restored = _named(done, Outcome.RESTORED)
        again = f"; {_listed(restored)} {'is' if len(restored) == 1 else 'are'} as before" if restored else ""
        say(f"Git {'would not call' if dry_run else 'does not call'} memtree any more ({done.folder}){again}.")
    elif not _named(done, Outcome.LEFT):
        say(f"Git does not call memtree; nothing was changed ({done.folder}).")
    _tell_rest(done, dry_run=dry_run)


def git_connection(workspace: Workspace) -> dict[str, str]:
    """How the hooks of a workspace's repository stand, as a row among the connections of agents."""
    try:
        folder, states = standing(workspace.repo)
    except Error as error:
        return {"agent": GIT, "workspace": "", "file": "", "error": explain(error).message}
    ours = [name for name, state in states.items() if state in (State.OURS, State.CALLED)]
    programs = {_program(os.path.join(folder, name)) for name in ours if states[name] is State.OURS}
    troubles = [f"{program} is gone" for program in sorted(programs) if program and not os.access(program, os.X_OK)]
    troubles += [f"{name} was edited" for name, state in states.items() if state is State.EDITED]
    missing = [name for name, state in states.items() if state in (State.NONE, State.OTHER)]
    if ours and missing:
        troubles.append(f"not {_listed(missing)}: install again")
    return {"agent": GIT, "workspace": workspace.root if ours else "", "file": folder, "error": "; ".join(troubles)}


def _program(path: str) -> str:
    with open(path, "rb") as file:
        return program_of(file.read())


def _named(done: HooksDone, *outcomes: Outcome) -> list[str]:
    return [hook.name for hook in done.hooks if hook.outcome in outcomes]


def _listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _tell_rest(done: HooksDone, *, dry_run: bool) -> None:
    notes([hook.note for hook in done.hooks if hook.note])
    if dry_run:
        say("Nothing was written: this was a dry run.")


def _show(done: HooksDone, root: str | None, *, dry_run: bool) -> None:
    screen().json(
        {
            "agent": GIT,
            "by": "hooks",
            "workspace": root,
            "folder": done.folder,
            "dry_run": dry_run,
            "hooks": [_shown(hook) for hook in done.hooks],
        }
    )


def _shown(hook: HookDone) -> dict[str, str]:
    return {"name": hook.name, "outcome": hook.outcome.value, "note": hook.note}
