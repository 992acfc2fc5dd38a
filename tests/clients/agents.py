"""The real coding agents, as tests run them: in a home of their own, with a scripted model in place of the real one."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.clients.model import Model
from tests.doors.bridge_process import SOURCES
from tests.doors.command_line import CommandLine

__all__ = ["Agent", "Desktop", "program_of"]

MODULES = Path(__file__).parent / "node_modules"
PROGRAMS = {"claude-code": "claude", "codex": "codex"}
SECONDS = 170
ALLOWED = "mcp__waypost__message_pop,mcp__waypost__message_send,mcp__waypost__message_reply,mcp__waypost__message_list"


def program_of(client: str) -> Path | None:
    """The client's program, where `tests/clients/install.sh` has run."""
    place = MODULES / ".bin" / PROGRAMS[client]
    return place if place.exists() else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """One client in one repository."""

    client: str
    directory: Path
    environ: dict[str, str]

    def work(self, prompt: str, model: Model) -> str:
        """What the client prints for one prompt, with this model."""
        command, more = self._command(prompt, model)
        done = subprocess.run(
            command,
            cwd=self.directory,
            env={**self.environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
        return done.stdout

    def _command(self, prompt: str, model: Model) -> tuple[list[str], dict[str, str]]:
        program = program_of(self.client)
        assert program is not None
        if self.client == "claude-code":
            variables = {
                "ANTHROPIC_BASE_URL": model.url,
                "ANTHROPIC_API_KEY": "no-key",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                "DISABLE_AUTOUPDATER": "1",
            }
            return [str(program), "-p", prompt, "--allowedTools", ALLOWED], variables
        settings = {
            "model": "scripted",
            "model_provider": "scripted",
            "model_providers.scripted.name": "scripted",
            "model_providers.scripted.base_url": f"{model.url}/v1",
            "model_providers.scripted.wire_api": "responses",
            "model_providers.scripted.env_key": "SCRIPTED_KEY",
        }
        options = [word for name, value in settings.items() for word in ("-c", f'{name}="{value}"')]
        bypass = ["--dangerously-bypass-hook-trust", "--dangerously-bypass-approvals-and-sandbox"]
        command = [str(program), "exec", "--skip-git-repo-check", *bypass, *options, prompt]
        return command, {"SCRIPTED_KEY": "no-key"}


class Desktop:
    """A home folder with real clients, and a Waypost that they are set up with."""

    def __init__(self, line: CommandLine) -> None:
        self.line = line
        self.home = line.home / "home"
        for folder in (".claude", ".codex"):
            (self.home / folder).mkdir(parents=True)
        (self.home / ".claude" / "settings.json").write_text('{"theme": "dark"}')
        (self.home / ".codex" / "config.toml").write_text("hide_agent_reasoning = true # theirs\n")
        self.program = line.home / "bin" / "waypost"
        self.program.parent.mkdir()
        # Codex hands its servers hardly any of its own environment, so that the program brings what it needs.
        self.program.write_text(
            "#!/bin/sh\n"
            f"export PYTHONPATH={shlex.quote(SOURCES)} WAYPOST_HOME={shlex.quote(str(line.home))} WAYPOST_HOOK_BUDGET_MS=4500\n"
            f'exec {shlex.quote(sys.executable)} -P -m waypost "$@"\n'
        )
        self.program.chmod(0o755)

    def agent(self, client: str, project: str) -> Agent:
        """The client at work in a project."""
        environ = {**self.line.environ, "HOME": str(self.home)}
        for name in [name for name in environ if name.startswith(("CLAUDE", "ANTHROPIC", "CODEX", "OPENAI"))]:
            del environ[name]
        return Agent(client=client, directory=self.line.folder(project), environ=environ)

    def setup(self, *words: str) -> None:
        """Runs `waypost setup`."""
        variables = {"HOME": str(self.home), "PATH": os.environ["PATH"]}
        result = self.line.run("setup", "--program", str(self.program), *words, variables=variables)
        assert result.status == 0, result

    def files(self) -> dict[str, bytes]:
        """Every file that setup could have touched."""
        return {
            str(path.relative_to(self.home)): path.read_bytes()
            for path in sorted(self.home.rglob("*"))
            if path.is_file()
        }
