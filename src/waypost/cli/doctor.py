"""`waypost doctor`: every check with what was found and the command that mends it. The checks themselves stand in `checks`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output

if TYPE_CHECKING:
    from waypost.cli.finding import Finding

__all__ = ["doctor"]

SAFE = re.compile(r"waypost (?:restart|setup --write --client [a-z-]+(?: --level project)?)")
MARKS = {"good": "ok  ", "odd": "note", "bad": "BAD "}


def _doctor(how: How, output: Output, params: dict[str, object]) -> int:
    from waypost.cli.checks import examine  # noqa: PLC0415 - slow to import

    findings = examine(how)
    if params.get("fix"):
        mended = _mend(findings, output)
        findings = examine(how) if mended else findings
    well = all(finding.state != "bad" for finding in findings)
    if how.as_json:
        output.json(json.dumps({"ok": well, "checks": [finding.record() for finding in findings]}))
        return 0 if well else 1
    for finding in findings:
        output.line(f"{MARKS[finding.state]}  {finding.check:<22}{finding.found}")
        if finding.remedy:
            output.line(f"      {'':<22}mend it: {finding.remedy}")
    output.aside("\nAll is well." if well else "\nWhat is BAD keeps Waypost from working.")
    return 0 if well else 1


def _mend(findings: list[Finding], output: Output) -> list[str]:
    """Runs the commands that mend what was found, those that are safe to run unasked: setting up again what was set up, and starting
    the server anew. What they say goes to standard error, because standard output holds the checks."""
    done: list[str] = []
    for finding in findings:
        if finding.remedy in done or not SAFE.fullmatch(finding.remedy) or finding.found == "not set up":
            continue
        done.append(finding.remedy)
        output.note(f"running {finding.remedy}")
        command = [sys.executable, "-P", "-m", "waypost", *finding.remedy.split()[1:]]
        subprocess.run(command, stdout=sys.stderr, stderr=sys.stderr, check=False)  # noqa: S603 - a command that SAFE knows
    return done


doctor = make_command(
    "doctor",
    _doctor,
    summary="Check everything; each check names the command that mends it. Exits with 1 where something is bad.",
    example="waypost doctor --fix",
    options=("fix",),
)
