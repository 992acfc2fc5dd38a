"""Every verb that the command line offers, without a server and through one."""

from __future__ import annotations

import json

import click
import pytest

from tests.doors.command_line import CommandLine
from tests.promises.marks import promise
from waypost.cli import dispatch
from waypost.cli.asked import Asked
from waypost.cli.decision import group as decision_group
from waypost.cli.grant import group as grant_group
from waypost.cli.handoff import group as handoff_group
from waypost.cli.message import group as message_group
from waypost.cli.options import COMMON
from waypost.cli.program import COMMANDS, program
from waypost.cli.project import group as project_group
from waypost.cli.session import group as session_group
from waypost.cli.token import group as token_group
from waypost.cli.user import group as user_group
from waypost.cli.verb import Verb
from waypost.client.routes import ROUTES
from waypost.client.run_file import RunFile
from waypost.operations.catalogue import OPERATIONS
from waypost.operations.inputs import ActingInput

GROUPS = {
    "message": message_group,
    "decision": decision_group,
    "handoff": handoff_group,
    "project": project_group,
    "session": session_group,
    "user": user_group,
    "token": token_group,
    "grant": grant_group,
}
VERBS = [(group, name, verb) for group, tree in GROUPS.items() for name, verb in tree.verbs.items()]
NAMES = [f"{group} {name}" for group, name, _ in VERBS]
ELSEWHERE = {
    "wake.look": "receivers ask, over REST or by the Python client",
    "wake.reserve": "receivers do",
    "wake.accepted": "receivers do",
    "wake.retry": "receivers do",
    "briefing.begin": "agents ask for their briefing",
    "briefing.show": "hooks print it",
    "briefing.shown": "hooks report it",
    "handoff.offer": "`handoff accept` without an id asks for it",
    "message.cancel": "`message cancel` runs message.cancel_all, which takes an id too",
    "project.put": "`project add`",
    "changes.list": "`waypost changes`",
    "consumer.put": "`waypost changes --consumer`",
    "consumer.show": "hosts look at their consumers over REST",
    "consumer.delete": "hosts delete their consumers over REST",
    "session.put": "clients register their sessions",
    "store.show": "`status` and `migrate` show it",
}


@promise(
    "cli.message.live_verbs",
    "cli.message.lease_verbs",
    "cli.message.redact",
    "cli.decision.verbs",
    "cli.handoff.verbs",
    "cli.project.verbs",
    "cli.session.verbs",
)
def test_the_groups_offer_the_verbs_of_the_contract() -> None:
    leases = ["claim", "renew", "release", "complete", "snooze"]
    assert list(message_group.verbs) == [
        "send",
        "list",
        "view",
        "pop",
        "ack",
        *leases,
        "cancel",
        "reply",
        "wait",
        "redact",
    ]
    assert list(decision_group.verbs) == ["ask", "list", "view", "answer", "wait", "cancel"]
    assert list(handoff_group.verbs) == ["begin", "list", "accept", "cancel"]
    assert set(project_group.verbs) == {"list", "add", "allow", "rename", "move", "show", "which", "delete"}
    assert set(session_group.verbs) == {"list", "show", "continue"}


def test_every_operation_with_a_route_is_offered_or_is_said_to_be_elsewhere() -> None:
    offered = {verb.operation for _, _, verb in VERBS}
    assert {operation.name for operation in OPERATIONS if operation.name in ROUTES} == offered | set(ELSEWHERE)
    assert offered <= set(ROUTES)


@pytest.mark.parametrize(("group", "name", "verb"), VERBS, ids=NAMES)
@promise("cli.options.common")
def test_every_verb_takes_the_common_options_after_it(group: str, name: str, verb: Verb) -> None:
    command = verb.command(name)
    assert set(COMMON) <= {parameter.name for parameter in command.params}


@pytest.mark.parametrize(("group", "name", "verb"), VERBS, ids=NAMES)
def test_a_session_is_a_field_exactly_where_the_operation_has_one(group: str, name: str, verb: Verb) -> None:
    operation = next(operation for operation in OPERATIONS if operation.name == verb.operation)
    assert verb.session_field == issubclass(operation.input, ActingInput)


def test_every_option_of_a_verb_is_a_field_of_its_operation() -> None:
    made_here = {"inbox", "outbox", "label", "destination", "new_name", "recommended", "everywhere", "handoff_state"}
    made_here |= {"operator", "agent", "yes"}
    for _, name, verb in VERBS:
        operation = next(operation for operation in OPERATIONS if operation.name == verb.operation)
        fields = {info.alias or field for field, info in operation.input.model_fields.items()}
        given = {*verb.options, *(argument.removesuffix("?") for argument in verb.arguments)}
        assert given - fields <= made_here, name


