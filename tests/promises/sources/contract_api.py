"""The promises of contracts/api.md: one name at every door, the command line, REST, MCP, codes and rights."""

from __future__ import annotations

from tests.promises.model import AUDIT, ISSUE_4, ISSUE_5, ISSUE_6, ISSUE_7, WEBHOOKS, group

PROMISES = [
    *group(
        "api.md: names at the doors",
        {
            "api.names.same_everywhere": "A field, verb or code has one snake_case name at every door.",
            "api.times.rfc3339_utc": "Every time in an answer is RFC 3339 in UTC with `Z`.",
            "api.lists.shape": "Every list answers `items` and `next_cursor`.",
            "api.errors.problem_json": (
                "Every REST refusal is problem+json with type, title, status, code, detail and hint."
            ),
            "api.errors.mcp_code": "A refusal over MCP is a tool error with the same `code` in its structured content.",
            "api.errors.never_internal": "An unexpected failure answers one fixed sentence, without internals.",
            "api.unknown_fields.refused": (
                "Unknown fields are refused (`invalid_input`) at every door, and nothing changes."
            ),
            "api.types.wrong_refused": "Values of the wrong type are refused (`invalid_input`) at every door.",
            "api.ids.malformed_refused": "Malformed ids are refused (`invalid_input`) and the refusal names the field.",
            "api.sizes.bounded_before_parsing": "A request above its size limit is refused before it is parsed.",
            "api.write.names_change_and_version": "Every answer of a write names what changed and its version.",
            "api.codes.one_status_each": (
                "Each code maps to one HTTP status, one MCP tool error and one exit code, the same at every door."
            ),
            "idempotency.key.every_door": (
                "Every write takes an idempotency key at every door: REST header, MCP `_meta`, CLI option."
            ),
            "idempotency.key.first_answer": (
                "A repeated request with its key gets the first answer, and nothing happens twice."
            ),
            "idempotency.key.mismatch": "The same key with another input is refused (`idempotency_mismatch`).",
            "idempotency.key.scoped": "A key counts for one user, project and operation only.",
            "idempotency.key.kept_a_day": "A key is kept for 24 hours.",
            "idempotency.key.malformed_refused": (
                "A key that is empty, too long or not visible ASCII is refused (`invalid_input`)."
            ),
            "idempotency.refusal.not_stored": "A refusal is not stored: the same key succeeds once the reason is gone.",
            "idempotency.secret.not_stored": "The fingerprint is taken after scrubbing, so that no secret is kept in it.",
        },
    ),
    *group(
        "api.md: Command line",
        {
            "cli.serve.defaults": "`waypost serve` starts on 127.0.0.1:7433 with SQLite in the user's data folder.",
            "cli.serve.says_where": "`waypost serve` prints where to look and what to do next.",
            "cli.serve.port_in_use": "A port that is in use is refused with a sentence that says how to choose another.",
            "cli.demo.scratch_store": (
                "`waypost demo` fills a scratch store with a realistic example and touches no other store."
            ),
            "cli.status.short": (
                "`waypost status` says in short: server, store, folders, project of this directory and how it was "
                "found."
            ),
            "cli.doctor.each_with_remedy": "`waypost doctor` prints each check with the command that mends it.",
            "cli.server.verbs": (
                "`waypost open`, `stop`, `restart` and `logs` act on the running server of this store and on no other."
            ),
            "cli.store.export_import": "`waypost export` and `import` carry a whole store between engines.",
            "cli.migrate.says": "`waypost migrate` brings a store up to date without serving it and says what it did.",
            "cli.config.show": "`waypost config show` shows each setting, its value and where it came from.",
            "cli.message.live_verbs": (
                "`waypost message` offers send, list, view, pop, ack, cancel, reply and wait with the options of "
                "the contract."
            ),
            "cli.message.redact": "`waypost message` offers redact.",
            "cli.decision.verbs": "`waypost decision` offers ask, list, view, answer, wait and cancel.",
            "cli.handoff.verbs": "`waypost handoff` offers begin, list, accept and cancel.",
            "cli.project.verbs": "`waypost project` offers list, add, allow, rename, move, show, which and delete.",
            "cli.session.verbs": "`waypost session` offers list, show and continue.",
            "cli.docs.offline": "`waypost docs [TOPIC]` shows the docs without a network.",
            "cli.completion.shells": "Completion is offered for bash, zsh and fish.",
            "cli.json.one_object": (
                "`--json` prints exactly one JSON object, the REST body, on success and on refusal alike."
            ),
            "cli.exit.codes": "The CLI exits with 0 when done, 1 when refused, 2 on bad usage and 130 when interrupted.",
            "cli.options.common": "Every verb takes the common options of the contract.",
            "cli.options.agree": "Options, `WAYPOST_*` variables and `config.toml` agree on names.",
            "cli.message.long_argument_warned": (
                "A long body given as an argument is accepted with a warning about shells."
            ),
            "cli.output.plain": (
                "`--no-color`, and output that is no terminal, print no control sequences; `--quiet` prints nothing "
                "but the answer."
            ),
        },
    ),
    *group(
        "DESIGN.md: Five ideas, 3 and 4 (the Python client)",
        {
            "client.python.every_verb": (
                "The Python client offers every verb, typed, over HTTP and over the local socket."
            ),
            "client.python.current": "The methods of the Python client are generated from the catalogue of operations.",
            "client.python.typed": "Every argument and answer of the Python client has a type, and none is just anything.",
            "client.python.retries_keyed": (
                "A write of the Python client carries an idempotency key over all its repeats, so that it is done once."
            ),
            "client.python.unkeyed_once": "The Python client never repeats a write that has no key.",
            "client.python.retries_asked": (
                "The Python client repeats what the server asks to have repeated, after the pause that it names, and "
                "no other refusal."
            ),
            "client.python.lists_resume": (
                "A list of the Python client goes on after any disconnect without loss or repeat."
            ),
            "client.python.feed_resumes": (
                "A follower of the Python client gives each change once and in order, over any disconnect and restart of "
                "the server."
            ),
            "client.python.feed_gaps": "A follower of the Python client raises each gap of the feed with its bounds, once.",
            "client.python.checkpoints": (
                "A follower of the Python client commits for its consumer only what was worked off, or what it is told."
            ),
            "client.python.long_wait": "A wait of the Python client may last longer than one request.",
            "client.python.says_if_run": ("A fault of the connection says whether the request may have taken effect."),
            "client.python.store_checked": (
                "The Python client believes only answers of the store that it spoke to first."
            ),
            "client.python.finds_server": (
                "Without an address the Python client finds the local server by its run file, or starts one."
            ),
            "client.python.token_kept": (
                "The Python client sends a token to the address that it was given with, and never in the clear to "
                "another machine."
            ),
            "client.remote.url": (
                "A server is reached by its URL over HTTP and HTTPS, its certificate is checked, and its answers are told from "
                "those of another store, of a gateway and of a program that is no Waypost."
            ),
            "client.python.loads_late": "`import waypost.client` loads no third party before the client is used.",
        },
    ),
    *group(
        "api.md: Command line",
        {
            "cli.message.reference_options": (
                "`waypost message send` takes `--about`, `--context`, `--change-id` and `--timezone`."
            ),
        },
        set_aside=ISSUE_4,
    ),
    *group(
        "api.md: Command line",
        {
            "cli.setup.verbs": "`waypost setup [--write] [--client X] [--remove]` registers and removes clients.",
            "cli.uninstall.purge": "`waypost uninstall [--purge]` removes what was installed, data only with `--purge`.",
            "cli.service.install": "`waypost service install` installs a user service.",
            "cli.hook.command": "`waypost hook CLIENT EVENT` is the one command behind every client's hook.",
        },
        set_aside=ISSUE_5,
    ),
    *group(
        "api.md: Command line",
        {
            "cli.memory.verbs": "`waypost memory` offers the verbs of project memory.",
        },
        set_aside=ISSUE_6,
    ),
    *group(
        "api.md: Command line",
        {
            "cli.room.verbs": "`waypost room` and `waypost courier` offer the verbs of rooms and deliveries.",
        },
        set_aside=ISSUE_7,
    ),
    *group(
        "api.md: Command line",
        {
            "cli.webhook.verbs": "`waypost webhook` administers webhooks.",
        },
        set_aside=WEBHOOKS,
    ),
    *group(
        "api.md: REST",
        {
            "rest.health.told_apart": (
                "`/healthz` answers while the process lives, `/readyz` only while the store can be read and written."
            ),
            "rest.metrics.prometheus": (
                "`/metrics` answers counters in the Prometheus text format, without names or text of messages."
            ),
            "rest.openapi.document": "`/openapi.json` is a valid OpenAPI 3.1 document of every operation that is served.",
            "rest.openapi.no_server_error": "No request made from the document gets a server error.",
            "rest.store.names_itself": "`/v1/store` names the store's id, creation, epoch, engine and schema.",
            "rest.decisions.routes": "`/v1/decisions` and `/v1/handoffs` offer their verbs.",
            "rest.messages.redact": "`/v1/messages/{id}` offers redact.",
            "rest.routes.live_verbs": (
                "`/v1/projects`, `/v1/sessions` and `/v1/messages` serve their verbs: for mail send, list, view, "
                "pop, ack, cancel, reply, wait."
            ),
            "rest.admin.routes": "`/v1/users`, `/v1/tokens` and `/v1/grants` are served.",
            "rest.methods.wrong_refused": "A wrong method or path is refused in the same problem form.",
            "mcp.http.revisions": (
                "`/mcp` serves revisions 2025-06-18, 2025-11-25 and 2026-07-28, each client in the one it asked for."
            ),
            "mcp.http.stateless": "A client's session at `/mcp` survives a restart of the server in its middle.",
            "mcp.http.tools_all": "`?tools=all` and `--tools all` offer the whole set of tools.",
            "mcp.conformance.baseline": (
                "The official conformance suite passes but for the scenarios that a committed baseline names with "
                "reasons."
            ),
        },
    ),
    *group(
        "api.md: REST",
        {
            "rest.briefing.route": (
                "`/v1/briefing` answers notice, inbox block and handoff offer with the resolved scope."
            ),
        },
        set_aside=ISSUE_4,
    ),
    *group(
        "api.md: REST",
        {
            "rest.wakes.routes": "`/v1/wakes` offers reserve, accepted and retry.",
            "rest.changes.routes": "`/v1/changes`, its stream and its consumers are served.",
            "cli.changes.follow": (
                "`waypost changes [--follow] [--consumer NAME]` prints the feed, each change once over restarts of the "
                "server, and commits only what was written out."
            ),
        },
    ),
    *group(
        "api.md: REST",
        {
            "rest.memory.routes": "`/v1/project-memory` is served as the contract of memory says.",
        },
        set_aside=ISSUE_6,
    ),
    *group(
        "api.md: REST",
        {
            "rest.rooms.routes": "`/v1/rooms` and `/v1/capabilities` are served as the contract of rooms says.",
        },
        set_aside=ISSUE_7,
    ),
    *group(
        "api.md: REST",
        {
            "rest.audit.route": "`/v1/audit` answers who did what.",
        },
        set_aside=AUDIT,
    ),
    *group(
        "api.md: MCP tools",
        {
            "mcp.tools.live_set": (
                "The default set holds message_send, list, view, pop, ack, cancel, reply, decision_ask, decision_wait, "
                "handoff_begin and briefing; message_wait and the other tools of decisions and handoffs only under "
                "`--tools all`."
            ),
            "mcp.tools.budget": (
                "Names, descriptions and input schemas of the default set together stay under 18,000 characters."
            ),
            "mcp.tools.flat": "Every tool schema has an object root, no `$ref`, no unions and no nullable fields.",
            "mcp.tools.no_output_schemas": (
                "No tool has an output schema, a workspace parameter or an `idempotency_key` parameter."
            ),
            "mcp.tools.workspace_accepted": (
                "`workspace`, `to_workspace` and `from_workspace` are accepted though no schema lists them."
            ),
            "mcp.tools.annotated": (
                "Every tool says whether it only reads, destroys or can be repeated, and its parameters carry the "
                "names of REST."
            ),
            "mcp.answer.structured_and_short": "A tool answers a structured result beside a short text.",
            "mcp.answer.minimum_fields": (
                "send, list, pop and their like answer at least the fields that the contract names."
            ),
            "mcp.server.name": "The server's name is `waypost`.",
            "mcp.server.instructions_safety_first": (
                "The first 2,048 characters of the server's instructions hold the safety rules."
            ),
        },
    ),
    *group(
        "api.md: MCP tools",
        {
            "api.codes.decisions_and_context": (
                "already_answered, not_permitted_to_answer and the context codes are given at every door."
            ),
        },
        set_aside=ISSUE_4,
    ),
    *group(
        "api.md: Command line, REST, MCP tools",
        {
            "cli.message.lease_verbs": "`waypost message` offers claim, renew, release, complete and snooze.",
            "rest.messages.lease_verbs": "`/v1/messages/{id}` offers claim, renew, release, complete and snooze.",
            "mcp.tools.lease_set": "The default set holds claim, renew, release, complete and snooze.",
            "mcp.answer.claim_fields": "A claim answers token, `lease.until`, `lease.generation` and occurrence.",
            "api.codes.leases": "already_claimed, not_actionable and lease_lost are given at every door.",
        },
    ),
    *group(
        "api.md: MCP tools",
        {
            "mcp.tools.memory_set": "The default set holds the four tools of project memory.",
        },
        set_aside=ISSUE_6,
    ),
    *group(
        "api.md: MCP tools",
        {
            "mcp.tools.delivery_set": "`--tools all` offers delivery_bind, delivery_deliver and delivery_status.",
        },
        set_aside=ISSUE_7,
    ),
    *group(
        "api.md: Rights",
        {
            "rights.local.agents": (
                "Without tokens a loopback caller does what an agent needs and nothing that is the operator's."
            ),
            "rights.owner.may": (
                "The account that owns a SQLite store may add, allow, rename and move projects and run backup, "
                "restore, migrate, stop and restart."
            ),
            "rights.owner.needs_the_key": (
                "Who cannot read the run file's key is not the owner, whatever its headers say."
            ),
            "rights.page.operator": "A page session from `waypost open` is the operator's.",
            "rights.operator.token": (
                "An operator token comes from the store's owner, is shown once, kept in a 0600 file and used only "
                "with `--as-operator`."
            ),
            "cli.admin.users_tokens_grants": "`waypost login`, `user`, `token` and `grant` administer access.",
            "rights.user.token": "A user token has its grants on each project and nothing else.",
            "rights.agent.token": (
                "An agent token is bound to one project, whose scope is then certain, and is never a person's."
            ),
            "rights.agent.at_most_its_users": (
                "An agent token never has more than its user's grants to read and write, as they are now."
            ),
            "rights.tokens.hashed": "Tokens are stored hashed.",
            "rights.token.shown_once": (
                "A token stands in the one answer that makes it: not in the store, and not under its idempotency key."
            ),
            "rights.token.revoked": "A revoked token is refused (`unauthenticated`), within the transaction too.",
            "rights.token.expired": "An expired token is refused (`unauthenticated`), within the transaction too.",
            "rights.send.needs_write": "On a shared server a send needs write on the recipient's project.",
            "rights.matrix.complete": (
                "Every operation has its place in one table of who may run it, and keeps to it on both engines."
            ),
            "rights.hidden.nothing_leaks": (
                "What a caller may not know is refused exactly as what does not exist, and stands in no list, count, "
                "near name, reach or record."
            ),
            "auth.required.everywhere": (
                "Where a credential is required, only health and the way to sign in are answered without one."
            ),
            "auth.exposed.required": "A server that others can reach requires a credential, whatever the setting says.",
            "auth.wrong_token.refused": "A wrong token is refused (`unauthenticated`) wherever it is sent.",
            "auth.wrong_token.limited": (
                "Wrong tokens are counted by address, refused unseen after ten in a minute, and logged without the token."
            ),
            "auth.mcp.challenge": "MCP answers a missing or wrong token with 401 and `WWW-Authenticate: Bearer`.",
            "auth.open.as_before": (
                "Where no credential is required, who sends none may do what he always could, also after users were added."
            ),
            "rights.administration.operator": (
                "Users, grants and other people's tokens take the operator; an operator token takes the store's owner."
            ),
            "rights.refusal.names_missing": (
                "A refusal for want of rights is `forbidden` and names what is missing, or `not_found` where "
                "existence may not be known."
            ),
        },
    ),
]
