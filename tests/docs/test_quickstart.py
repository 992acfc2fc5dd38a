"""The README's quickstart, run as it stands, on a store and a tour folder of the test's own."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from tests.promises.marks import promise

ROOT = Path(__file__).resolve().parents[2]
TOUR = "/tmp/waypost-tour"


def quickstart() -> list[str]:
    """The lines of the shell blocks under the heading Quickstart."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Quickstart")[2].partition("\n## ")[0]
    blocks = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 2, "the quickstart has two shell blocks"
    return [line for block in blocks for line in block.splitlines()]


@promise("day_one.docs.quickstart")
def test_the_quickstart_works_word_by_word(tmp_path: Path) -> None:
    environment = {
        **os.environ,
        "WAYPOST_HOME": str(tmp_path / "home"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "WAYPOST_DATABASE": "",
    }
    script = ["set -eu"]
    for line in quickstart():
        command = line.replace(TOUR, str(tmp_path / "tour"))
        if command == "waypost message pop":
            command = "popped=$(waypost message pop); printf '%s\\n' \"$popped\""
        if "--id ID" in command:
            script.append("id=$(printf '%s\\n' \"$popped\" | sed -n 's/^id  *//p')")
            command = command.replace("--id ID", '--id "$id"')
        script.append(command)
    run = subprocess.run(
        ["sh", "-c", "\n".join(script)],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=50,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    for expected in (
        "Made default/api",
        "Made default/web",
        "to default/api",
        "Please add GET /v1/export that streams NDJSON. Keep the auth middleware.",
        "to default/web",
        "Done in commit 4f2c. The route needs the read scope.",
    ):
        assert expected in run.stdout, run.stdout
