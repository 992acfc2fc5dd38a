"""The guards of decisions."""

from __future__ import annotations

from tests.bite.model import Guard

__all__ = ["GUARDS"]

RULES = ("tests/rules/test_decision_rules.py",)
SQLITE = ("tests/operations/test_decisions.py", "-k", "sqlite")
WEB = ("tests/doors/web/test_web_decisions.py",)

GUARDS = [
    Guard(
        promise="decision.ask.validated",
        file="mail/decision_rules.py",
        snippet="if len({option.id for option in options}) != len(options):",
        replacement="if False:",
        tests=RULES,
    ),
    Guard(
        promise="decision.answer.root_only",
        file="mail/decision_rules.py",
        snippet="if decision.question.requires_root and not standing.is_root:",
        replacement="if False:",
        tests=RULES,
    ),
    Guard(
        promise="decision.answer.root_only",
        file="operations/decision_rights.py",
        snippet="is_root=unit.caller.rights >= Rights.OPERATOR,",
        replacement="is_root=unit.caller.rights >= Rights.OWNER,",
        tests=(*SQLITE[:2], "sqlite and requires_root"),
    ),
    Guard(
        promise="decision.answer.second_refused",
        file="mail/decision_rules.py",
        snippet="if state is DecisionState.ANSWERED and decision.answer is not None:",
        replacement="if False:",
        tests=RULES,
    ),
    Guard(
        promise="decision.answer.exactly_one",
        file="mail/decisions.sql",
        snippet="where id = :id and version = :expected and state = 'open';",
        replacement="where id = :id;",
        tests=("tests/operations/test_decisions.py", "-k", "twice_over"),
    ),
    Guard(
        promise="decision.plain.unaccepted_reply",
        file="operations/convention.py",
        snippet="UNACCEPTED + message.subject",
        replacement="message.subject",
        tests=(*SQLITE[:2], "sqlite and not_the_answer"),
    ),
    Guard(
        promise="decision.plain.unaccepted_reply",
        file="operations/convention.py",
        snippet="if message.mailbox_id != held.decision.sender.project_id:",
        replacement="if False:",
        tests=(*SQLITE[:2], "sqlite and not_the_answer"),
    ),
    Guard(
        promise="decision.answer.comment_is_foreign",
        file="operations/decision_records.py",
        snippet='comment=frame(answer.comment, origin="comment").text if answer.comment else "",',
        replacement="comment=answer.comment,",
        tests=(*SQLITE[:2], "sqlite and framed"),
    ),
    Guard(
        promise="mail.pop.skips_decisions",
        file="mail/queries.sql",
        snippet="  and not exists (select 1 from decisions d where d.id = m.id and d.state = 'open')\n",
        replacement="",
        tests=(*SQLITE[:2], "sqlite and passes_over"),
    ),
    Guard(
        promise="decision.list.open_first",
        file="operations/decisions.py",
        snippet="if state is not DecisionState.OPEN and len(found) < wanted:",
        replacement="if state is not DecisionState.OPEN and not found:",
        tests=(*SQLITE[:2], "sqlite and open_questions_first"),
    ),
    Guard(
        promise="decision.answer.root_only",
        file="server/web/deciding.py",
        snippet="    if viewer.user is None:\n",
        replacement="    if False:\n",
        tests=WEB,
    ),
    Guard(
        promise="web.writes.same_origin",
        file="server/web/deciding.py",
        snippet="    check_origin(request)\n",
        replacement="",
        tests=WEB,
    ),
    Guard(
        promise="web.decisions.form",
        file="server/web/decision_shown.py",
        snippet='parts.scheme in {"http", "https"} and ',
        replacement="",
        tests=WEB,
    ),
]