@promise("cli.message.live_verbs")
def test_mail_goes_from_one_directory_to_another_and_is_answered(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    sent = either.json("message", "send", "--to-project", api, "--subject", "Export", "Please stream it.", at=web)
    assert sent["to"]["project"] == api
    listed = either.json("message", "list", at=api)
    assert [item["id"] for item in listed["items"]] == [sent["message_id"]]
    assert listed["items"][0]["from"]["project"] == web
    viewed = either.json("message", "view", "--id", sent["message_id"], at=api)
    assert viewed["message"]["foreign"] is True
    assert either.json("message", "wait", "--timeout-seconds", "5", at=api)["retry"] is False
    replied = either.json("message", "reply", "--id", sent["message_id"], "Done.", at=api)
    assert replied["to"]["project"] == web
    popped = either.json("message", "pop", at=api)
    assert popped["message"]["id"] == sent["message_id"]
    assert either.json("message", "pop", at=api)["message"] is None
    cancelled = either.json("message", "cancel", "--id", replied["message_id"], at=api)
    assert cancelled["cancelled"] == 1


@promise("cli.message.redact", "mail.redact.operator_only")
def test_redacting_reaches_the_server_and_takes_the_operator(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    message = either.send(web, api)
    assert either.run("message", "redact", "--id", message, "--json", at=web).code == "forbidden"


@promise("cli.message.live_verbs")
def test_a_session_acknowledges_what_it_read(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    message = either.send(web, api)
    acting = ["--session", f"S-{api}", "--project", api]
    acked = either.json("message", "ack", "--id", message, "--occurrence", "1", *acting, at=web)
    assert acked["message_id"] == message
    assert either.json("message", "list", *acting, at=web)["items"] == []
    assert len(either.json("message", "list", "--session", f"T-{api}", "--project", api, at=web)["items"]) == 1


@promise("cli.decision.verbs")
def test_a_question_is_asked_in_one_directory_and_answered_in_another(either: CommandLine) -> None:
    web, ops = either.project("web"), either.project("ops")
    choices = ["--option", "yes=Merge it", "--option", "no=Send it back:Tests: first.", "--recommended", "yes"]
    more = ["--details", "All of it.", "--link", "https://example.test/1", "--link", "https://example.test/2"]
    asked = either.json("decision", "ask", f"Merge {web}?", "--to-project", ops, *choices, *more, at=web)["decision_id"]
    [listed] = either.json("decision", "list", "--state", "open", at=ops)["items"]
    assert (listed["id"], len(listed["links"])) == (asked, 2)
    viewed = either.json("decision", "view", "--id", asked, at=web)["decision"]
    assert [(one["id"], one["label"], one["description"], one["recommended"]) for one in viewed["options"]] == [
        ("yes", "Merge it", "", True),
        ("no", "Send it back", "Tests: first.", False),
    ]
    assert either.json("decision", "wait", "--id", asked, "--timeout-seconds", "0", at=web)["retry"] is True
    answered = either.json("decision", "answer", "--id", asked, "--option", "no", "--comment", "Not yet.", at=ops)
    assert answered["decision"]["state"] == "answered"
    assert either.json("decision", "wait", "--id", asked, at=web)["decision"]["answer"]["option"] == "no"
    second = either.json("decision", "ask", f"And {web}?", *choices, at=web)["decision_id"]
    assert either.json("decision", "cancel", "--id", second, at=web)["decision"]["state"] == "cancelled"
    everywhere = either.json("decision", "list", "--everywhere", "--limit", "500")["items"]
    assert {asked, second} <= {one["id"] for one in everywhere}
    for wrong in (["--option", "yes"], ["--option", "yes="], [*choices, "--recommended", "maybe"]):
        assert either.run("decision", "ask", "Which?", *wrong, at=web).status == 2


@promise("cli.handoff.verbs")
def test_a_note_is_left_and_accepted_once(either: CommandLine) -> None:
    web = either.project("web")
    steps = ["--next-step", "First.", "--next-step", "Second.", "--open-question", "Which?", "--file-touched", "a.py"]
    left = either.json("handoff", "begin", f"Half done in {web}.", *steps, at=web)["handoff_id"]
    [listed] = either.json("handoff", "list", at=web)["items"]
    assert (listed["id"], listed["next_steps"], listed["foreign"]) == (left, ["First.", "Second."], False)
    accepted = either.json("handoff", "accept", at=web)["handoff"]
    assert (accepted["id"], accepted["state"]) == (left, "accepted")
    assert either.json("handoff", "accept", "--id", left, at=web)["replayed"] is True
    assert either.run("handoff", "accept", at=web).status == 2
    second = either.json("handoff", "begin", "Another.", at=web)["handoff_id"]
    assert either.json("handoff", "cancel", "--id", second, at=web)["handoff"]["state"] == "cancelled"
    every = either.json("handoff", "list", "--state", "all", at=web)["items"]
    assert {one["state"] for one in every} == {"accepted", "cancelled"}
    assert either.json("handoff", "begin", "x", "--automatic", at=web)["handoff_id"] is None


@promise("cli.scope.working_directory")
def test_without_options_the_directory_says_who_sends_and_who_reads(either: CommandLine) -> None:
    web = either.project("web")
    below = either.folder(web) / "src"
    below.mkdir()
    assert either.json("project", "which", at=web)["resolved_scope"] == {"workspace": "default", "project": web}
    sent = either.json("message", "send", "--repeat", "a note to myself", at=web)
    assert sent["to"]["project"] == web
    assert either.json("message", "list", "--outbox", at=web)["scope_source"] == "workdir"


def test_cancel_all_withdraws_the_own_outbox(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    for _ in range(3):
        either.send(web, api)
    assert either.json("message", "cancel", "--all", at=web)["cancelled"] == 3
    assert either.json("message", "list", at=api)["items"] == []


def test_filters_and_pages_reach_the_operation(either: CommandLine) -> None:
    web, api, ops = either.project("web"), either.project("api"), either.project("ops")
    first, second = either.send(web, api, "--subject", "needle"), either.send(ops, api)
    page = either.json("message", "list", "--limit", "1", at=api)
    assert [item["id"] for item in page["items"]] == [first]
    rest = either.json("message", "list", "--limit", "1", "--cursor", page["next_cursor"], at=api)
    assert [item["id"] for item in rest["items"]] == [second]
    for given, expected in (("--query", "needle"), first), (("--from", ops), second), (("--thread", second), second):
        assert [item["id"] for item in either.json("message", "list", *given, at=api)["items"]] == [expected]
    assert either.json("message", "list", "--status", "closed", at=api)["items"] == []


def test_reminders_are_scheduled_and_come_due(either: CommandLine) -> None:
    web = either.project("web")
    later = either.json("message", "send", "--delay-seconds", "3600", "remind me", at=web)
    assert later["actionable"] is True
    assert either.json("message", "list", "--status", "scheduled", at=web)["items"][0]["id"] == later["message_id"]
    soon = either.json("message", "send", "--delay-seconds", "1", "--repeat", "soon", at=web)
    waited = either.json("message", "wait", "--timeout-seconds", "30", at=web)
    assert [item["id"] for item in waited["items"]] == [soon["message_id"]]


def test_a_wait_ends_when_its_time_is_up(either: CommandLine) -> None:
    assert either.json("message", "wait", "--timeout-seconds", "0", at=either.project("web"))["retry"] is True


def test_a_wait_without_a_server_sees_what_another_process_sends(
    shell: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    web, api = shell.project("web"), shell.project("api")
    sent: list[str] = []
    monkeypatch.setattr("waypost.cli.here.time.sleep", lambda seconds: sent.append(shell.send(web, api)))
    waited = shell.json("message", "wait", "--timeout-seconds", "60", at=api)
    assert [item["id"] for item in waited["items"]] == sent[:1]


def test_a_wait_goes_on_through_a_server_that_appears(shell: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    web, api = shell.project("web"), shell.project("api")
    shell.send(web, api, "--delay-seconds", "2")
    asked: list[dict[str, object]] = []
    through = dispatch.through

    def note(run: RunFile, request: Asked) -> str:
        asked.append(dict(request.fields))
        return through(run, request)

    monkeypatch.setattr(dispatch, "through", note)

    def appear(*arguments: object) -> RunFile | None:
        shell.start()
        return shell.run_file

    monkeypatch.setattr("waypost.cli.here._sleep_until_changed", appear)
    waited = shell.json("message", "wait", "--timeout-seconds", "60", at=api)
    assert len(waited["items"]) == 1
    assert [fields["timeout_seconds"] for fields in asked] <= [60]


@promise("cli.project.verbs")
def test_projects_are_made_shown_renamed_and_moved(either: CommandLine) -> None:
    name = either.project("web")
    assert either.json("project", "add", at=name)["created"] is False
    assert name in {item["project"] for item in either.json("project", "list", "--limit", "500")["items"]}
    assert either.json("project", "show", at=name)["project"]["project"] == name
    either.json("project", "rename", name, f"{name}-new")
    assert either.json("project", "show", f"default/{name}-new")["project"]["identity"].endswith(name)
    either.json("project", "move", f"{name}-new", f"acme/{name}")
    assert either.json("project", "which", at=name)["resolved_scope"] == {"workspace": "acme", "project": name}
    refused = either.run("project", "delete", f"acme/{name}")
    assert (refused.status, refused.code) == (1, "forbidden")


@promise("cli.project.verbs")
def test_a_checkout_is_allowed_to_use_the_project_that_its_marker_names(either: CommandLine) -> None:
    owner, clone = either.project("web"), either.folder(f"clone-{either.project('c')}")
    (clone / ".waypost.toml").write_text(f'project = "{owner}"\n', encoding="utf-8")
    assert either.run("message", "send", "x", at=clone).code == "scope_guessed"
    assert either.json("project", "allow", at=clone)["project"]["project"] == owner
    assert either.json("message", "send", "x", at=clone)["to"]["project"] == owner


@promise("cli.session.verbs")
def test_sessions_are_listed_shown_and_continued(either: CommandLine) -> None:
    web = either.project("web")
    earlier, now = f"S1-{web}", f"S2-{web}"
    for session in (earlier, now):
        either.json("message", "send", "--repeat", "--project", web, "--session", session, f"by {session}")
    assert {item["id"] for item in either.json("session", "list", "--project", web)["items"]} == {earlier, now}
    continued = either.json("session", "continue", earlier, "--session", now)
    assert continued["session"]["continues"] == [earlier]
    assert either.json("session", "show", now)["session"]["continues"] == [earlier]
    assert either.json("session", "show", "--session", earlier)["session"]["continues"] == []


def test_a_repeated_key_answers_what_the_first_one_did(either: CommandLine) -> None:
    web = either.project("web")
    key = ["--idempotency-key", f"key-{web}", "--repeat"]
    first = either.json("message", "send", *key, "once", at=web)
    assert either.json("message", "send", *key, "once", at=web) == first
    assert either.run("message", "send", *key, "another", at=web).code == "idempotency_mismatch"


@promise("cli.options.agree")
def test_the_environment_agrees_with_the_options(either: CommandLine) -> None:
    web, api = either.project("web"), either.project("api")
    variables = {"WAYPOST_PROJECT": web, "WAYPOST_SESSION": f"S-{web}"}
    which = either.json("project", "which", at=api, variables=variables)
    assert (which["resolved_scope"]["project"], which["session"]) == (web, f"S-{web}")
    given = either.json("project", "which", "--project", api, at=web, variables=variables)
    assert given["resolved_scope"]["project"] == api
    split = either.json("project", "which", variables={"WAYPOST_WORKSPACE": "default", "WAYPOST_PROJECT": api})
    assert split["resolved_scope"]["project"] == api


@promise("store.pipeline.without_server")
def test_without_a_server_the_store_is_free_again_after_a_command(shell: CommandLine) -> None:
    name = shell.project("web")
    with shell.serving():
        assert shell.json("project", "show", name)["project"]["project"] == name
    assert shell.json("project", "show", name)["project"]["project"] == name


@promise("cli.json.one_object")
def test_json_is_the_same_with_a_server_and_without_one(shell: CommandLine) -> None:
    web = shell.project("web")
    shell.send(web, web, "--subject", "Ünïcode \u202e")
    commands = [
        ("message", "list"),
        ("project", "list"),
        ("project", "which"),
        ("session", "list"),
        ("message", "view", "--id", "nonsense"),
        ("message", "list", "--limit", "0"),
    ]
    alone = [shell.run(*command, "--json", at=web).out for command in commands]
    with shell.serving():
        assert [shell.run(*command, "--json", at=web).out.strip() for command in commands] == [
            one.strip() for one in alone
        ]
    assert all(isinstance(json.loads(one), dict) for one in alone)


def test_every_command_builds_its_help() -> None:
    def walk(group: click.Group, path: str) -> None:
        context = click.Context(group, info_name=path)
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            assert command is not None
            if isinstance(command, click.Group):
                walk(command, f"{path} {name}")
            assert command.get_help(click.Context(command, info_name=name))

    walk(program, "waypost")
    assert {"mcp", "hook", "serve", "doctor"} <= set(COMMANDS)
