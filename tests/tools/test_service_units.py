"""Services: units that systemd and launchd read back as they were meant, and files of which no person's edit is lost."""

from __future__ import annotations

import os
import plistlib
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memtree.hooks.connect.errors import UnspeakableFolder
from memtree.hooks.connect.service_install import EditedUnit, Unit, install, standing, uninstall, unit_of
from memtree.hooks.connect.service_unit import exec_line, is_as_written, launchd_plist, systemd_unit, unit_name
from support.cli import memtree
from support.gitrepo import GitRepo

PROGRAM = (os.path.abspath(sys.executable), "-P", "-m", "memtree.tools")
ODD = "/home/ada/My notes (50% \"new\" 'old' $HOME ${x} \\ ü 图书馆 ;#"

ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "s": " "}


def read_exec(line: str) -> list[str]:
    """The words that systemd makes of a line behind `ExecStart=`, by systemd.service(5) and systemd.syntax(7)."""
    literal = line.startswith(":")
    words = [re.sub("%(.)", _specifier, word) for word in split(line[literal:])]
    return words if literal else [words[0], *(re.sub(r"\$(.|$)", _variable, word) for word in words[1:])]


def split(line: str) -> list[str]:
    words: list[str] = []
    at = 0
    while at < len(line):
        if line[at].isspace():
            at += 1
            continue
        word, quote = "", ""
        while at < len(line) and (quote or not line[at].isspace()):
            letter = line[at]
            at += 1
            if quote and letter == quote:
                quote = ""
            elif not quote and letter in "\"'":
                quote = letter
            elif letter == "\\":
                word += ESCAPES.get(line[at], line[at])
                assert line[at] in ESCAPES or line[at] in "\\\"'", "an escape that systemd does not know"
                at += 1
            else:
                word += letter
        assert not quote, "a quote is open"
        words.append(word)
    return words


def _specifier(match: re.Match[str]) -> str:
    assert match[1] == "%", f"systemd would put something for {match[0]}"
    return "%"


def _variable(match: re.Match[str]) -> str:
    assert match[1] == "$", f"systemd would put a variable for {match[0]}"
    return "$"


WORD = st.text(
    st.one_of(st.sampled_from(" %$\"'\\;#:-+!@{}"), st.characters(codec="utf-8", exclude_categories=("Cc", "Cs"))), max_size=12
)


@given(st.text(st.sampled_from("ab $%\"'\\ü"), max_size=8), st.lists(WORD.filter(lambda word: word.strip() == word), max_size=5))
def test_systemd_reads_the_words_back(program: str, words: list[str]) -> None:
    told = [f"/{program.strip()}", *(f"/{word}" for word in words)]
    line = exec_line(told)
    assert "\n" not in line
    assert read_exec(line) == told


def unit(root: str, environment: dict[str, str], platform: str = "linux") -> Unit:
    return unit_of(root, PROGRAM, environment, platform, 501)


def test_a_unit_is_one_that_systemd_takes(tmp_path: Path) -> None:
    text = systemd_unit(ODD, [*PROGRAM, "-w", ODD, "daemon", "run", "--wait"])
    (line,) = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert read_exec(line) == [*PROGRAM, "-w", ODD, "daemon", "run", "--wait"]
    assert systemd_unit("/a\\", ["/x"]).count("\\\n") == 0
    analyse = shutil.which("systemd-analyze")
    if analyse is None:
        pytest.skip("systemd-analyze is not here")
    path = tmp_path / f"{unit_name(ODD)}.service"
    path.write_text(text, encoding="utf-8")
    env = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path), "HOME": str(tmp_path)}
    done = subprocess.run((analyse, "--user", "verify", str(path)), env=env, capture_output=True, check=False, timeout=60)
    said = done.stderr.decode()
    if "Failed to initialize manager" in said or "Failed to lookup" in said:
        pytest.skip(f"systemd-analyze cannot work here: {said}")
    assert (done.returncode, said) == (0, "")


