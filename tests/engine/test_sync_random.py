"""Machines that edit and sync in random order, over one remote or a chain of two: they agree in the end, and nothing is lost."""

from __future__ import annotations

import os
import random
import re
from pathlib import Path

import pytest

from support.machines import Machine, Machines, bare

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.deep) for seed in range(3, 30))]
NAMES = ["a.md", "b.md", "notes/a.md", "notes/deep/c.md", "notes", "B.md"]


class Story:
    """Random hands on several machines. Every text ever saved is unique, so that it can be looked for."""

    def __init__(self, machines: Machines, seed: int) -> None:
        self.machines = machines
        self.random = random.Random(seed)
        self.count = 0
        self.saved: list[str] = []

    def edit(self, machine: Machine) -> None:
        held = [path for path in machine.notes() if "/." not in path]
        kind = self.random.choice(["write", "write", "write", "rewrite", "delete", "move"])
        try:
            if kind == "write":
                self.write(machine, self.random.choice(NAMES))
            elif kind == "rewrite" and held:
                self.write(machine, self.random.choice(held))
            elif kind == "delete" and held:
                machine.remove(self.random.choice(held))
            elif kind == "move" and held:
                source, target = self.random.choice(held), self.random.choice(NAMES)
                if not os.path.lexists(machine.full(target)):
                    machine.move(source, target)
        except (IsADirectoryError, NotADirectoryError, FileExistsError):
            pass  # a folder stands there; the person does something else

    def write(self, machine: Machine, path: str) -> None:
        self.count += 1
        machine.write(path, f"text {self.count}\n")
        self.saved.append(f"text {self.count}")

    def run(self, steps: int) -> None:
        for _ in range(steps):
            machine = self.random.choice(list(self.machines.all.values()))
            self.edit(machine)
            if self.random.random() < 0.5:
                machine.save()
                self.machines.clock.tick(self.random.randint(-50, 100))
            if self.random.random() < 0.4:
                machine.sync()
                # A deletion that has not settled waits; nothing else may be left.
                assert [line for line in machine.status() if not line.startswith(" D")] == []
        for machine in self.machines.all.values():
            machine.save()


def check(story: Story, machine: Machine) -> None:
    """Every text that was saved is in a file or in history (one commit may have replaced another's text before any save)."""
    seen = machine.git("log", "-p", "-m", "--format=")
    held = set(machine.committed())
    assert "memtree.toml" in held
    final = {text for data in machine.notes().values() for text in re.findall(r"text \d+", data.decode())}
    assert final <= set(story.saved)
    assert all(re.search(rf"^\+.*{text}$", seen, re.MULTILINE) for text in final)


@pytest.mark.parametrize("seed", SEEDS)
def test_machines_around_one_remote_agree(tmp_path: Path, seed: int) -> None:
    machines = Machines(tmp_path)
    machines.first({"a.md": "text 0\n"})
    machines.clone("b")
    machines.clone("c")
    story = Story(machines, seed)
    story.saved.append("text 0")
    story.run(25)
    machines.settle(rounds=3)
    machines.assert_agreed()
    check(story, machines.all["a"])
    machines.close()


@pytest.mark.parametrize("seed", SEEDS)
def test_machines_along_a_chain_of_remotes_agree(tmp_path: Path, seed: int) -> None:
    """a and b share one remote, b and c another, c and a a third: merges cross each other, with several bases."""
    machines = Machines(tmp_path)
    a = machines.first({"a.md": "text 0\n"})
    b, c = machines.clone("b"), machines.clone("c")
    for name, (one, two) in {"bc": (b, c), "ca": (c, a)}.items():
        url = bare(tmp_path / f"{name}.git")
        one.workspace.remotes.add(name, url)
        two.workspace.remotes.add(name, url)
    c.workspace.remotes.remove("origin")
    story = Story(machines, seed)
    story.saved.append("text 0")
    story.run(25)
    machines.settle(rounds=4)
    machines.assert_agreed()
    check(story, a)
    machines.close()
