"""`waypost doctor`: every check with what was found and the command that mends it. The checks themselves stand in `checks`."""

from __future__ import annotations

import json

from waypost.cli.command import make_command
from waypost.cli.options import How
from waypost.cli.output import Output

__all__ = ["doctor"]

MARKS = {"good": "ok  ", "odd": "note", "bad": "BAD "}


def _doctor(how: How, output: Output, params: dict[str, object]) -> int:  # noqa: ARG001 - a command's shape
    from waypost.cli.checks import examine  # noqa: PLC0415 - slow to import

    findings = examine(how)
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


doctor = make_command(
    "doctor",
    _doctor,
    summary="Check everything; each check names the command that mends it. Exits with 1 where something is bad.",
    example="waypost doctor",
)
