"""Settings files on a real disk: links, modes, other programs that write at the same time."""

from __future__ import annotations

import json
import os
import stat
import threading
from pathlib import Path

import pytest

from memtree.engine.files import Durability, Files
from memtree.hooks.connect.connecting import connect, connected_to, disconnect, hooks_target, server_target
from memtree.hooks.connect.errors import NoHome, NotASettingsFile, ReadOnlySettings, UnsteadySettings, UnusableSettings
from memtree.hooks.connect.settings_file import Backup, Changed, Edit, SettingsFile
from memtree.tree.errors import UserError

MEMTREE = ("/bin/memtree",)
THEIRS = b'{\n\t"model": "opus",\n\t"hooks": {}\n}'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "home").mkdir()
    return tmp_path / "home"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_new_settings_are_the_users_alone_and_go_again(home: Path) -> None:
    target = hooks_target("codex", {"HOME": str(home)})
    done = connect(target, MEMTREE, "/notes")
    path = home / ".codex" / "hooks.json"
    assert (mode(path), mode(path.parent), done.change.backup) == (0o600, 0o700, None)
    assert connected_to(target) == "/notes"
    disconnect(target)
    assert names(path.parent) == []
    assert disconnect(target).outcome.value == "not connected"


def test_a_folder_is_not_made_to_disconnect(home: Path) -> None:
    assert disconnect(hooks_target("codex", {"HOME": str(home)})).outcome.value == "not connected"
    assert names(home) == []


@pytest.mark.parametrize("content", [THEIRS, b"", b"\xef\xbb\xbf{}\r\n", b"{ }"])
def test_the_file_comes_back_with_its_bytes_and_mode(home: Path, content: bytes) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    path.chmod(0o664)
    target = hooks_target("claude-code", {"HOME": str(home)})
    done = connect(target, MEMTREE, "/notes")
    backup = path.with_name("settings.json.before-memtree")
    assert done.change.backup == str(backup)
    assert (backup.read_bytes(), mode(backup), mode(path)) == (content, 0o664, 0o664)
    moved = connect(target, MEMTREE, "/other")
    assert (moved.outcome.value, moved.previous) == ("moved", "/notes")
    assert backup.read_bytes() == content
    before = path.lstat()
    assert connect(target, MEMTREE, "/other").outcome.value == "already connected"
    assert path.lstat().st_mtime_ns == before.st_mtime_ns
    disconnect(target)
    assert (path.read_bytes(), mode(path), names(path.parent)) == (content, 0o664, ["settings.json"])


def test_a_copy_from_long_ago_is_replaced(home: Path) -> None:
    path = home / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(b'{"new": 1}')
    path.with_name("mcp.json.before-memtree").write_bytes(b'{"old": 1}')
    target = server_target("cursor", {"HOME": str(home)}, "linux")
    connect(target, MEMTREE, "/notes")
    assert path.with_name("mcp.json.before-memtree").read_bytes() == b'{"new": 1}'
    disconnect(target)
    assert path.read_bytes() == b'{"new": 1}'


