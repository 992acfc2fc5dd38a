"""The promises of contracts/clients.md: finding the project, the bridge, setup, hooks and delivery by client."""

from __future__ import annotations

from tests.promises.model import ISSUE_3, ISSUE_5, group

PROMISES = [
    *group(
        "clients.md: project of a session",
        {
            "identity.project.by_repository": (
                "A project is known by host, owner and name of its remote (`upstream`, else `origin`), else its git "
                "common directory, else its real path."
            ),
            "identity.project.clones_share": (
                "Worktrees, clones and symbolic links of one repository lead to one project."
            ),
            "identity.project.never_shared": "Two different repositories never share a mailbox, whatever their names.",
            "identity.project.name_is_slug": (
                "A project's name is a case-folded slug of its remote or folder, with a suffix when the name is taken."
            ),
            "identity.marker.names_project": (
                "The nearest ancestor's marker `.waypost.toml` names the project; `.ai-memory.toml` is read too."
            ),
            "identity.marker.unconfirmed": (
                "A marker that names a project bound to another identity is `unconfirmed` and counts as a guess."
            ),
            "identity.marker.allow": (
                "`waypost project allow` run there confirms a marker, and that is kept in the user's data, never in "
                "the repository."
            ),
            "identity.marker.malformed": "A marker that cannot be read is named in the answer and claims nothing.",
            "identity.session.keeps_project": "A session whose directory changes keeps its project.",
            "identity.remote.credentials_dropped": "Credentials in a remote's address are never stored or shown.",
        },
    ),
    *group(
        "clients.md: the bridge",
        {
            "bridge.directory.carried": (
                "The bridge carries the client's directory, so that its project is known and not guessed."
            ),
            "bridge.session.only_stated": "The bridge states a session only where the client gives one in that call.",
            "bridge.server.joined_or_started": "The bridge joins the local server of its store or starts it.",
            "bridge.start.light": "The bridge imports neither click, the web framework nor the MCP SDK.",
            "bridge.restart.next_call": (
                "After the server was killed and restarted the next call through the same bridge succeeds."
            ),
            "bridge.call.once": "A call in flight through the bridge while the server dies takes effect exactly once.",
            "bridge.stdout.only_protocol": "The bridge prints nothing but the protocol on standard output.",
            "bridge.foreign_server.refused": "The bridge refuses a server that is not the one of its store.",
        },
    ),
    *group(
        "clients.md: the bridge",
        {
            "bridge.token.from_file": "The bridge reads its token from a 0600 file.",
        },
        set_aside=ISSUE_3,
    ),
    *group(
        "clients.md: setup",
        {
            "setup.find.shows_first": (
                "`waypost setup` finds the installed clients and shows what it would write, and writes nothing "
                "without `--write`."
            ),
            "setup.clients.full": (
                "`setup --write` registers MCP server and hooks, plugin or extension for Claude Code, Codex, "
                "Cursor, OpenCode, Pi, Kimi, Gemini CLI, Copilot CLI and Muse Code."
            ),
            "setup.clients.mcp_only": "`setup --write` registers MCP alone for VS Code, Zed and Claude Desktop.",
            "setup.write.merges": (
                "Setup merges into a client's files, replaces nothing of the user's, and keeps comments."
            ),
            "setup.write.backs_up_and_verifies": "Setup backs up each file before it writes and verifies it afterwards.",
            "setup.write.idempotent": "Running setup twice writes nothing the second time.",
            "setup.write.keeps_choices": "An upgrade keeps the user's choices.",
            "setup.write.one_level": "Setup refuses to register at user and project level at once.",
            "setup.write.no_secret": "Setup writes no secret.",
            "setup.remove.byte_for_byte": "`setup --remove` leaves the files as they were.",
            "setup.broken_file.untouched": "A client file that cannot be understood is left untouched and named.",
        },
    ),
    *group(
        "clients.md: doctor",
        {
            "doctor.clients.each": (
                "`waypost doctor` checks each client's hooks, trust, last event, duplicates and paths through a "
                "real connection."
            ),
        },
    ),
    *group(
        "clients.md: the bridge",
        {"bridge.roots.asked": "Where a client declares roots the bridge may use them."},
        set_aside=ISSUE_5,
    ),
    *group(
        "clients.md: hooks",
        {
            "hook.output.exact_shape": "A hook prints exactly what its client accepts, or nothing.",
            "hook.exit.always_zero": "A hook always exits with 0, for an unknown client or event too.",
            "hook.failure.harmless": (
                "A broken store, stopped or foreign server, slow disk or removed package never blocks or breaks an "
                "agent."
            ),
            "hook.budget.300ms": "A hook ends within 300 ms, then silently and with a log line.",
            "hook.payload.bounded": "A hook does not parse large payloads whole and survives any bytes.",
            "hook.output.controls_escaped": "A hook escapes all control bytes.",
            "hook.start.registers": "Session start registers session, client, project, user and continuation.",
            "hook.start.order_and_budgets": (
                "Session start injects handoff, memory brief, inbox and identity in this order, each within its budget."
            ),
            "hook.start.unchanged_is_one_line": "A notice unchanged since the session's last boundary is one short line.",
            "hook.start.late_clients": "A client that discards session-start output gets it at its first prompt.",
            "hook.start.starts_server": (
                "Where no server runs the session-start hook starts one in the background, and the news comes at "
                "the next boundary."
            ),
            "hook.store.never_opened": "A hook never opens the store.",
            "hook.start.light": "A hook imports neither click, the web framework nor the MCP SDK.",
            "hook.told.once": "A client that also runs another client's hooks is told once.",
        },
    ),
    *group(
        "clients.md: hooks",
        {
            "hook.line.stable": "The installed command line is an absolute path that stays the same over upgrades.",
        },
    ),
    *group(
        "clients.md: delivery by client",
        {
            "client.delivery.boundaries": "Each client gets news at the boundaries that the contract lists for it.",
            "client.skills.installed": (
                "One short skill on messaging and one on memory are installed where the client reads skills."
            ),
            "client.real.driven": (
                "Real clients, driven offline against a scripted model, show what a model would have read."
            ),
            "client.pages.current": "Each coding agent has a page in the docs, written from what setup writes and hooks print.",
            "client.delivery.cheap": (
                "An empty inbox adds no characters to a prompt, and a hundred tool calls beside an unread item of 1,000 characters add "
                "under 1,500."
            ),
        },
    ),
    *group(
        "clients.md: delivery by client",
        {
            "client.wake.idle": (
                "OpenCode and Pi wake an idle session; Claude Code does, opted in; others get wake mail at their "
                "next boundary."
            ),
            "client.wake.counts_when_seen": "A wake counts only when a turn was seen to start.",
        },
        set_aside=ISSUE_5,
    ),
]
