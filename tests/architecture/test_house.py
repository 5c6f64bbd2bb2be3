"""The house's rules, held by reading the source: who imports what, who prints, how large a file may grow, what the README names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import click
import pytest

from memtree.tools.cli import COMMANDS, cli

ROOT = Path(__file__).parents[2]
LAYERS = ("tree", "indexers", "engine", "hooks", "tools")
# Each third-party library has one importing module wherever that is natural.
SINGLE_IMPORTERS = {
    "pygit2": {"engine/repo.py", "engine/object_database.py", "engine/transport/link.py", "engine/transport/local.py"},
    "tantivy": {"indexers/fulltext.py", "indexers/text_queries.py", "tools/bench/machine.py"},
    "portalocker": {"engine/locks.py"},
    "yaml": {"tree/front_matter.py"},
    "pathspec": {"engine/scope.py"},
    "rapidfuzz": {"tree/matching.py"},
    "re2": {"indexers/linear_regex.py"},
    "hnswlib": {"indexers/vector_graph.py"},
    "sqlite3": {"indexers/sqlite_file.py"},
    "tomlkit": {"hooks/connect/toml_settings.py"},
    "watchfiles": {"hooks/watching/notices.py"},
    "tokenizers": {"indexers/wordllama_model.py", "indexers/minilm_model.py"},
    "onnxruntime": {"indexers/minilm_model.py"},
    "pydantic_ai": {"engine/llm/adapters.py", "engine/llm/talk.py"},
    "openai": {"engine/llm/adapters.py"},
    "anthropic": {"engine/llm/adapters.py"},
    "httpx2": {"engine/llm/adapters.py", "engine/llm/wire.py"},
    "keyring": {"engine/llm/keys.py"},
}


@cache
def parsed(layer: str) -> list[tuple[str, ast.Module]]:
    paths = sorted((ROOT / layer).rglob("*.py"))
    return [(path.relative_to(ROOT).as_posix(), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def sources(*layers: str) -> Iterator[tuple[str, ast.Module]]:
    for layer in layers:
        yield from parsed(layer)


@cache
def importers() -> Mapping[str, set[str]]:
    """The files that import each library."""
    found: dict[str, set[str]] = {}
    for path, module in sources(*LAYERS):
        for name in imported(module):
            found.setdefault(name, set()).add(path)
    return found


def imported(module: ast.Module) -> Iterator[str]:
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


@pytest.mark.parametrize("library", sorted(SINGLE_IMPORTERS))
def test_a_library_has_one_importing_module(library: str) -> None:
    found = importers().get(library, set())
    assert found <= SINGLE_IMPORTERS[library]
    assert found


def test_only_tools_prints_exits_or_reads_arguments() -> None:
    offenders = []
    for path, module in sources("tree", "indexers", "engine", "hooks"):
        for node in ast.walk(module):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("print", "input", "exit"):
                offenders.append(f"{path}:{node.lineno} {node.func.id}")
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("sys.exit", "os._exit", "sys.stdout", "sys.stderr"):
                offenders.append(f"{path}:{node.lineno} {ast.unparse(node)}")
    assert offenders == []


def test_the_lowest_layer_touches_no_files_clock_or_network() -> None:
    forbidden = {"os", "io", "time", "socket", "subprocess", "pathlib", "shutil", "random", "pygit2"}
    offenders = [(path, name) for path, module in sources("tree") for name in imported(module) if name in forbidden]
    assert offenders == []


def test_no_file_outgrows_one_idea() -> None:
    long = {
        path.relative_to(ROOT).as_posix(): count
        for layer in LAYERS
        for path in (ROOT / layer).rglob("*.py")
        if (count := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_architecture_names_every_module() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 200
    named = set(re.findall(r"`(?:[a-z_]+/)*([a-z_]+)`", text))
    skipped = {"__init__", "__main__"}
    missing = {
        path.stem
        for layer in ("tree", "indexers", "engine")
        for path in (ROOT / layer).rglob("*.py")
        if path.stem not in named | skipped
    }
    assert missing == set()


def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            for child in command.list_commands(context):
                found = command.get_command(context, child)
                assert found is not None
                yield from walk(found, f"{name} {child}".strip())
    else:
        yield name, command


ALL_COMMANDS = dict(walk(cli, ""))


@pytest.mark.parametrize("name", sorted(ALL_COMMANDS))
def test_every_command_has_help_and_stands_in_the_readme(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert ALL_COMMANDS[name].help
    assert re.search(rf"`[^`\n]*\b{re.escape(name)}\b", readme), f"README does not show {name}"


@pytest.mark.parametrize("name", sorted(set(ALL_COMMANDS) - {"completion"}))
def test_every_command_can_answer_as_json(name: str) -> None:
    assert "as_json" in {parameter.name for parameter in ALL_COMMANDS[name].params}


def test_the_readme_names_every_option() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    unnamed = {"--json", "--help", "--seed", "--keep"}
    missing = [
        f"{name} {option}"
        for name, command in ALL_COMMANDS.items()
        for parameter in command.params
        for option in parameter.opts
        if option.startswith("--") and option not in readme and option not in unnamed
    ]
    # A short form stands for its option.
    short = {"--limit": "-n", "--message": "-m"}
    assert [one for one in missing if short.get(one.split()[-1], "?") not in readme] == []


def test_listed_commands_are_the_real_ones() -> None:
    assert set(COMMANDS) == set(cli.list_commands(click.Context(cli)))
    with click.Context(cli) as context:
        for name, (_, text) in COMMANDS.items():
            command = cli.get_command(context, name)
            assert command is not None
            assert command.name == name
            assert text.endswith(".")
