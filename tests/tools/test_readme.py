"""What the README shows is run, and prints what the README says; only ids, times, folders and the names of machines may differ."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from memtree.engine.meaning import CONSENT_KEY, KEY_CONSENT_KEY
from memtree.engine.model_settings import RoleModel
from memtree.engine.settings import Settings, parse
from memtree.hooks.daemon.control import stop
from memtree.hooks.place import find_place
from memtree.indexers.weights import FusionWeights
from support.cli import environment
from support.gitrepo import GitRepo

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
PROMPT = re.compile(r"(?:(?P<machine>laptop|desktop):)?(?P<folder>~\S*)\$ (?P<command>.*)")
# Eight letters without a digit are an id too, now and then; no English word has them all from a to f.
ID, TIME = re.compile(r"\b[0-9a-f]{8}\b"), re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d")
PROCESS = re.compile(r"(?<=\(process )\d+")
SECONDS = re.compile(r"(?<= iterations, )\d+\.\d(?= s\b)")
DEVICE = re.compile(r"[\w-]+-[0-9a-f]{4}(?=, TIME)")
NOTES = {
    "projects/heron.md": "---\ntitle: Heron\n---\n# Heron\n\nThe certificate renewal is due in May.\n",
    "projects/garden.md": "# Garden\nTomatoes after the frost.\n",
    "journal/2026-03-09.md": "今天和图书馆的同事开会，讨论了全文检索。\n",
}
# What somebody may have elsewhere, to be imported.
ELSEWHERE = {
    "Downloads/mail.mbox": (
        "From bob@example.org Mon Mar  9 10:00:00 2026\n"
        "From: Bob <bob@example.org>\nTo: Ada <ada@example.org>\nSubject: Sunday\n"
        "Date: Mon, 9 Mar 2026 10:00:00 +0000\nMessage-ID: <1@example.org>\n\n"
        "My bicycle has a flat tyre, so I will come by train.\n\n"
        "From carol@example.org Tue Mar 10 10:00:00 2026\n"
        "From: Carol <carol@example.org>\nTo: Ada <ada@example.org>\nSubject: Roof\n"
        "Date: Tue, 10 Mar 2026 10:00:00 +0000\nMessage-ID: <2@example.org>\n\n"
        "The carpenter sent his invoice: 840 euros, to be paid by the end of the month.\n\n"
    ),
    "Downloads/holiday.jsonl": (
        '{"name": "Ada", "content": "Where shall we go this summer?", "timestamp": "2026-03-01T10:00:00Z"}\n'
        '{"name": "Bob", "content": "To the coast, by ferry to the islands.", "timestamp": "2026-03-02T10:00:00Z"}\n'
    ),
    "old-notes/sourdough.html": "<h1>Sourdough</h1><p>Flour, water and salt; bake it for <b>50 minutes</b>.</p>",
    "old-notes/fence.txt": "Paint the fence in spring.\n",
}


@dataclass(frozen=True, slots=True)
class Shown:
    """A command of the README and the lines that stand below it."""

    machine: str
    folder: str
    command: str
    output: list[str]


def shown() -> Iterator[Shown]:
    for block in re.findall(r"^```console\n(.*?)^```$", README, re.MULTILINE | re.DOTALL):
        current: Shown | None = None
        for line in block.splitlines():
            prompt = PROMPT.fullmatch(line)
            if prompt:
                if current is not None:
                    yield current
                command = re.sub(r"\s{2,}# .*", "", prompt["command"])
                current = Shown(prompt["machine"] or "laptop", prompt["folder"], command, [])
            elif current is not None:
                current.output.append(line)
        if current is not None:
            yield current


def bash(command: str, home: Path, folder: str) -> str:
    tools = f"{os.path.dirname(sys.executable)}:{os.environ['PATH']}"
    env = environment({"HOME": str(home), "PATH": tools, "EDITOR": "sed -i s/May/June/"})
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=os.path.join(home, folder.removeprefix("~").lstrip("/")),
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, (command, done.stdout.decode())
    return done.stdout.decode()


@pytest.fixture
def homes(tmp_path: Path) -> Iterator[dict[str, Path]]:
    found = {name: tmp_path / name for name in ("laptop", "desktop", "usb")}
    for home in found.values():
        home.mkdir()
    notes = {f"notes/{path}": text for path, text in NOTES.items()}
    for path, text in (notes | ELSEWHERE).items():
        full = found["laptop"] / path
        full.parent.mkdir(parents=True, exist_ok=True)
        full.write_text(text, encoding="utf-8")
    yield found
    for machine in ("laptop", "desktop"):
        place = find_place(str(found[machine] / "notes"))
        if place is not None:
            stop(place)  # the daemon of a step behind which another one failed


def test_every_command_of_the_readme_prints_what_stands_there(homes: dict[str, Path]) -> None:
    ids: dict[str, str] = {}  # as the README has them -> as they are here
    steps = list(shown())
    assert len(steps) > 12
    for step in steps:
        command = ID.sub(lambda match: ids.get(match[0], match[0]), step.command)
        said = bash(command.replace("/media/usb", str(homes["usb"])), homes[step.machine], step.folder)
        said = said.replace(str(homes[step.machine]), "/home/ada").replace(str(homes["usb"]), "/media/usb")
        expected = "\n".join(step.output).rstrip()
        if expected:
            assert masked(said.rstrip()) == masked(expected), step.command
            ids.update(zip(ID.findall(expected), ID.findall(said), strict=True))
    for machine in ("laptop", "desktop"):
        assert GitRepo(homes[machine] / "notes").git("status", "--porcelain") == ""


def masked(text: str) -> str:
    return SECONDS.sub("SECONDS", PROCESS.sub("PROCESS", DEVICE.sub("DEVICE", TIME.sub("TIME", ID.sub("ID", text)))))


def test_the_python_of_the_readme_runs(homes: dict[str, Path]) -> None:
    (program,) = re.findall(r"^```python\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    bash("memtree init", homes["laptop"], "~/notes")
    (homes["laptop"] / "program.py").write_text(program, encoding="utf-8")
    said = bash(f"{sys.executable} ../program.py", homes["laptop"], "~/notes")
    assert "agents/today.md 1 " in said
    assert "projects/heron.md" in said


def test_the_main_words_for_a_start_stand_on_the_first_screen() -> None:
    first = "\n".join(README.splitlines()[:60])
    for words in ("pip install", "memtree init", "memtree save", "memtree search", "memtree log", "memtree undo"):
        assert words in first


def settings_of_the_readme(head: str = "setting") -> dict[str, str]:
    """The names in a table of settings, with their defaults as they stand there."""
    table = README[README.index(f"| {head} | default |") :].split("\n\n")[0]
    found = {}
    for line in table.splitlines()[2:]:
        names, defaults = (re.findall(r"`([^`]+)`", cell) for cell in line.split("|")[1:3])
        # Some of their keys are called as those of other tables are.
        table = f"{names[0][1:-1]}." if names[0] in ("[wiki]", "[facts]") else ""
        found.update(zip([table + name for name in names if name[0] != "["], defaults, strict=False))
    return found


def test_the_table_of_settings_has_every_setting_with_its_default() -> None:
    defaults = Settings()
    plain = {
        "content": defaults.content,
        "branch": defaults.branch,
        "capture": list(defaults.capture),
        "librarian": defaults.librarian,
    }
    tables = (
        asdict(FusionWeights())
        | asdict(defaults.embedding)
        | asdict(defaults.watch)
        | {"pii": sorted(defaults.redact.pii), "sync": defaults.hooks.sync}
        | asdict(defaults.learning)
        | {f"wiki.{name}": value for name, value in asdict(defaults.wiki).items()}
        | {f"facts.{name}": value for name, value in asdict(defaults.facts).items()}
    )
    limits = defaults.segments.limits
    segments = {
        "max_turns_per_segment": limits.max_turns,
        "max_time_gap_secs": int(limits.max_gap),
        "min_cosine_similarity": limits.min_cosine,
        "close_idle_secs": int(defaults.segments.close_idle),
    }
    everything = plain | {"durability": defaults.durability.value, "mode": defaults.search.mode.value} | tables | segments
    shown = settings_of_the_readme()
    assert shown.pop("markers").startswith(json.dumps(list(limits.markers[:1]))[:-1])
    assert shown == {name: json.dumps(value) for name, value in everything.items()}


def test_the_table_of_a_model_has_every_setting_with_its_default() -> None:
    expected = {name: json.dumps(value) for name, value in asdict(RoleModel()).items()}
    assert settings_of_the_readme("setting of a model") == expected


def test_the_settings_that_the_readme_shows_are_read() -> None:
    shown = re.findall(r"^```toml\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)
    every = [parse(one.encode()) for one in shown]
    assert [one.unknown for one in every] == [()] * len(shown)
    found = next(one for one in every if one.embedding.url)
    assert f"`git config {CONSENT_KEY} {found.embedding.url}`" in README.replace("\n", " ")
    pair = f"{found.embedding.key_env} {found.embedding.url}"
    assert f"`git config {KEY_CONSENT_KEY} '{pair}'`" in README.replace("\n", " ")