def test_a_property_list_is_one_that_launchd_takes() -> None:
    words = [*PROGRAM, "-w", '/Users/ada/<My> & "notes"', "daemon", "run"]
    text = launchd_plist("memtree-notes-1", words)
    found = plistlib.loads(text.encode())
    assert (found["Label"], found["ProgramArguments"], found["RunAtLoad"]) == ("memtree-notes-1", words, True)
    assert found["KeepAlive"] == {"SuccessfulExit": False}
    assert is_as_written(text)


def test_names_are_readable_and_each_workspace_has_its_own(tmp_path: Path) -> None:
    names = [unit_name(path) for path in ("/home/ada/My Notes", "/home/bob/My Notes", "/home/ada/图书馆", "/" + "x" * 200)]
    assert [re.sub(r"-[0-9a-f]{8}$", "-ID", name) for name in names] == [
        "memtree-my-notes-ID",
        "memtree-my-notes-ID",
        "memtree-ID",
        f"memtree-{'x' * 40}-ID",
    ]
    assert len(set(names)) == 4
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert unit_name(str(tmp_path / "link"))[-8:] == unit_name(str(tmp_path / "real"))[-8:]


@pytest.mark.parametrize("root", ["/a\nb", "/a\udc80", "/a\x7f"])
def test_a_folder_that_no_unit_can_name_is_refused(root: str) -> None:
    with pytest.raises(UnspeakableFolder):
        unit(root, {"HOME": "/"})


@pytest.mark.parametrize("change", ["ExecStart=/bin/other\n", "# mine\n", " "])
def test_a_seal_tells_that_somebody_edited(change: str) -> None:
    for text in (systemd_unit("/a", ["/x"]), launchd_plist("a", ["/x"])):
        assert is_as_written(text)
        assert not is_as_written(text + change)
        assert not is_as_written(change)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    return {"HOME": str(home), "PATH": str(tmp_path / "bin"), "SECRET_TOKEN": "hunter" + "2x"}


def manager(folder: Path, name: str = "systemctl", *, fails: str = "") -> Path:
    """A service manager's program that writes down what it is told; what `fails` is in fails."""
    (folder / "bin").mkdir(exist_ok=True)
    program, told = folder / "bin" / name, folder / "told"
    fail = f'case "$*" in *{fails}*) echo "no bus" >&2; exit 1;; esac' if fails else ""
    program.write_text(f'#!/bin/sh\necho "$*" >> "{told}"\n{fail}\necho active\n')
    program.chmod(0o755)
    told.write_text("")
    return told


def test_installing_twice_is_installing_once(tmp_path: Path, environment: dict[str, str]) -> None:
    told = manager(tmp_path)
    mine = unit("/home/ada/notes", environment)
    done = install(mine, environment)
    assert (done.outcome, done.by_hand, done.said) == ("installed", (), "")
    path = tmp_path / "home" / ".config" / "systemd" / "user" / f"{mine.name}.service"
    assert mine.path == str(path)
    assert path.read_text() == mine.text
    assert "hunter" not in mine.text
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert told.read_text().splitlines() == ["--user daemon-reload", f"--user enable --now {mine.name}.service"]
    assert install(mine, environment).outcome == "installed already"
    assert os.listdir(path.parent) == [path.name]
    found = standing(mine, environment)
    assert (found.installed, found.edited, found.current, found.active) == (True, False, True, True)


def test_a_unit_of_another_version_is_brought_up_to_date(tmp_path: Path, environment: dict[str, str]) -> None:
    told = manager(tmp_path)
    install(unit_of("/home/ada/notes", ("/old/python", "-m", "memtree.tools"), environment, "linux", 501), environment)
    mine = unit("/home/ada/notes", environment)
    assert standing(mine, environment).current is False
    told.write_text("")
    assert install(mine, environment).outcome == "updated"
    assert Path(mine.path).read_text() == mine.text
    assert told.read_text().splitlines()[-1] == f"--user restart {mine.name}.service"


def test_uninstalling_ends_it_first(tmp_path: Path, environment: dict[str, str]) -> None:
    told = manager(tmp_path)
    mine = unit("/home/ada/notes", environment)
    assert uninstall(mine, environment).outcome == "not installed"
    assert told.read_text() == ""
    install(mine, environment)
    told.write_text("")
    assert uninstall(mine, environment).outcome == "uninstalled"
    assert not os.path.exists(mine.path)
    assert told.read_text().splitlines()[0] == f"--user disable --now {mine.name}.service"
    assert standing(mine, environment).installed is False