def test_a_link_is_written_through(home: Path, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "claude.json"
    real.parent.mkdir()
    real.write_bytes(THEIRS)
    link = home / ".claude" / "settings.json"
    link.parent.mkdir()
    link.symlink_to(os.path.relpath(real, link.parent))
    target = hooks_target("claude-code", {"HOME": str(home)})
    connect(target, MEMTREE, "/notes")
    assert link.is_symlink()
    assert b"hook claude-code" in real.read_bytes()
    assert names(real.parent) == ["claude.json"]
    disconnect(target)
    assert (real.read_bytes(), names(link.parent), link.is_symlink()) == (THEIRS, ["settings.json"], True)


def test_a_read_only_file_is_left_alone(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(THEIRS)
    path.chmod(0o444)
    for dry_run in (True, False):
        with pytest.raises(ReadOnlySettings, match="is read-only"):
            connect(hooks_target("claude-code", {"HOME": str(home)}), MEMTREE, "/notes", dry_run=dry_run)
    assert (path.read_bytes(), names(path.parent)) == (THEIRS, ["settings.json"])


@pytest.mark.parametrize("content", [b'{"a": 1,}', b"// mine\n{}", b"\xff\xfe{\0}\0", b"[]", b'{"hooks": 1}', b'{"a": 1, "a": 2}'])
def test_what_is_refused_is_not_touched(home: Path, content: bytes) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(UnusableSettings) as caught:
        connect(hooks_target("claude-code", {"HOME": str(home)}), MEMTREE, "/notes")
    assert str(caught.value).startswith(str(path))
    assert "/bin/memtree -w /notes hook claude-code" in caught.value.hint
    assert (path.read_bytes(), names(path.parent)) == (content, ["settings.json"])


def test_a_folder_in_the_place_of_the_file_is_told(home: Path) -> None:
    (home / ".claude" / "settings.json").mkdir(parents=True)
    with pytest.raises(NotASettingsFile):
        connect(hooks_target("claude-code", {"HOME": str(home)}), MEMTREE, "/notes")


def test_a_home_is_needed(tmp_path: Path) -> None:
    for environment in ({}, {"HOME": str(tmp_path / "gone")}):
        with pytest.raises(NoHome):
            hooks_target("claude-code", environment)
    found = hooks_target("claude-code", {"CLAUDE_CONFIG_DIR": str(tmp_path / "c")})
    assert found.path == str(tmp_path / "c" / "settings.json")


def test_where_each_program_keeps_its_settings(home: Path) -> None:
    plain = {"HOME": str(home)}
    moved = plain | {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_CONFIG_HOME": "/g"}

    def paths(environment: dict[str, str], platform: str) -> list[str]:
        agents = [hooks_target(name, environment).path for name in ("claude-code", "codex")]
        clients = ("claude-code", "claude-desktop", "cursor", "codex")
        return agents + [server_target(name, environment, platform).path for name in clients]

    below = [".claude/settings.json", ".codex/hooks.json", ".claude.json"]
    rest = [".cursor/mcp.json", ".codex/config.toml"]
    linux, mac = ".config/Claude/claude_desktop_config.json", "Library/Application Support/Claude/claude_desktop_config.json"
    assert paths(plain, "linux") == [str(home / one) for one in (*below, linux, *rest)]
    assert paths(plain, "darwin") == [str(home / one) for one in (*below, mac, *rest)]
    assert paths(moved, "linux") == [
        "/c/settings.json",
        "/x/hooks.json",
        "/c/.claude.json",
        "/g/Claude/claude_desktop_config.json",
        str(home / ".cursor/mcp.json"),
        "/x/config.toml",
    ]


# -- other programs at the same time


def counted_up(now: bytes | None, _saved: bytes | None) -> Edit:
    return Edit(b"%d" % (int(now or b"0") + 1), Backup.KEEP)


def test_runs_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    path = str(tmp_path / "file")

    def run() -> None:
        for _ in range(10):
            SettingsFile(path, Files(Durability.FAST)).change(counted_up)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (tmp_path / "file").read_bytes() == b"40"
    assert names(tmp_path) == ["file"]


def test_two_installs_at_once_connect_once(home: Path) -> None:
    path = home / ".claude" / "settings.json"
    path.parent.mkdir()
    path.write_bytes(THEIRS)
    target = hooks_target("claude-code", {"HOME": str(home)})
    outcomes: list[str] = []
    threads = [threading.Thread(target=lambda: outcomes.append(connect(target, MEMTREE, "/notes").outcome.value)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["already connected", "connected"]
    stops = json.loads(path.read_bytes())["hooks"]["Stop"]
    assert len(stops) == 1
    disconnect(target)
    assert path.read_bytes() == THEIRS


def meddled(path: Path, writes: dict[str, list[bytes | None]], *, exchange: bool = True, at: Path | None = None) -> Files:
    """A door to the disk: before a step on `at` (or `path`) another program writes `path`, or removes it (None)."""

    def observe(step: str, where: str) -> None:
        due = writes.get(step, [])
        if where != str(at or path) or not due:
            return
        content = due.pop(0)
        if content is None:
            path.unlink()
            return
        other = path.with_name("other")
        other.write_bytes(content)
        other.replace(path)

    return Files(Durability.FULL, observe, exchange_supported=exchange)


def marked(now: bytes | None, _saved: bytes | None) -> Edit:
    return Edit((now or b"") + b"+ours", Backup.WRITE)


@pytest.mark.parametrize(
    ("writes", "expected"),
    [
        ([b"theirs"], b"theirs+ours"),
        ([b"one", b"two"], b"two+ours"),
        ([b"one", b"two", b"three"], b"three+ours"),
        ([None], b"+ours"),
        ([b"one", None], b"+ours"),
    ],
)
def test_an_edit_in_the_very_moment_is_kept(tmp_path: Path, writes: list[bytes | None], expected: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o640)
    SettingsFile(str(path), meddled(path, {"exchange": list(writes)})).change(marked)
    assert path.read_bytes() == expected
    assert names(tmp_path) == (["file", "file.before-memtree"])


def test_a_file_that_appears_in_the_very_moment_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    SettingsFile(str(path), meddled(path, {"rename_new": [b"theirs"]})).change(marked)
    assert (path.read_bytes(), path.with_name("file.before-memtree").read_bytes()) == (b"theirs+ours", b"theirs")


def test_an_edit_as_the_file_is_taken_away_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"ours")

    def gone(now: bytes | None, _saved: bytes | None) -> Edit:
        return Edit(None if now == b"ours" else now)

    files = meddled(path, {"rename": [b"theirs"]}, at=tmp_path / "file.memtree-new")
    SettingsFile(str(path), files).change(gone)
    assert (path.read_bytes(), names(tmp_path)) == (b"theirs", ["file"])


def test_without_an_exchange_a_change_that_was_seen_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    done = SettingsFile(str(path), meddled(path, {"exchange": [b"theirs"]}, exchange=False)).change(marked)
    assert (done.after, path.read_bytes(), names(tmp_path)) == (b"theirs+ours", b"theirs+ours", ["file", "file.before-memtree"])


def test_a_file_that_never_rests_is_given_up(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    count = 0

    def observe(step: str, where: str) -> None:
        nonlocal count
        # Before each exchange that puts ours there; not as it is taken back.
        if step == "exchange" and not path.read_bytes().endswith(b"+ours"):
            count += 1
            path.write_bytes(b"%d" % count)

    with pytest.raises(UnsteadySettings):
        SettingsFile(str(path), Files(Durability.FAST, observe)).change(marked)
    assert b"+ours" not in path.read_bytes()
    assert "file.memtree-new" not in names(tmp_path)


def test_a_failed_write_leaves_the_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def full(step: str, where: str) -> None:
        if step == "exchange":
            raise OSError(28, "No space left on device", where)

    with pytest.raises(OSError, match="No space"):
        SettingsFile(str(path), Files(Durability.FULL, full)).change(marked)
    assert (path.read_bytes(), names(tmp_path)) == (b"old", ["file", "file.before-memtree"])


def test_a_plan_that_refuses_leaves_nothing(tmp_path: Path) -> None:
    def refused(_now: bytes | None, _saved: bytes | None) -> Edit:
        raise UserError("no")

    with pytest.raises(UserError):
        SettingsFile(str(tmp_path / "new" / "file")).change(refused)
    assert names(tmp_path) == []


def test_a_preview_writes_nothing(home: Path) -> None:
    target = hooks_target("claude-code", {"HOME": str(home)})
    found = connect(target, MEMTREE, "/notes", dry_run=True)
    assert found.change == Changed(None, found.change.after, None)
    assert names(home) == []
