"""The promises of contracts/mail.md on what reaches agents and hosts: frames, notices, wakes, decisions, handoffs, feed, webhooks."""

from __future__ import annotations

from tests.promises.model import COMPAT, ISSUE_4, WEBHOOKS, group

PROMISES = [
    *group(
        "mail.md: What reaches an agent by itself",
        {
            "frame.answer.every_foreign_text": "Foreign text in any answer, structured or not, stands in a frame.",
            "text.frame.cannot_close": "Framed text cannot contain the boundary of its own frame.",
            "text.frame.no_controls": (
                "Framed text carries no control, bidirectional or invisible characters that could disguise it."
            ),
        },
    ),
    *group(
        "mail.md: What reaches an agent by itself",
        {
            "agent.text.same_project_only": (
                "Text is given unasked only where sender and reader are surely the same project, or for its own "
                "reminders."
            ),
            "agent.text.declared_is_foreign": "A sender project that was merely named in the call counts as foreign.",
            "agent.notice.users_and_wakes": "Mail to a user and wake mail are announced by count only.",
            "agent.block.format": (
                "Each item of the block is one header line and its framed body; the last line says how many were "
                "left out."
            ),
            "agent.block.cut_is_marked": "A body that was cut in the block is marked as cut.",
            "agent.block.start_in_full": "Session start and compaction show every unread item that fits in full.",
            "agent.block.prompt_new_in_full": (
                "A prompt shows new items in full and older unacked ones as one line of ids."
            ),
            "agent.block.tool_new_only": "After a tool only new items are shown.",
            "agent.block.shown_once_told": (
                "An item counts as shown once the hook, having printed, told the server; else it is offered again."
            ),
            "agent.block.old_information_skipped": (
                "A session that starts after an informational project message was first acked does not get it as "
                "unread."
            ),
            "agent.block.empty_prints_nothing": "With nothing to show nothing is printed.",
        },
    ),
    *group(
        "mail.md: What reaches an agent by itself",
        {
            "wake.reserve.one_receiver": "A wake is reserved by one receiver for 60 seconds.",
            "wake.accepted.not_read": "An accepted wake is not a read message.",
            "wake.occurrence.once": (
                "An occurrence wakes once, again after a lease expired unfinished, and at most 3 times."
            ),
        },
    ),
    *group(
        "mail.md: Decisions",
        {
            "decision.ask.validated": (
                "A question has 2 to 9 options with unique ids, at most one recommended, and the asker as its reply "
                "project."
            ),
            "decision.plain.recognised": (
                "A well-formed question in plain mail becomes a decision, and a valid plain reply its answer, under "
                "the same checks."
            ),
            "decision.plain.malformed_stays_mail": "A malformed question in plain mail stays plain mail.",
            "decision.plain.unaccepted_reply": (
                "A malformed, late or unpermitted plain reply is stored with `unaccepted: ` before its subject and "
                "never mistaken for the answer."
            ),
            "decision.answer.exactly_one": "However many answers race, exactly one is accepted.",
            "decision.answer.rights": (
                "Answering needs read on the mailbox and write on the asking project (`not_permitted_to_answer`)."
            ),
            "decision.answer.root_only": (
                "A question that requires root is answered by the operator alone, at every door."
            ),
            "decision.answer.effects": (
                "Answering closes the question, sends the reply to the asking project and is a journal entry."
            ),
            "decision.answer.second_refused": "A second answer is refused (`already_answered`) and says who answered.",
            "decision.list.open_first": "A list of questions shows the open ones first and is read on by its cursor.",
            "decision.wait.returns_answer": "Waiting for a decision returns once it was answered.",
        },
    ),
    *group(
        "mail.md: Handoffs",
        {
            "handoff.begin.summary_required": (
                "A handoff needs a summary; open questions, next steps and touched files are optional."
            ),
            "handoff.accept.single_use": "A handoff is claimed by one session, once.",
            "handoff.accept.at_first_prompt": (
                "A handoff is offered at session start and claimed by that session's first prompt; a session that "
                "never speaks consumes nothing."
            ),
            "handoff.manual.beats_automatic": "A manual handoff beats an automatic one.",
            "handoff.automatic.when_enabled": "Automatic handoffs are made at session end only when enabled.",
            "handoff.offer.not_while_source_active": (
                "A handoff is not offered while its source session was active in the last 10 minutes."
            ),
            "handoff.expiry.thirty_days": "A handoff expires after 30 days.",
        },
    ),
    *group(
        "mail.md: History, annotations, references",
        {
            "history.about.defaults_to_session": "`about` defaults to the session that the mail is addressed to.",
        },
    ),
    *group(
        "mail.md: History, annotations, references",
        {"reference.context.erased_refused": "A reference to an erased fact is refused."},
        set_aside=ISSUE_4,
    ),
    *group(
        "mail.md: Change feed",
        {
            "feed.cursor.epoch_and_position": (
                "A cursor of the feed is (epoch, position), and entries are ordered by commit."
            ),
            "feed.cursor.always_goes_on": (
                "Every page says where to go on, empty or not, also past entries that the caller may not read."
            ),
            "feed.entry.no_foreign_text": (
                "An entry says what changed, its version and the actor, and never foreign text."
            ),
            "feed.entry.only_where_readable": "An entry is given only to a caller who may read where it happened.",
            "feed.consumer.durable": "A named consumer's checkpoint survives restarts of both sides.",
            "feed.consumer.exactly_once": (
                "A consumer that keeps the cursor with its own effect sees each change once, in order, however often it is killed."
            ),
            "feed.consumer.at_least_once": (
                "A consumer that relies on the server's checkpoint misses nothing, and sees again only what it had not committed."
            ),
            "feed.consumer.moved_only_by_commit": "Reading moves no checkpoint, and a commit is no change of the feed.",
            "feed.consumer.never_back": (
                "A checkpoint goes back only by `rewind`, and never to a cursor that the store cannot have given."
            ),
            "feed.consumer.forgotten_unused": "A consumer that commits nothing for 90 days may be forgotten.",
            "feed.gap.explicit": "A checkpoint older than what is kept answers an explicit gap with its bounds.",
            "feed.retention.ninety_days": "Entries are kept for 90 days.",
            "feed.poll.and_stream": "The feed can be read by long poll and as a stream.",
            "feed.stream.resumes": "A stream goes on after the last event id, without loss or repeat.",
            "feed.stream.bounded": (
                "A stream holds one page for a slow client, notices one that is gone, and there are only so many."
            ),
            "feed.events.documented": "Every kind of event stands in one table of the docs.",
        },
    ),
    *group(
        "mail.md: Admission webhooks; seed 000: Using it from the terminal",
        {
            "webhook.decider.every_door": (
                "A deciding webhook is asked before the change at every door, a CLI on the bare database included."
            ),
            "webhook.decider.recipient_scope": "A deciding webhook judges a send against the recipient's scope.",
            "webhook.decider.reject": (
                "A refusal, timeout or malformed answer under `reject` refuses the request, and nothing changes."
            ),
            "webhook.decider.ignore": "Under `ignore` a failing webhook lets the request pass.",
            "webhook.observer.after_commit": (
                "Observers are told only after the commit, from the journal, with a durable cursor each."
            ),
            "webhook.observer.retried": "A failing observer is retried with backoff for 3 days.",
            "webhook.observer.no_body": (
                "A notification carries scope, actor and event, an id only if configured, and never a body."
            ),
            "webhook.observer.signed": "Notifications are signed by the Standard Webhooks scheme.",
            "webhook.target.guarded": "Link-local, metadata and loopback targets need an explicit allowance.",
            "webhook.none.unchanged": "Without a matching webhook nothing behaves differently.",
        },
        set_aside=WEBHOOKS,
    ),
    *group(
        "mail.md: Compatibility",
        {
            "compat.ai_memory.tools": (
                "`--compat ai-memory` offers that program's message, handoff and briefing tools with its "
                "parameters, fields, states and limits."
            ),
            "compat.ai_memory.truncation": "`--compat ai-memory` truncates over-long text as that program does.",
            "compat.ai_memory.cancel_without_id": "Under `--compat ai-memory` a cancel without an id clears the outbox.",
            "compat.ai_memory.handoff_route": "`--compat ai-memory` serves `GET /handoff`.",
            "compat.neosian.tool": (
                "`--compat neosian` offers the one `messages` tool with its ten verbs, flags and fields."
            ),
            "compat.neosian.command": "`waypost messages` offers the same ten verbs on the command line.",
            "compat.limits.off": "Under `--compat` rate limit, loop guard and derived keys are off.",
        },
        set_aside=COMPAT,
    ),
]
