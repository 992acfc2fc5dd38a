"""The promises of the seed on cross-project mail (seeds/000): the queue, naming, decisions, notice, security."""

from __future__ import annotations

from tests.promises.model import ISSUE_4, ISSUE_5, ISSUE_6, group

PROMISES = [
    *group(
        "seed 000: The model; mail.md: Addresses",
        {
            "mail.project.any_session_pops": (
                "Mail addressed to a project can be popped by any session that works in that project."
            ),
            "mail.isolation.inbox_by_recipient": (
                "An inbox is read by the recipient's address alone: no session, sender or id opens another "
                "project's inbox."
            ),
            "mail.isolation.outbox_by_sender": (
                "Outbox and cancel are keyed by the sending project: nobody lists or cancels what another project sent."
            ),
        },
    ),
    *group(
        "seed 000: The model; mail.md: Verbs",
        {
            "mail.pop.exactly_once": "However many callers race for it, one message is popped by exactly one of them.",
            "mail.pop.nothing_is_null": (
                'A pop answers `{"message": null}` where nothing is due or somebody else took the message; that is '
                "no error."
            ),
            "mail.pop.oldest_first": (
                "A pop without an id takes the oldest message that is due, by due time, creation and id."
            ),
            "mail.pop.by_id": "A pop with an id takes that message and no other.",
            "mail.cancel.one": (
                "A sender's cancel with an id retracts that message alone, and nobody can pop it afterwards."
            ),
            "mail.cancel.after_pop_refused": "A message that was already popped cannot be cancelled (`already_closed`).",
            "mail.send.unknown_recipient": (
                "A send to a project that does not exist is refused (`unknown_recipient`); no dead inbox comes into "
                "being."
            ),
            "mail.send.unknown_recipient_near_names": (
                "The refusal of an unknown recipient suggests near names of projects that the caller may read."
            ),
        },
    ),
    *group(
        "seed 000: The model (a wiki page is not a message)",
        {
            "memory.record.never_mail": (
                "What is recorded in a project's memory is never surfaced as mail; only a send puts something into "
                "an inbox."
            ),
        },
        set_aside=ISSUE_6,
    ),
    *group(
        "seed 000: Naming the project; mail.md: Naming the mailbox",
        {
            "scope.guess.says_which": (
                "The refusal of a guess names the project that would have been used, how it was found and which "
                "arguments to pass."
            ),
            "scope.certain.accepted": (
                "A project named in the call, or bound to a known session, is used as such, and verbs that change "
                "something proceed."
            ),
            "scope.read.guess_answered": "List and view answer a guessed project, because reading does no harm.",
            "scope.read.always_labelled": (
                "Every list answer carries `resolved_scope` and `scope_source`, empty or not, and a `hint` where "
                "the project was guessed."
            ),
        },
    ),
    *group(
        "seed 000: Using it from the terminal",
        {
            "cli.scope.working_directory": (
                "Without options the CLI takes the project of the working directory as sender and as reader."
            ),
            "cli.message.body_sources": (
                "`waypost message send` takes the body from its argument, `--body-file`, `--stdin`, or standard "
                "input when that is no terminal."
            ),
        },
    ),
    *group(
        "seed 000: Operator decisions, Asking; mail.md: Decisions",
        {
            "decision.wire.question": (
                "A question travels as `decision: <question>` with question, requires_root, reply_project, options, "
                "details and links in its body."
            ),
            "decision.wire.prefixes_apart": (
                "A reply's subject never matches a filter for questions, nor a question's one for replies."
            ),
            "decision.ask.any_mailbox": (
                "A question goes to any existing project on which the asker may write; no special mailbox is needed."
            ),
            "decision.ask.guessed_asker_refused": (
                "A question whose asking project was guessed is refused, so that the answer has a real return address."
            ),
            "decision.ask.id_for_the_reply": "Asking answers the question's id, and the reply names that id.",
            "decision.ask.option_ids_are_the_askers": "The ids of options reach the asker again exactly as it gave them.",
        },
    ),
    *group(
        "seed 000: Operator decisions, Answering; mail.md: Decisions",
        {
            "decision.wire.reply": (
                "An answer travels as `decision-reply: <id>` with question_id, option and comment in its body."
            ),
            "decision.list.consumes_nothing": "Listing open decisions leaves each of them open for other readers.",
            "decision.answer.comment_is_foreign": (
                "The comment of an answer is foreign text: framed, and never an authorization by itself."
            ),
            "decision.answer.who_answered": (
                "The asker sees who answered from the authenticated credential and the answering project, not from "
                "text."
            ),
            "decision.answer.empty_user_is_not_root": (
                "An answer without an authenticated user never counts as one by root."
            ),
            "decision.cancel.reply_stays": "Cancelling a question leaves a reply to it where it is.",
            "decision.reply.listed_until_popped": (
                "A reply stays listed until its asker pops it, so that a retry still sees it."
            ),
        },
    ),
    *group(
        "seed 000: Security; mail.md: What reaches an agent by itself",
        {
            "frame.answer.security_notice": "An answer that returns foreign text carries a `security_notice` beside it.",
            "frame.provenance.outside": (
                "Who sent a message (workspace, project, session, client, user) is stated outside the frame of its "
                "text."
            ),
        },
    ),
    *group(
        "seed 000: Security; mail.md: What reaches an agent by itself",
        {
            "agent.context.nothing_by_itself": (
                "Text from another project reaches an agent's context only through a call that the agent makes."
            ),
        },
        set_aside=ISSUE_4,
    ),
    *group(
        "seed 000: On-start context and the inbox notice",
        {
            "agent.notice.consumes_nothing": "The notice of waiting mail consumes nothing and marks nothing read.",
            "agent.notice.count_and_own_names": (
                "The notice carries the count and the reader's own server-side names, never a word from a sender."
            ),
            "agent.notice.names_fall_back": (
                "Where the reader's names cannot be looked up the notice says \"this project's inbox\"."
            ),
            "agent.notice.how_to_read": (
                "The notice says how to read the mail, and that each item is a request to weigh and not an instruction."
            ),
            "agent.notice.absent_when_empty": "Without pending mail there is no notice.",
            "briefing.mail.count_and_scope": "`briefing` answers `pending_message_count` and the scope that it counted.",
        },
    ),
    *group(
        "seed 000: On-start context and the inbox notice",
        {
            "hook.start.handoff_and_notice": (
                "A session's start brings the pending handoff and the inbox notice into its context."
            ),
        },
        set_aside=ISSUE_5,
    ),
]
