"""Adopting a folder: `init` and `clone`. What is there is looked at and told, and no file of the user's is changed or moved."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field

from memtree.engine import settings as settings_module
from memtree.engine.git import Git, GitFailed
from memtree.engine.incoming import printable, refused
from memtree.engine.merge_driver import register
from memtree.engine.repo import Repo
from memtree.engine.repo_errors import NotARepository, UnsupportedRepository
from memtree.engine.scope import ROOT_FILES, TEMPORARY
from memtree.engine.settings import FILE_NAME, Settings
from memtree.engine.store.filters import OWN_ATTRIBUTES
from memtree.engine.transport import RemoteRefused, RemoteUnreachable, absolute, refuse_secret, translated
from memtree.engine.transport.cloning import clone_by_library
from memtree.engine.transport.git_program import unasking
from memtree.engine.transport.local import fill, move_ref, stand_on
from memtree.tree.errors import Error, StateError, UserError
from memtree.tree.redaction import without_credentials

DEVICE_KEY = "memtree.device"
_CLOUD = {
    "com~apple~clouddocs": "iCloud Drive",
    "mobile documents": "iCloud Drive",
    "cloudstorage": "a cloud drive",
    "dropbox": "Dropbox",
    "onedrive": "OneDrive",
    "google drive": "Google Drive",
    "googledrive": "Google Drive",
    "nextcloud": "Nextcloud",
    "pcloud": "pCloud",
    "syncthing": "Syncthing",
}
_BLOCK_BEGIN, _BLOCK_END = "# memtree: temporary files", "# memtree: end"


@dataclass(frozen=True, slots=True)
class Found:
    """What `init` or `clone` saw and set up."""

    root: str
    kind: str  # "new folder", "folder of notes", "Obsidian vault", "git repository"
    new: bool  # False when it was a workspace already
    settings: Settings
    warnings: tuple[str, ...] = field(default=())


def init(path: str, *, content: str | None = None, git_folder: str | None = None) -> Found:
    """Make `path` a workspace's folder: a repository, git's private files, and `memtree.toml` as bytes still to be committed."""
    root = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(root) and not os.path.isdir(root):
        raise UserError(f"{path} is not a folder", hint="give a folder, or a name that is free")
    toml = os.path.join(root, FILE_NAME)
    present = settings_module.load(root) if os.path.exists(toml) else None
    if present is not None and os.path.lexists(os.path.join(root, ".git")):
        prepare(Repo.open(root), present)
        return Found(root, "memtree workspace", False, present, tuple(_warnings(root)))
    _refuse_inside(root)
    kind = _kind(root)
    wanted = present or Settings(content=(content or settings_module.CONTENT_ROOT).rstrip("/"))
    settings_module.parse(settings_module.render(wanted), FILE_NAME)  # refused before anything is made
    os.makedirs(root, exist_ok=True)
    repo = _repository(root, git_folder, wanted.branch)
    if not repo.head():
        raise StateError("the repository is at a detached HEAD", hint="switch to the branch to keep memory on: git switch main")
    if present is None and repo.entry(repo.tip("HEAD"), FILE_NAME) is not None:
        raise settings_module.SettingsGone(root)  # other settings than those that travel would leave out what belongs to it
    has_commits = repo.tip("HEAD") is not None
    settings = present or Settings(
        content=wanted.content,
        branch=repo.head().removeprefix("refs/heads/"),
        # Nobody wants their source code committed by itself.
        capture=() if has_commits else ("**",),
    )
    prepare(repo, settings)
    repo.close()
    return Found(root, "git repository" if has_commits else kind, True, settings, tuple(_warnings(root)))


def clone(url: str, path: str, *, environment: Mapping[str, str] | None = None) -> str:
    """Fetch a workspace from a remote into a new folder and check it out byte-exact; return that folder.

    When any of it fails, nothing is left behind.
    """
    refuse_secret(url)
    root = os.path.abspath(os.path.expanduser(path))
    if os.path.lexists(root) and (not os.path.isdir(root) or os.listdir(root)):
        raise UserError(
            f"{path} is not empty", hint="choose a new folder; to join an existing one: memtree init, then memtree remote add"
        )
    parent, made = os.path.dirname(root), not os.path.lexists(root)
    os.makedirs(parent, exist_ok=True)
    try:
        git = Git(parent, environment)
        if git.present():
            _impatient(git).run("clone", "--quiet", "--no-checkout", "--origin", "origin", "--", absolute(url), root, timeout=None)
        else:
            clone_by_library(absolute(url), root, environment=environment)
        _check_out(root, environment)
    except BaseException as error:
        _remove(root, itself=made)
        if isinstance(error, GitFailed | RemoteUnreachable | RemoteRefused):
            raise _cannot_clone(url, error) from error
        raise
    return root


def _impatient(git: Git) -> Git:
    """A clone may take long, but not without a byte for a minute, nor with a question."""
    patience = {"GIT_HTTP_LOW_SPEED_LIMIT": "100", "GIT_HTTP_LOW_SPEED_TIME": "60"}
    chosen = git.call("config", "--get", "core.sshCommand", check=False).stdout.decode("utf-8", "replace").strip()
    return Git(git.folder, patience | unasking(git.environment, chosen or None))


def _cannot_clone(url: str, error: GitFailed | RemoteUnreachable | RemoteRefused) -> Error:
    if os.path.isabs(absolute(url)):
        return UserError(f"cannot clone: {error}", hint="check the path and that you may read it")
    return translated(without_credentials(url), error) if isinstance(error, GitFailed) else error


def _remove(root: str, *, itself: bool) -> None:
    """Take a failed clone away: the folder was empty, or was not there, before."""
    for name in os.listdir(root) if os.path.isdir(root) else ():
        full = os.path.join(root, name)
        if os.path.isdir(full) and not os.path.islink(full):
            shutil.rmtree(full)
        else:
            os.unlink(full)
    if itself and os.path.isdir(root):
        os.rmdir(root)


def prepare(repo: Repo, settings: Settings) -> None:
    """Write git's private files of this clone: byte-exact notes merged as ours, temporary names, this device's name."""
    info = os.path.join(repo.common_folder, "info")
    os.makedirs(info, exist_ok=True)
    whole = "**" in settings.capture
    curated = [f"/{name}" for name in ROOT_FILES if name.endswith(".md")]
    for pattern in ["*.md"] if whole else [f"/{settings.content}/**/*.md", *curated]:
        _add_line(os.path.join(info, "attributes"), pattern + OWN_ATTRIBUTES)
    register(repo)
    _add_block(os.path.join(info, "exclude"), [_BLOCK_BEGIN, *TEMPORARY, _BLOCK_END])
    if repo.config(DEVICE_KEY) is None:
        repo.set_config(DEVICE_KEY, device_name(socket.gethostname(), secrets.token_hex(2)))


def device_name(host: str, mark: str) -> str:
    """A readable name for this machine's commits, unique enough among one person's machines."""
    plain = re.sub(r"[^a-z0-9-]+", "-", host.split(".", maxsplit=1)[0].lower()).strip("-") or "device"
    return f"{plain}-{mark}"


def _repository(root: str, git_folder: str | None, branch: str) -> Repo:
    if os.path.lexists(os.path.join(root, ".git")):
        if git_folder is not None:
            raise UserError("this folder has a git directory already", hint="leave --git-dir out, or move .git there yourself")
        return Repo.open(root)
    if os.path.exists(os.path.join(root, "HEAD")) and os.path.isdir(os.path.join(root, "objects")):
        return Repo.open(root)  # a bare repository: refused there with advice
    if git_folder is not None and os.path.lexists(git_folder) and os.listdir(git_folder):
        raise UserError(f"{git_folder} is not empty", hint="give a new folder for the git directory")
    return Repo.create(root, git_folder=git_folder, branch=branch)


def _refuse_inside(root: str) -> None:
    """A workspace is a whole repository: refuse a folder inside another one."""
    here = os.path.dirname(root)
    while here != os.path.dirname(here):
        if os.path.lexists(os.path.join(here, ".git")) and not os.path.lexists(os.path.join(root, ".git")):
            try:
                Repo.open(here).close()
            except (NotARepository, UnsupportedRepository):
                return
            raise UserError(
                f"{root} lies inside the git repository {here}",
                hint=f"run memtree init {here} --content {os.path.relpath(root, here)}, or choose a folder outside",
            )
        here = os.path.dirname(here)


def _kind(root: str) -> str:
    if not os.path.isdir(root) or not os.listdir(root):
        return "new folder"
    if os.path.isdir(os.path.join(root, ".obsidian")):
        return "Obsidian vault"
    return "folder of notes"


def _warnings(root: str) -> list[str]:
    warnings = []
    cloud = cloud_service(root)
    if cloud and not os.path.isfile(os.path.join(root, ".git")):
        warnings.append(
            f"this folder looks synced by {cloud}, which can damage a git directory inside it; "
            "use --git-dir with a folder outside, and let memtree do the syncing"
        )
    return warnings


def cloud_service(root: str) -> str:
    """The cloud service that seems to sync a folder, by its path, or ''."""
    for part in root.lower().split(os.sep):
        for mark, name in _CLOUD.items():
            if part == mark or (part.startswith(mark) and part[len(mark) : len(mark) + 1] in (" ", "-", "(")):
                return name
    return ""


def _add_line(path: str, line: str) -> None:
    text = _read(path)
    if line not in text.splitlines():
        _write(path, text + ("" if not text or text.endswith("\n") else "\n") + line + "\n")


def _add_block(path: str, lines: list[str]) -> None:
    """Put our block of lines at the end, in place of an older version of it; everything else stays."""
    text = _read(path)
    block = "\n".join(lines) + "\n"
    rest = re.sub(rf"(?ms)^{re.escape(lines[0])}$.*?^{re.escape(lines[-1])}$\n?", "", text)
    wanted = rest + ("" if not rest or rest.endswith("\n") else "\n") + block
    if wanted != text and block not in text:
        _write(path, wanted)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _write(path: str, text: str) -> None:
    with open(path + ".memtree", "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(text)
    os.replace(path + ".memtree", path)


def _check_out(root: str, environment: Mapping[str, str] | None) -> None:
    """Fill a fresh clone's files, once git's private files make them byte-exact. A tree with refused paths is not checked out."""
    repo, git = Repo.open(root), Git(root, environment)
    branch = _choose_branch(repo)
    tip = repo.tip("HEAD")
    if tip is None:
        return
    for path, entry in repo.files(tip):
        reason = refused(repo, path, entry)
        if reason:
            raise StateError(
                f"the remote holds {printable(path)!r}, which is refused: {reason}; nothing was checked out",
                hint="rename or remove it on the machine that made it, then clone again",
            )
    toml = repo.entry(tip, FILE_NAME)
    settings = settings_module.parse(repo.blob(toml.id), FILE_NAME) if toml is not None else Settings(capture=())
    prepare(repo, settings)
    if git.present():
        git.run("checkout", "--quiet", branch, "--", timeout=None)  # with the filters of the user's own settings
    else:
        fill(repo.git_folder)
    repo.close()


def _choose_branch(repo: Repo) -> str:
    """Put HEAD on the remote's branch that holds a workspace, and return its name.

    The remote's own HEAD may name a branch that nobody ever made (a bare repository of an older git says `master`).
    """
    mark = "refs/remotes/origin/"
    tips = {name.removeprefix(mark): tip for name, tip in repo.refs(mark).items() if name != mark + "HEAD"}
    head = repo.head().removeprefix("refs/heads/")

    def rank(name: str) -> tuple[bool, bool, bool, bool, str]:
        return repo.entry(tips[name], FILE_NAME) is None, name != head, name != "main", name != "master", name

    branch = min(tips, key=rank, default="main")
    if branch != head:
        stand_on(repo.git_folder, f"refs/heads/{branch}", tips.get(branch))
        move_ref(repo.git_folder, f"refs/heads/{head}", None, durable=False)
    for key, value in (("remote", "origin"), ("merge", f"refs/heads/{branch}")):
        repo.set_config(f"branch.{branch}.{key}", value)
    return branch
