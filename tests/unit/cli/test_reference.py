"""The reference page and the command know the same options."""

import re
from pathlib import Path

from typer.main import get_command

from samara.cli import app
from samara.cli.endings import CLOSED, DATA, INPUT_OUTPUT, INTERNAL, INTERRUPTED, USAGE

DOCS = Path(__file__).parents[3] / "docs"


def leaves(command):
    """The commands of a group, or the command itself."""
    return command.commands.values() if hasattr(command, "commands") else [command]


def test_the_page_lists_every_command_and_option():
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    commands = get_command(app).commands
    options = {"--version"}
    for one in [leaf for command in commands.values() for leaf in leaves(command)]:
        options |= {name for param in one.params for name in [*param.opts, *param.secondary_opts]}
    options = {name for name in options if name.startswith("--")} | {"--help"}
    assert set(re.findall(r"(--[a-z-]+)", re.sub(r"\| ---.*", "", page))) == options
    assert set(re.findall(r"^\| `samara (\w+)", page, re.MULTILINE)) == set(commands)


def test_the_guide_lists_every_exit_code():
    guide = (DOCS / "guides" / "command_line.md").read_text(encoding="utf-8")
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", guide, re.MULTILINE)}
    assert listed == {0, USAGE, DATA, INTERNAL, INPUT_OUTPUT, INTERRUPTED, CLOSED}
