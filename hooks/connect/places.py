"""Where other programs keep their user settings; the environment is passed in."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memtree.hooks.connect.errors import NoHome


def home(environment: Mapping[str, str]) -> str:
    """The home folder; raise NoHome where it is not set or not there."""
    found = environment.get("HOME", "")
    if not os.path.isdir(found):
        raise NoHome(found)
    return os.path.abspath(found)


def claude_settings(environment: Mapping[str, str]) -> str:
    """The user settings of Claude Code."""
    return os.path.join(_moved(environment, "CLAUDE_CONFIG_DIR") or os.path.join(home(environment), ".claude"), "settings.json")


def claude_state(environment: Mapping[str, str]) -> str:
    """The file in which Claude Code keeps, among much else, the MCP servers of its user."""
    return os.path.join(_moved(environment, "CLAUDE_CONFIG_DIR") or home(environment), ".claude.json")


def claude_desktop(environment: Mapping[str, str], platform: str) -> str:
    """The settings of Claude Desktop; `platform` is as in sys.platform."""
    if platform == "darwin":
        folder = os.path.join(home(environment), "Library", "Application Support")
    else:
        folder = _moved(environment, "XDG_CONFIG_HOME") or os.path.join(home(environment), ".config")
    return os.path.join(folder, "Claude", "claude_desktop_config.json")


def cursor_servers(environment: Mapping[str, str]) -> str:
    """The MCP servers of Cursor."""
    return os.path.join(home(environment), ".cursor", "mcp.json")


def codex_file(environment: Mapping[str, str], name: str) -> str:
    """A file in Codex's folder."""
    return os.path.join(_moved(environment, "CODEX_HOME") or os.path.join(home(environment), ".codex"), name)


def systemd_units(environment: Mapping[str, str]) -> str:
    """The folder of the units that systemd runs for this user."""
    return os.path.join(_moved(environment, "XDG_CONFIG_HOME") or os.path.join(home(environment), ".config"), "systemd", "user")


def launch_agents(environment: Mapping[str, str]) -> str:
    """The folder of what launchd runs for this user."""
    return os.path.join(home(environment), "Library", "LaunchAgents")


def _moved(environment: Mapping[str, str], variable: str) -> str:
    """The folder that a variable names, '' for none."""
    found = environment.get(variable, "")
    return os.path.abspath(found) if found else ""