def test_what_a_person_edited_is_left_alone(tmp_path: Path, environment: dict[str, str]) -> None:
    told = manager(tmp_path)
    mine = unit("/home/ada/notes", environment)
    install(mine, environment)
    path = Path(mine.path)
    edited = mine.text.replace("Nice=5", "Nice=19")
    path.write_text(edited)
    told.write_text("")
    with pytest.raises(EditedUnit):
        install(mine, environment)
    with pytest.raises(EditedUnit):
        uninstall(mine, environment)
    assert path.read_text() == edited
    assert told.read_text() == ""
    assert standing(mine, environment).edited
    assert install(mine, environment, force=True).outcome == "updated"
    assert path.read_text() == mine.text
    path.write_text(edited)
    assert uninstall(mine, environment, force=True).outcome == "uninstalled"
    assert not path.exists()


@pytest.mark.parametrize("fails", ["daemon-reload", "enable", None])
def test_where_no_manager_answers_a_person_is_told_what_to_run(
    tmp_path: Path, environment: dict[str, str], fails: str | None
) -> None:
    if fails is not None:
        manager(tmp_path, fails=fails)
    mine = unit("/home/ada/notes", environment)
    done = install(mine, environment)
    assert done.outcome == "installed"
    assert done.by_hand == ("systemctl --user daemon-reload", f"systemctl --user enable --now {mine.name}.service")
    assert done.said == ("systemctl: no bus" if fails else "systemctl is not here")
    if fails is None:
        assert standing(mine, environment).active is None
        Path(mine.link).parent.mkdir()
        Path(mine.link).symlink_to(mine.path)  # enabled by hand
        gone = uninstall(mine, environment)
        assert gone.by_hand == (f"systemctl --user stop {mine.name}.service", "systemctl --user daemon-reload")
        assert not os.path.lexists(mine.link)


def test_launchd_is_told_by_its_own_program(tmp_path: Path, environment: dict[str, str]) -> None:
    told = manager(tmp_path, "launchctl", fails="bootout")
    mine = unit("/Users/ada/notes", environment, "darwin")
    assert install(mine, environment).said == ""
    assert mine.path == str(tmp_path / "home" / "Library" / "LaunchAgents" / f"{mine.name}.plist")
    assert plistlib.loads(Path(mine.path).read_bytes())["ProgramArguments"][-3:] == ["daemon", "run", "--wait"]
    assert told.read_text().splitlines() == [f"bootstrap gui/501 {mine.path}"]
    assert uninstall(mine, environment).outcome == "uninstalled"
    assert told.read_text().splitlines()[-1] == f"bootout gui/501/{mine.name}"


def test_the_command(notes: GitRepo, tmp_path: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    told = manager(tmp_path)
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    for name in ("HOME", "PATH"):
        monkeypatch.setenv(name, environment[name])
    if sys.platform == "darwin":
        pytest.skip("it would speak to launchd")
    call = ("-w", str(notes.path), "service")
    name = unit_name(str(notes.path))
    assert memtree(*call, "status").out == "service  not installed: memtree service install\n"
    assert memtree(*call, "install").lines[0].startswith(f"The service {name} is installed now (")
    assert memtree(*call, "install", "--json").json == {
        "outcome": "installed already",
        "service": name,
        "manager": "systemd",
        "file": str(tmp_path / "home" / ".config" / "systemd" / "user" / f"{name}.service"),
        "by_hand": [],
        "said": "",
    }
    assert memtree(*call, "status", "--json").json["active"] is True
    assert [line.split()[0] for line in memtree(*call, "status").lines] == ["service", "file", "running"]
    path = Path(memtree(*call, "status", "--json").json["file"])
    path.write_text(path.read_text() + "# mine\n")
    refused = memtree(*call, "uninstall", code=3)
    assert "somebody edited it" in refused.err
    assert "--force" in refused.err
    assert path.exists()
    assert "is removed" in memtree(*call, "uninstall", "--force").out
    assert "has no service" in memtree(*call, "uninstall").out
    assert "disable" in told.read_text()
