"""Made-up trees: what several people do with the files of one base. Every line they write is one word that nobody wrote before."""

from __future__ import annotations

import re
from collections.abc import Mapping

from hypothesis import strategies as st

Files = dict[str, str]

_PATHS = ("a.md", "b.md", "d/a.md", "d/b.md", "d/e/c.md", "x/a.md", "a.txt", "d")
_FOLDERS = ("d", "d/e", "x", "y", "y/z", "")
_WORD = re.compile(rb"\bu[0-9a-z]+\b")


class Hands:
    """One person's edits."""

    def __init__(self, name: str, files: Mapping[str, str], draw: st.DrawFn) -> None:
        self.name, self.files, self.draw, self.count = name, dict(files), draw, 0

    def word(self) -> str:
        self.count += 1
        return f"u{self.name}{self.count}"

    def free(self, path: str) -> bool:
        return not any(path == held or path.startswith(f"{held}/") or held.startswith(f"{path}/") for held in self.files)

    def edit(self) -> None:
        kind = self.draw(st.sampled_from(("add", "change", "append", "delete", "move", "move folder", "begin anew", "swap")))
        held = sorted(self.files)
        if kind == "add" or not held:
            path = self.draw(st.sampled_from(_PATHS))
            if self.free(path):
                self.files[path] = "".join(f"{self.word()}\n\n" for _ in range(3))
            return
        path = self.draw(st.sampled_from(held))
        if kind == "delete":
            del self.files[path]
        elif kind == "move":
            self._move({path: self.draw(st.sampled_from(_PATHS))})
        elif kind == "begin anew":
            self._move({path: self.draw(st.sampled_from(_PATHS))})
            if self.free(path):
                self.files[path] = "".join(f"{self.word()}\n\n" for _ in range(3))
        elif kind == "swap":
            other = self.draw(st.sampled_from(held))
            self.files[path], self.files[other] = self.files[other], self.files[path]
        elif kind == "move folder":
            folder, target = self.draw(st.sampled_from(_FOLDERS)), self.draw(st.sampled_from(_FOLDERS))
            inside = [one for one in held if folder and one.startswith(f"{folder}/")]
            self._move({one: f"{target}/{one[len(folder) + 1 :]}".removeprefix("/") for one in inside})
        else:
            lines = self.files[path].splitlines(keepends=True)
            at = len(lines) if kind == "append" else self.draw(st.integers(0, max(len(lines) - 1, 0)))
            lines[at : at if kind == "append" else at + 1] = [f"{self.word()}\n"]
            self.files[path] = "".join(lines)

    def _move(self, names: Mapping[str, str]) -> None:
        moving = {old: self.files.pop(old) for old in names}
        for old, text in moving.items():
            self.files[names[old] if self.free(names[old]) else old] = text


@st.composite
def made_trees(draw: st.DrawFn, sides: int = 2) -> tuple[Files, list[Files]]:
    """A base and what `sides` people made of it."""
    maker = Hands("base", {}, draw)
    for path in draw(st.sets(st.sampled_from(_PATHS), min_size=1, max_size=5)):
        if maker.free(path):
            maker.files[path] = "".join(f"{maker.word()}\n\n" for _ in range(draw(st.integers(2, 6))))
    made = []
    for number in range(sides):
        hands = Hands(f"side{number}", maker.files, draw)
        for _ in range(draw(st.integers(0, 4))):
            hands.edit()
        made.append(hands.files)
    return maker.files, made


def words(files: Mapping[str, str] | Mapping[str, bytes]) -> set[bytes]:
    return {word for data in files.values() for word in _WORD.findall(data.encode() if isinstance(data, str) else data)}


def check_words(base: Files, sides: list[Files], held: Mapping[str, bytes]) -> None:
    """What anybody added is there; what one deleted and the others left alone is not; what nobody deleted is."""
    now, old = words(held), words(base)
    added = set().union(*map(words, sides)) - old
    assert added <= now, f"lost: {added - now}"
    for path, text in base.items():
        gone = [side for side in sides if not words({path: text}) & words(side)]
        if gone and all(side.get(path) == text for side in sides if side not in gone):
            assert not words({path: text}) & now, f"{path} returned"
    kept = old.intersection(*map(words, sides))
    assert kept <= now, f"nobody deleted: {kept - now}"
