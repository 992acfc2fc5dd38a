"""What a command loads through a server: click, the client's transport and its own few modules. Module lists, not times."""

from __future__ import annotations

import pytest

from tests.doors.command_line import CommandLine
from tests.promises.marks import promise
from tests.start.test_imports import loaded

BASE = {
    "waypost",
    "waypost.__main__",
    "waypost.cli",
    "waypost.cli.asked",
    "waypost.cli.command",
    "waypost.cli.dispatch",
    "waypost.cli.message",
    "waypost.cli.options",
    "waypost.cli.output",
    "waypost.cli.program",
    "waypost.cli.refused",
    "waypost.cli.tree",
    "waypost.cli.verb",
    "waypost.client",
    "waypost.client.errors",
    "waypost.client.folders",
    "waypost.client.percent",
    "waypost.client.routes",
    "waypost.client.run_file",
    "waypost.client.transport",
    "waypost.client.wire",
    "waypost.kernel",
    "waypost.kernel.errors",
}
WORDS = {"waypost.cli.message_text", "waypost.cli.moments"}
# None of them belongs into a command that only asks the server.
HEAVY = {
    "apsw",
    "asyncio",
    "email",
    "http",
    "pathlib",
    "pydantic",
    "rich",
    "shutil",
    "ssl",
    "starlette",
    "subprocess",
    "tempfile",
    "tomllib",
    "urllib",
}


@promise("start.cli.lazy")
@pytest.mark.parametrize(
    ("arguments", "more"),
    [
        (["message", "list", "--project", "web1"], WORDS),
        (["message", "list", "--project", "web1", "--json"], set()),
        (["message", "send", "--project", "web1", "hello"], {*WORDS, "waypost.cli.body"}),
        (["message", "pop", "--project", "web1"], WORDS),
    ],
    ids=["list", "list as json", "send", "pop"],
)
def test_a_command_through_a_server_loads_only_what_it_needs(
    shell: CommandLine, arguments: list[str], more: set[str]
) -> None:
    assert shell.project("web") == "web1"
    with shell.serving():
        (modules,) = loaded(arguments)
    assert {module for module in modules if module.startswith("waypost")} == BASE | more
    assert {module for module in modules if module.partition(".")[0] in HEAVY} == set()


@promise("start.cli.lazy")
def test_help_loads_no_command() -> None:
    (modules,) = loaded(["--help"])
    assert {module for module in modules if module.startswith("waypost.cli")} == {
        "waypost.cli",
        "waypost.cli.program",
        "waypost.cli.refused",
        "waypost.cli.tree",
    }
