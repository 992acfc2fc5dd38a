"""What each client really sends to its hooks, by client and event: the members in their order, with values of the right kinds."""

from __future__ import annotations

from typing import Any

__all__ = ["EVENTS", "EVENT_OF", "payload"]

CLAUDE: dict[str, Any] = {
    "session_id": "SESSION",
    "transcript_path": "/home/maria/.claude/projects/x/SESSION.jsonl",
    "cwd": "DIRECTORY",
    "prompt_id": "3f6e",
    "permission_mode": "default",
}
CODEX: dict[str, Any] = {
    "session_id": "SESSION",
    "turn_id": "1",
    "transcript_path": None,
    "cwd": "DIRECTORY",
    "model": "m",
    "permission_mode": "default",
}
CURSOR: dict[str, Any] = {
    "conversation_id": "SESSION",
    "generation_id": "g1",
    "model": "m",
    "cursor_version": "3.7.21",
    "workspace_roots": ["DIRECTORY"],
    "user_email": "maria@example.org",
    "transcript_path": None,
}
GEMINI: dict[str, Any] = {
    "session_id": "SESSION",
    "transcript_path": "/home/maria/.gemini/tmp/x.json",
    "cwd": "DIRECTORY",
    "timestamp": "2026-11-30T10:00:00Z",
}
COPILOT: dict[str, Any] = {"sessionId": "SESSION", "timestamp": 1_764_000_000_000, "cwd": "DIRECTORY"}
OPENCODE: dict[str, Any] = {"sessionID": "SESSION", "directory": "DIRECTORY"}
PI: dict[str, Any] = {"session_id": "SESSION", "cwd": "DIRECTORY"}
TOOL = {"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_response": {"stdout": "a\nb"}, "tool_use_id": "t1"}

EVENTS: dict[str, dict[str, dict[str, Any]]] = {
    "claude-code": {
        "SessionStart": {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"},
        "UserPromptSubmit": {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "hello"},
        "PostToolUse": {**CLAUDE, "hook_event_name": "PostToolUse", **TOOL, "duration_ms": 12},
    },
    "codex": {
        "SessionStart": {**CODEX, "hook_event_name": "SessionStart", "source": "startup"},
        "UserPromptSubmit": {**CODEX, "hook_event_name": "UserPromptSubmit", "prompt": "hello"},
        "PostToolUse": {**CODEX, "hook_event_name": "PostToolUse", **TOOL},
        "PostCompact": {**CODEX, "hook_event_name": "PostCompact"},
    },
    "cursor": {
        "sessionStart": {**CURSOR, "hook_event_name": "sessionStart"},
        "beforeSubmitPrompt": {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "hello", "attachments": []},
        "postToolUse": {**CURSOR, "hook_event_name": "postToolUse", "tool_name": "Shell", "tool_input": {}},
        "preCompact": {**CURSOR, "hook_event_name": "preCompact"},
    },
    "gemini-cli": {
        "SessionStart": {**GEMINI, "hook_event_name": "SessionStart", "source": "startup"},
        "BeforeAgent": {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "hello"},
        "AfterTool": {**GEMINI, "hook_event_name": "AfterTool", **TOOL, "mcp_context": {}},
        "PreCompress": {**GEMINI, "hook_event_name": "PreCompress"},
    },
    "copilot-cli": {
        "sessionStart": {**COPILOT, "source": "new", "initialPrompt": "hello"},
        "userPromptSubmitted": {**COPILOT, "prompt": "hello"},
        "postToolUse": {**COPILOT, "toolName": "bash", "toolArgs": "{}", "toolResult": {"textResultForLlm": "ok"}},
        "preCompact": {**COPILOT},
    },
    "kimi-code": {
        "SessionStart": {**CLAUDE, "client_type": "cli", "hook_event_name": "SessionStart", "source": "startup"},
        "UserPromptSubmit": {
            **CLAUDE,
            "client_type": "cli",
            "hook_event_name": "UserPromptSubmit",
            "prompt": [{"type": "text", "text": "hello"}],
            "is_steer": False,
        },
        "PostCompact": {**CLAUDE, "client_type": "cli", "hook_event_name": "PostCompact"},
    },
    "opencode": {
        "session.created": {**OPENCODE},
        "chat.message": {**OPENCODE},
        "tool.execute.after": {**OPENCODE, "tool": "bash"},
        "session.compacted": {**OPENCODE},
    },
    "pi": {
        "session_start": {**PI},
        "before_agent_start": {**PI},
        "session_compact": {**PI},
    },
    "muse-code": {
        "SessionStart": {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup"},
    },
}
EVENT_OF = {
    "start": {
        "claude-code": "SessionStart",
        "codex": "SessionStart",
        "cursor": "sessionStart",
        "gemini-cli": "SessionStart",
        "copilot-cli": "sessionStart",
        "muse-code": "SessionStart",
    },
    "prompt": {
        "claude-code": "UserPromptSubmit",
        "codex": "UserPromptSubmit",
        "cursor": "beforeSubmitPrompt",
        "gemini-cli": "BeforeAgent",
        "copilot-cli": "userPromptSubmitted",
        "kimi-code": "UserPromptSubmit",
        "opencode": "chat.message",
        "pi": "before_agent_start",
    },
    "tool": {
        "claude-code": "PostToolUse",
        "codex": "PostToolUse",
        "cursor": "postToolUse",
        "gemini-cli": "AfterTool",
        "copilot-cli": "postToolUse",
        "opencode": "tool.execute.after",
    },
}
"""Which event of each client speaks at which boundary."""


def payload(client: str, event: str, session: str, directory: str, **more: Any) -> dict[str, Any]:
    """The payload with the session's id and directory put in."""

    def put(value: Any) -> Any:
        if isinstance(value, list):
            return [put(item) for item in value]
        return {"SESSION": session, "DIRECTORY": directory}.get(value, value) if isinstance(value, str) else value

    return {**{name: put(value) for name, value in EVENTS[client][event].items()}, **more}
