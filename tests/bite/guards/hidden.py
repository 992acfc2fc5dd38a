"""Guards of what a caller may not learn, and of what a browser's credentials may not reach."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

LEAKS = "tests/operations/test_rights_leaks.py::"


def guard(promise: str, file: str, test: str, snippet: str, replacement: str = "if False:") -> Guard:
    """One guard, tried by one test."""
    return Guard(promise=promise, file=file, snippet=snippet, replacement=replacement, tests=(test,))


GUARDS = [
    guard(
        "web.queue.read_only",
        "server/mcp/app.py",
        "tests/doors/mcp/test_callers.py::test_a_browsers_cookie_reaches_no_tool",
        'if b"cookie" in headers_of(scope):',
    ),
    guard(
        "rights.page.operator",
        "server/web/live.py",
        "tests/doors/web/test_web_live.py::test_a_stream_ends_with_the_session_that_its_page_was_signed_in_by",
        "if not await self._still_reads(watch):",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/convention.py",
        LEAKS + "test_a_reply_to_a_hidden_question_learns_nothing_of_it",
        "if held is None or held.message is None or not unit.sees(held.message):",
        "if held is None or held.message is None:",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/scope.py",
        LEAKS + "test_a_session_of_a_hidden_project_is_not_touched_nor_told_by_who_names_it",
        "if there is not None and there.project_id != project.id:",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/bounds.py",
        LEAKS + "test_a_full_inbox_of_a_hidden_project_is_neither_named_nor_counted",
        "if unit.may(Right.READ, message.mailbox_id) else",
        "if True else",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "operations/records.py",
        LEAKS + "test_the_record_of_a_sent_message_names_no_session_of_a_hidden_project",
        "owner = wake.owner if names.may_read_recipient else UNREADABLE_SESSION",
        "owner = wake.owner",
    ),
    guard(
        "rights.user.token",
        "operations/pipeline.py",
        LEAKS + "test_the_kept_answer_of_a_pop_is_not_given_again_to_who_may_read_no_more",
        "if stored.has_words:",
    ),
    guard(
        "rights.administration.operator",
        "operations/tokens.py",
        LEAKS + "test_an_agents_token_lists_no_token_of_its_person",
        "own = None if unit.caller.rights >= Rights.OPERATOR else _own_person(unit)\n    user_id = find_person",
        "own = None\n    user_id = find_person",
    ),
    guard(
        "rights.hidden.nothing_leaks",
        "identity/queries.sql",
        LEAKS + "test_a_person_with_whom_no_project_is_shared_any_more_is_unknown",
        "\n      and theirs.can_read + theirs.can_write + theirs.can_review + theirs.can_admin > 0",
        "",
    ),
]
