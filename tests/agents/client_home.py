"""A home folder with every coding agent's files in it, and `waypost setup` there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.doors.command_line import CommandLine, Result

__all__ = ["THEIRS", "VARIABLES", "ClientHome"]

VARIABLES = (
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "OPENCODE_CONFIG_DIR",
    "PI_CODING_AGENT_DIR",
    "KIMI_CODE_HOME",
    "COPILOT_HOME",
    "XDG_CONFIG_HOME",
)
# What a user of all these clients has there already.
THEIRS: dict[str, str] = {
    ".claude.json": '{\n  "numStartups": 7,\n  "mcpServers": {\n    "other": {"command": "x"}\n  },\n  "apiKey": "sk-secret-000"\n}\n',
    ".claude/settings.json": '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "echo theirs"}]}]}}',
    ".codex/config.toml": 'model = "m"  # my model\n\n[mcp_servers.other]\ncommand = "x"\n',
    ".codex/hooks.json": '{\r\n\t"hooks": {}\r\n}\r\n',
    ".cursor/mcp.json": "",
    ".config/opencode/opencode.jsonc": '{\n  // my config\n  "theme": "x",\n  "mcp": {},\n}\n',
    ".kimi-code/config.toml": '[[hooks]]\nevent = "Stop"\ncommand = "theirs"',
    ".gemini/settings.json": '{"security": {"auth": {"selectedType": "gemini-api-key"}}}\n',
    ".copilot/mcp-config.json": '{"mcpServers": {}}',
    ".config/muse/settings.json": '{"schema_version": 1}',
    ".config/zed/settings.json": '// Zed settings\n{\n  "theme": "One",\n  /* fonts */\n  "buffer_font_size": 15, // mine\n}\n',
    ".config/Code/User/mcp.json": '{\n\t"servers": {\n\t\t"a": {}\n\t}\n}',
    ".config/Claude/claude_desktop_config.json": "{}",
    ".pi/agent/settings.json": "{}",
}


class ClientHome:
    """A home folder with clients in it, and `waypost setup` there."""

    def __init__(self, line: CommandLine, folder: Path) -> None:
        self.line = line
        self.folder = folder
        self.program = folder / "bin" / "waypost"
        self.program.parent.mkdir(parents=True)
        self.program.write_text("#!/bin/sh\nexit 0\n")
        self.program.chmod(0o755)
        for name, text in THEIRS.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text.encode())

    def files(self) -> dict[str, bytes]:
        """Every file and folder but Waypost's own."""
        return {
            str(path.relative_to(self.folder)): path.read_bytes() if path.is_file() else b"a folder"
            for path in sorted(self.folder.rglob("*"))
        }

    def setup(self, *words: str, status: int = 0, at: Path | None = None) -> Any:
        """The answer of the command."""
        variables = {"HOME": str(self.folder), **dict.fromkeys(VARIABLES, "")}
        result = self.line.run(
            "setup", "--program", str(self.program), "--json", *words, at=at or self.line.work, variables=variables
        )
        assert result.status == status, result
        return result.answer

    def run(self, *words: str, at: Path | None = None) -> Result:
        """Another command in this home."""
        variables = {"HOME": str(self.folder), **dict.fromkeys(VARIABLES, ""), "PATH": str(self.folder / "bin")}
        return self.line.run(*words, at=at, variables=variables)
