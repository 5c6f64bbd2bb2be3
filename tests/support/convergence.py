"""A fleet: two to four workspaces of one person around a bare remote, and what must hold of them all.

What people and programs do to a file goes through here, so that the oracle is told of it first.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from memtree.engine.conflicts import OpenConflict
from memtree.tree.objects import CommitId
from memtree.tree.paths import RepoPath
from support.device import Buffer, Device, Unindexed, quiet
from support.faultlab import quick_folder
from support.machines import Clock, Machines, options
from support.note_edits import companions, edited, heading_words, touched, words_in
from support.oracle import Act, Oracle

NAMES = ("a", "b", "c", "d")
START: dict[str, str] = {
    "MEMORY.md": "# Memory\n\n## Patterns\n\n- w1 w2 w3 ^m-1\n- w4 w5 w6 ^m-2\n\n## Facts\n\n- w7 w8 ^m-3\n",
    "notes/plan.md": (
        "---\ntitle: w10 w11\ntags:\n- w12\n- w13\n---\n\n# w14 w15\n\nw16 w17 w18 w19 w20\n\nw21 w22 w23 w24\n\n"
        "- w25 w26\n- w27 w28\n- w29 w30\n\n## w31 w32\n\nw33 w34 w35 w36\n\nw37 w38 w39\n"
    ),
    "notes/deep/trip.md": "w40 w41 w42 w43\n\nw44 w45 w46\n\nw47 w48 w49 w50\n",
    "notes/list.txt": "w51 w52\nw53 w54\nw55 w56\nw57 w58\n",
}
_FIRST_WORD = 100


class Fleet:
    """The devices, their remote and the oracle, in a folder that `close` removes."""

    def __init__(self, count: int) -> None:
        self.folder = quick_folder()
        shutil.copytree(_template(), self.folder, dirs_exist_ok=True, symlinks=True)
        self.remote = os.path.join(self.folder, "remote.git")
        self.oracle = Oracle()
        self.devices: list[Device] = []
        for name in NAMES[:count]:
            self.devices.append(self._device(name))
        self._words = _FIRST_WORD
        self.oracle.acknowledged = self.devices[0].held()
        self.oracle.headings = {word for data in self.devices[0].notes().values() for word in heading_words(data)}
        for device in self.devices:
            device.seen = device.held()

    def _device(self, name: str) -> Device:
        root = os.path.join(self.folder, name)
        config = Path(root, ".git", "config")
        config.write_text(config.read_text().replace(_template(), self.folder))
        clock = Clock()
        return Device(name, Unindexed.open(root, options(clock)), clock)

    def words(self, count: int) -> str:
        self._words += count
        return " ".join(f"w{number}" for number in range(self._words - count, self._words))

    def close(self) -> None:
        for device in self.devices:
            device.workspace.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def with_conflicts(self) -> list[Device]:
        return [device for device in self.devices if any(b"[!conflict]" in data for data in device.notes().values())]

    # -- acts
    def save_text(self, device: Device, path: str, after: bytes, *, atomic: bool) -> None:
        """A person saves what they made of the file as it is."""
        full = Path(device.full(path))
        before = full.read_bytes() if full.exists() else b""
        self._note(device, path, before, after)
        put(full, after, atomic=atomic)

    def open_buffer(self, device: Device, path: str) -> None:
        device.buffers[path] = self._buffer(device, device.read(path))

    def _buffer(self, device: Device, data: bytes) -> Buffer:
        return Buffer(data, len(self.oracle.acts), device.tip_now(), device.time.now, device.by_hand)

    def save_buffer(self, device: Device, path: str, after: bytes) -> None:
        """A person saves what they made of a text they opened earlier, and so does the engine.

        What came since on the disk, the editor overwrites; but not what pulls brought into a file that was changed by nothing else.
        """
        buffer = device.buffers.pop(path)
        full = Path(device.full(path))
        here = words_in(full.read_bytes()) if full.exists() else set()
        overwritten = set() if self._is_safe(device, path, buffer, after) else here - words_in(after)
        self._note(device, path, buffer.data, after, since=buffer.since, view=buffer.view, revived=words_in(after) - here)
        self.oracle.superseded |= overwritten
        put(full, after, atomic=True)
        device.save()
        self.check(device, saved=True)

    def _is_safe(self, device: Device, path: str, buffer: Buffer, after: bytes) -> bool:
        """Whether only pulls of the last hour changed the file since, and the save is still the old text rather than a new one."""
        old, new = words_in(buffer.data), words_in(after)
        acts = (one for one in self.oracle.acts[buffer.since :] if one.device == device.name)
        return (
            all(path not in (one.path, one.moved_to) for one in acts)
            and (device.time.now, device.by_hand) == (buffer.time, buffer.by_hand)
            and device.status() == []
            and os.path.exists(device.full(path))
            and (b"\r\n" in after) == (b"\r\n" in buffer.data) == (b"\r\n" in device.read(path))
            and len(old & new) * 2 > len(old)
        )

    # -- programs
    def committed_path(self, device: Device, pick: int) -> str:
        repo = device.workspace.repo
        paths = sorted(str(path) for path, _ in repo.files(repo.tip("HEAD")) if path != "memtree.toml")
        return paths[pick % len(paths)] if paths else ""

    def read(self, device: Device, path: str) -> None:
        """A program reads the committed version."""
        repo = device.workspace.repo
        entry = repo.entry(repo.tip("HEAD"), RepoPath(path))
        assert entry is not None
        device.readings[path] = self._buffer(device, repo.blob(entry.id))

    def write(self, device: Device, path: str, kind: str, picks: Sequence[int], *, lives: bool = True) -> None:
        """A program writes what it made of the version that it read, perhaps a while ago."""
        reading = device.readings.pop(path)
        self._write(device, path, reading, edited(path, reading.data, kind, picks, self.words), lives=lives)

    def _write(self, device: Device, path: str, reading: Buffer, after: bytes, *, lives: bool = True) -> None:
        self._note(device, path, reading.data, after, since=reading.since, view=reading.view, waits=lives)
        name, repo = RepoPath(path), device.workspace.repo
        base = repo.entry(CommitId(reading.view), name)
        device.workspace.write({name: after}, f"write {path}\n\nMemtree-Writer: cli\n", bases={name: base})

    def remember(self, device: Device, heading: str) -> bool:
        """Append an entry below a heading of MEMORY.md; False when there is no such place any more."""
        repo = device.workspace.repo
        entry = repo.entry(repo.tip("HEAD"), RepoPath("MEMORY.md"))
        data = repo.blob(entry.id) if entry is not None else b""
        mark = f"## {heading}\n\n".encode()
        if mark not in data:
            return False
        before, after = data.split(mark, 1)
        end = after.find(b"\n\n") + 1 or len(after)
        text = self.words(3)
        line = f"- {text} ^m-{text.split()[0]}\n".encode()
        self._write(device, "MEMORY.md", self._buffer(device, data), before + mark + after[:end] + line + after[end:])
        return True

    def note_resolution(self, device: Device, conflict: OpenConflict, chosen: int) -> None:
        """Somebody takes one version of a conflict: what only the others hold goes on purpose."""
        texts = [words_in(version.text.encode()) for version in conflict.versions]
        gone = set().union(*texts) - texts[chosen - 1]
        self._add(device, conflict.path, set().union(*texts), gone)

    def note_markers(self, device: Device, torn: Mapping[str, bytes]) -> None:
        """Git put these stretches between its markers: somebody committed them so."""
        for path, data in torn.items():
            self._add(device, path, words_in(data))

    def _add(self, device: Device, path: str, touched: set[bytes], removed: Iterable[bytes] = (), *, moved_to: str = "") -> None:
        act = Act(
            device.name, path, len(self.oracle.acts), device.tip_now(), touched, dict.fromkeys(removed, touched), moved_to=moved_to
        )
        self.oracle.add(act, set())

    def remove(self, device: Device, path: str) -> None:
        self._note(device, path, device.read(path), b"", whole=True)
        device.remove(path)

    def rename(self, device: Device, path: str, target: str) -> None:
        self._add(device, path, words_in(device.read(path)), moved_to=target)
        device.move(path, target)

    def _note(
        self,
        device: Device,
        path: str,
        before: bytes,
        after: bytes,
        *,
        since: int | None = None,
        view: str = "",
        revived: set[bytes] = frozenset(),  # type: ignore[assignment]
        whole: bool = False,
        waits: bool = True,
    ) -> None:
        oracle = self.oracle
        oracle.headings |= heading_words(after)
        removed = words_in(before) - words_in(after)
        # What stands in another file too is not gone with this one.
        twice = removed & device.elsewhere(path)
        changed = words_in(before) if whole else touched(path, before, after)
        number = len(oracle.acts) if since is None else since
        gone = companions(path, before, removed - twice)
        act = Act(device.name, path, number, view or device.tip_now(), changed | revived, gone, whole, done=waits)
        oracle.add(act, words_in(after) - words_in(before) if waits else set())
        oracle.superseded |= twice

    # -- what must hold at any time
    def check(self, device: Device, *, saved: bool = False) -> None:
        """Nothing that was in the device's commits is gone without somebody's will; after a save, nothing that was saved either."""
        held, awaited = device.held(), self.oracle.awaited(device.name)
        lost = device.seen - self.oracle.superseded - held
        assert not lost, f"{device.name} lost {sorted(lost)}"
        lost = awaited - held - (set() if saved else device.shown())
        assert not lost, f"{device.name} lost what was saved since: {sorted(lost)}"
        if saved:
            uncommitted = device.status()
            # A deletion must settle before a sync believes it.
            assert all(line.startswith(" D") for line in uncommitted), f"{device.name}: {uncommitted}"
            if not uncommitted:
                self.oracle.acknowledge(device.name, device.tip_now())
        device.seen |= held

    # -- the end
    def settle(self) -> None:
        """Everybody is online and saves; then all agree within twice as many rounds as there are devices, and stay idle."""
        refuse(self.remote, False)
        for device in self.devices:
            device.connect(True)
            device.time.tick(10)
            device.save()
            self.check(device, saved=True)
        for _ in range(2 * len(self.devices)):
            if self._agreed():
                break
            for device in self.devices:
                device.exchange(quiet)
                self.check(device, saved=True)
        assert self._agreed(), f"no agreement: {[device.subjects('-5') for device in self.devices]}"
        tips = [device.tip_now() for device in self.devices]
        for _ in range(3):
            for device in self.devices:
                said: list[str] = []
                device.exchange(said.append)
                assert not any(word.startswith("sending") for word in said), f"{device.name} is not idle"
        assert [device.tip_now() for device in self.devices] == tips, "a commit while idle"

    def _agreed(self) -> bool:
        trees = {device.workspace.repo.tree(device.workspace.repo.tip("HEAD")) for device in self.devices}  # type: ignore[arg-type]
        tips = {device.tip_now() for device in self.devices} | {bare_tip(self.remote)}
        return len(trees) == 1 and len(tips) == 1

    def check_end(self) -> None:
        for device in self.devices:
            device.assert_sound()
            assert not device.workspace.store.leftovers()
        final = self.devices[0].shown()
        lost = self.oracle.owed() - final
        assert not lost, f"lost: {sorted(lost)}"
        repo = self.devices[0].workspace.repo
        returned = self.oracle.returned(final, repo.contains)  # type: ignore[arg-type]
        # To take back just what a pull brought looks like a save from before it: that is told, and `undo` takes it back.
        returned -= self.devices[0].brought_back()
        assert not returned, f"returned: {sorted(returned)}"


def put(full: Path, data: bytes, *, atomic: bool) -> None:
    """Save as editors do: by a temporary file and a rename, or into the file itself."""
    full.parent.mkdir(parents=True, exist_ok=True)
    if atomic:
        temp = full.with_name(full.name + ".swp")
        temp.write_bytes(data)
        os.replace(temp, full)
    else:
        with open(full, "wb") as file:
            file.write(data)


def refuse(remote: str, refusing: bool) -> None:
    """Let the remote refuse every push, or take them again."""
    hook = Path(remote, "hooks", "pre-receive")
    if refusing:
        hook.parent.mkdir(exist_ok=True)
        hook.write_text("#!/bin/sh\nexit 1\n")
        hook.chmod(hook.stat().st_mode | stat.S_IXUSR)
    else:
        hook.unlink(missing_ok=True)


def bare_tip(remote: str) -> str:
    ref = Path(remote, "refs", "heads", "main")
    if ref.exists():
        return ref.read_text().strip()
    packed = Path(remote, "packed-refs").read_text().splitlines()
    return next(line.split()[0] for line in packed if line.endswith(" refs/heads/main"))


_made: list[str] = []


def _template() -> str:
    """A remote and four clones that hold the same, made once; every fleet is a copy."""
    if not _made:
        folder = quick_folder()
        machines = Machines(Path(folder))
        machines.first(START, name=NAMES[0])
        for name in NAMES[1:]:
            machines.clone(name)
        machines.close()
        _made.append(folder)
    return _made[0]


def forget_template() -> None:
    while _made:
        shutil.rmtree(_made.pop(), ignore_errors=True)
