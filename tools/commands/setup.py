"""init, clone, remote: making a workspace and saying where it syncs to."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from memtree.tools.commands.common import amount, counted, json_option, notes, opens_workspace, say, say_lines, screen, some
from memtree.tools.render import Look, table
from memtree.tree.errors import UserError

if TYPE_CHECKING:
    from memtree.engine.adopt import Found
    from memtree.engine.capture import Survey
    from memtree.engine.workspace import Workspace


@click.command()
@click.argument("path", default=".", type=click.Path())
@click.option("--content", metavar="DIR", help="Where agents' memory goes (memory_tree/content).")
@click.option("--remote", metavar="URL", help="A git remote to sync with.")
@click.option("--git-dir", "git_folder", metavar="DIR", help="Keep the git directory outside (for cloud-synced folders).")
@json_option
def init(path: str, content: str | None, remote: str | None, git_folder: str | None, as_json: bool) -> None:
    """Make PATH a workspace: a new folder, a folder of notes, an Obsidian vault or a git repository.

    No file of yours is changed or moved. Says what it found and what the first save will capture.

    Example: memtree init ~/notes
    """
    from memtree.engine.workspace import Workspace

    apart = os.path.abspath(os.path.expanduser(git_folder)) if git_folder is not None else None
    workspace, found = Workspace.init(path, content=content, remote=remote, git_folder=apart)
    with workspace:
        _report(workspace, found, as_json=as_json, verb="init")
    if content is not None and content.strip("/") != found.settings.content:
        notes([f"--content was not taken: it is {found.settings.content} there already (memtree.toml says so)"])
    if git_folder is not None and not found.new:
        notes(["--git-dir was not taken: the workspace has a git directory already"])


@click.command()
@click.argument("url")
@click.argument("path", required=False, type=click.Path())
@json_option
def clone(url: str, path: str | None, as_json: bool) -> None:
    """Get the workspace at URL into the new folder PATH (by default named as the remote is), ready to search and sync.

    Example: memtree clone /media/usb/memory.git ~/notes
    """
    from memtree.engine.workspace import Workspace

    local = os.path.abspath(os.path.expanduser(url)) if os.path.exists(os.path.expanduser(url)) else url
    workspace, found = Workspace.clone(local, path or _name_of(url))
    with workspace:
        workspace.refresh_index()
        _report(workspace, found, as_json=as_json, verb="clone")


def _name_of(url: str) -> str:
    """The folder that a clone goes to when none is named, as git chooses it."""
    name = re.split(r"[/:]", url.rstrip("/").removesuffix("/.git"))[-1].removesuffix(".git")
    if not name or name.startswith("."):
        raise click.UsageError("name the folder to clone into: memtree clone URL PATH")
    return name


def _report(workspace: Workspace, found: Found, *, as_json: bool, verb: str) -> None:
    survey = workspace.capture.survey()
    if as_json:
        due = [{"path": path, "size": _size(workspace, path)} for path in survey.due]
        shown = {
            "root": found.root,
            "kind": found.kind,
            "new": found.new,
            "branch": found.settings.branch,
            "content": found.settings.content,
            "capture": found.settings.capture,
            "device": workspace.device,
            "to_capture": due,
            "left": survey.left,
            "warnings": found.warnings,
        }
        screen().json(shown)
        return
    if verb == "clone":
        files = sum(1 for _ in workspace.repo.files(workspace.repo.tip("HEAD")))
        say(f"Cloned into {found.root}: {counted(files, 'file')} on branch {found.settings.branch}.")
    elif found.new:
        say(f"{found.root} is a memtree workspace now (it was {_a(found.kind)}; branch {found.settings.branch}).")
    else:
        say(f"{found.root} is a memtree workspace already; nothing was changed.")
    _tell_survey(workspace, found, survey)
    notes(found.warnings)


def _a(words: str) -> str:
    return f"an {words}" if words[0] in "AEIOUaeiou" else f"a {words}"


def _tell_survey(workspace: Workspace, found: Found, survey: Survey) -> None:
    if survey.due:
        size = sum(_size(workspace, path) for path in survey.due)
        kinds: dict[str, int] = {}
        for path in survey.due:
            kinds[path.suffix or "no extension"] = kinds.get(path.suffix or "no extension", 0) + 1
        top = ", ".join(f"{number:,} {kind}" for kind, number in sorted(kinds.items(), key=lambda item: -item[1])[:4])
        say(f"To capture with the next save, search or sync: {counted(len(survey.due), 'file')} ({top}; {amount(size)}).")
    if not found.settings.capture:
        say(f"It has commits of its own, so memtree captures only {found.settings.content}/ and its own files at the root")
        say('(MEMORY.md, SKILL.md, ...); add paths to capture = [...] in memtree.toml for more ("**" is everything).')
        say("Nothing is pushed before memtree remote add says where.")
    elif found.new and found.kind == "new folder":
        say("Put notes into it, in any editor; then: memtree save, memtree search WORDS, memtree log.")
    left = [f"{left.path} ({left.reason})" for left in survey.left]
    for words in some(left, 10, "memtree status lists them"):
        say(f"Left alone: {words}", Look.FAINT)


def _size(workspace: Workspace, path: str) -> int:
    try:
        return os.lstat(os.path.join(workspace.root, path)).st_size
    except OSError:
        return 0


@click.group()
def remote() -> None:
    """Show and choose the remotes to sync with."""


@remote.command("add")
@click.argument("name")
@click.argument("url", required=False)
@click.option("--pull-only", is_flag=True, help="Only take from it, such as from what somebody else publishes.")
@click.option("--push-only", is_flag=True, help="Only give to it, such as to a backup.")
@json_option
@opens_workspace
def remote_add(workspace: Workspace, name: str, url: str | None, pull_only: bool, push_only: bool, as_json: bool) -> None:
    """Sync with the git remote NAME at URL from now on (without URL: a git remote that exists).

    Example: memtree remote add origin /media/usb/memory.git
    """
    from memtree.engine.transport import Direction

    if pull_only and push_only:
        raise UserError("a remote cannot be both pulled from only and pushed to only", hint="give one of the two options, or none")
    direction = Direction.PULL if pull_only else Direction.PUSH if push_only else Direction.BOTH
    added = workspace.remotes.add(name, url, direction)
    if as_json:
        screen().json(added)
    else:
        say(f"Remote {added.name} is {added.url}. Run memtree sync to exchange commits with it.")


@remote.command("list")
@json_option
@opens_workspace
def remote_list(workspace: Workspace, as_json: bool) -> None:
    """List the remotes that this workspace syncs with."""
    remotes = workspace.remotes.all()
    if as_json:
        screen().json(remotes)
    elif remotes:
        say_lines(table(("NAME", "URL", "SYNC"), [(one.name, one.url, one.direction.value) for one in remotes]))
    else:
        say("No remote yet: memtree remote add origin URL")


@remote.command("remove")
@click.argument("name")
@json_option
@opens_workspace
def remote_remove(workspace: Workspace, name: str, as_json: bool) -> None:
    """Stop syncing with a remote. What came from it stays."""
    workspace.remotes.remove(name)
    if as_json:
        screen().json({"removed": name})
    else:
        say(f"Remote {name} is removed; nothing in the workspace changed.")
