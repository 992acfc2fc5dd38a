"""The promises of contracts/mail.md that its seeds do not already make: addresses, the record, verbs, bounds, naming."""

from __future__ import annotations

from tests.promises.model import group

PROMISES = [
    *group(
        "mail.md: Addresses",
        {
            "address.sender.workspace_needs_project": (
                "A sender or destination workspace without a project is refused (`invalid_input`)."
            ),
            "address.project.bare_is_default": "A bare project name is in the workspace `default`.",
            "address.project.label_is_split": (
                "A `workspace/project` label given as the project is split at every door, and refused if another "
                "workspace stands beside it."
            ),
            "address.name.alphabet": (
                "A name outside its alphabet or over 128 characters is refused (`invalid_input`); capitals are folded."
            ),
            "address.session.alphabet": (
                "A session id is kept as the client gave it, case and all; one outside its alphabet is refused "
                "(`invalid_input`)."
            ),
            "identity.project.lookup_creates_nothing": (
                "A project exists once an agent has run there or somebody added it; a lookup of anything creates "
                "nothing."
            ),
            "identity.user.local_login": "Without tokens the one user is the operating system's login.",
            "identity.project.rename_carries_mail": "A renamed or moved project keeps its mail in both directions.",
            "identity.session.continues_declared": (
                "A session declares what it continues at registration and by `waypost session continue`."
            ),
        },
    ),
    *group(
        "mail.md: Addresses",
        {
            "briefing.session.continue_parameter": "`briefing` takes `session_continue` and records the continuation.",
        },
    ),
    *group(
        "mail.md: The record",
        {
            "record.fields.complete": "Every door answers a message with the fields of format 1 and no others.",
            "record.user.only_authenticated": (
                "`from.user` is set only from an authenticated credential and is null otherwise."
            ),
            "record.declared.apart": (
                "What credential and transport say of a sender (`from`, `via`) is recorded apart from what it says "
                "of itself (`declared`)."
            ),
            "record.subject.one_line": "A subject is one line of at most 200 characters; anything else is refused.",
            "record.body.length": "A body has 1 to 8,000 characters; an empty or longer one is refused.",
            "receipt.kinds.apart": (
                "Notified, body returned and acked are recorded apart for each session, and none implies the next."
            ),
            "receipt.rows.change_no_version": "A receipt changes no version of the message.",
            "receipt.continuation.inherits": "A continuing session inherits the receipts of those it continues.",
            "text.scrub.all_free_texts": "Every stored free text of a request is scrubbed, not only the body.",
            "text.scrub.count_answered": "The answer says how many secrets were removed.",
            "text.scrub.before_measure": (
                "Text is scrubbed first and measured after, so that removing secrets decides what is too long."
            ),
            "text.scrub.recall": "The scrubber finds at least .97 of 30 kinds of keys, 5 each, made at run time.",
            "text.scrub.false_alarms": (
                "The scrubber alters at most .005 of 500 clean texts that were not written for it."
            ),
            "text.scrub.bounded_time": (
                "No input makes the scrubber slow: its patterns are bounded and guarded by keywords."
            ),
            "text.too_long.refused": (
                "Over-long text is refused with its limit and its length, and nothing is cut silently."
            ),
            "text.truncate.marked": (
                "`truncate=true` cuts with a visible mark and answers `truncated` and the original length."
            ),
            "text.invalid.refused_with_position": (
                "A lone surrogate or NUL is refused (`invalid_text`) with its position."
            ),
            "text.invalid.repaired": "`repair=true` stores text with a lone surrogate or NUL repaired.",
        },
    ),
    *group(
        "mail.md: Verbs, send",
        {
            "mail.send.key_repeat": (
                "A repeated send with the same idempotency key answers the first message's id and stores nothing."
            ),
            "mail.send.derived_repeat": (
                "Without a key the same send by the same session within 10 minutes, unread or under 60 s old, "
                "answers `already_sent: true` and the first id."
            ),
            "mail.send.repeat_forced": "`repeat=true` stores the same text again as a message of its own.",
            "mail.send.derived_not_after_cancel": (
                "A send like one that was cancelled, or like an old one that was read, is a new message."
            ),
            "mail.send.reach": (
                "A send says how many sessions can be told and how, and names sessions only where the caller may read."
            ),
        },
    ),
    *group(
        "mail.md: Verbs, list and view",
        {
            "mail.list.order": "A list is ordered by due time, creation and id.",
            "mail.list.pages": "A cursor continues a list without loss or repeat while mail arrives and leaves.",
            "mail.list.filters": "A list filters by thread, by sender and by words in the text.",
            "mail.list.bad_cursor_refused": "A cursor that no list gave is refused (`invalid_input`).",
            "mail.view.not_found": (
                "Viewing an id that is unknown, or not the caller's to see, is refused (`message_not_found`)."
            ),
        },
    ),
    *group(
        "mail.md: Verbs, pop",
        {
            "mail.pop.closes": "A popped message is done with outcome `popped`.",
            "mail.pop.only_due": (
                "A pop takes only due mail, and with the id of one that is not due it is refused (`not_due`)."
            ),
            "mail.pop.replayed": (
                "The session (else project) that popped a message, and nobody else, gets it again by its id for 24 "
                "hours with `replayed: true`."
            ),
            "mail.pop.recently_popped": "Every pop without an id lists the ids that were popped in the last 10 minutes.",
            "mail.pop.skips_reminders": (
                "A pop without an id skips actionable reminders; with an id it takes any due one."
            ),
            "mail.pop.sessionless_project_only": "A caller without a session takes only mail addressed to the project.",
            "mail.pop.skips_decisions": "A pop without an id skips open decisions.",
            "mail.pop.not_recipient": (
                "A pop of a message addressed to somebody else is refused (`not_recipient`) and takes nothing."
            ),
        },
    ),
    *group(
        "mail.md: Verbs, pop",
        {
            "mail.pop.leased_is_skipped": "A pop takes no message under a live lease.",
        },
    ),
    *group(
        "mail.md: Verbs, claim to snooze",
        {
            "mail.claim.token_to_holder_only": (
                "A lease's token is answered to its holder alone; no list, view, version or journal entry shows it."
            ),
            "mail.lease.not_inherited": (
                "A session that continues a holder inherits its receipts and not its lease: it may not finish, and "
                "claims once the message is free."
            ),
            "mail.verbs.never_by_others": (
                "Who is no recipient is refused every verb that consumes (`not_recipient`), and may read all the same."
            ),
            "mail.lease.fences_side_effects": (
                "A holder that slept through its lease is refused, and a guard that compares generations keeps its "
                "late side effect out."
            ),
            "mail.lease.crash_whole": (
                "A claim, complete or snooze that dies at any step of its commit has happened whole or not at all, and "
                "can be asked again."
            ),
            "mail.lease.length_is_a_setting": "A lease lasts `lease_seconds` under `[limits]`, 30 minutes unless set.",
        },
    ),
    *group(
        "mail.md: Verbs, ack",
        {
            "mail.ack.session_mail_closes": "An informational message to one session closes when that session acks it.",
            "mail.ack.project_mail_stays": (
                "An informational message to a project or user stays for the other sessions until each acked, it is "
                "popped or it expires."
            ),
            "mail.ack.needs_session": "An ack without a session is refused (`session_required`).",
            "mail.ack.not_recipient": "An ack by a session outside the audience is refused (`not_recipient`).",
        },
    ),
    *group(
        "mail.md: Verbs, cancel and reply",
        {
            "mail.cancel.who": (
                "Any session of the sending project and the operator may cancel, a recipient may, and nobody else."
            ),
            "mail.cancel.scheduled": "Mail that is not yet due can be cancelled.",
            "mail.cancel.occurrence_checked": (
                "A cancel that names an occurrence is refused (`stale_occurrence`) if it is not the current one."
            ),
            "mail.cancel.idempotent": "A repeated cancel is no error and changes nothing.",
            "mail.cancel.all": "`all=true` cancels every open message of the own outbox and answers their count.",
            "mail.cancel.never_all_by_omission": (
                "A cancel with neither id nor `all=true` is refused and cancels nothing."
            ),
            "mail.reply.to_project": "A reply goes to the sender's project and names the message that it answers.",
            "mail.reply.to_session": "`to_sender_session=true` sends the reply to the sender's session.",
            "mail.reply.thread": "A reply belongs to the thread of the message that it answers.",
            "mail.reply.only_recipient": "Only a recipient replies; anyone else is refused (`not_recipient`).",
        },
    ),
    *group(
        "mail.md: Verbs, cancel",
        {
            "mail.cancel.claimed": "The sender cancels also claimed work, a recipient only what nobody claimed.",
        },
    ),
    *group(
        "mail.md: Verbs, wait",
        {
            "wait.due.returns": (
                "A wait answers as soon as something unread is due, mail sent meanwhile and reminders that come due "
                "included."
            ),
            "wait.timeout.bounded": "A wait ends after `timeout_seconds`, at most 300, and says that nothing came.",
            "wait.mcp.retry": "Over MCP a wait ends after 50 seconds with `retry: true`.",
        },
    ),
    *group(
        "mail.md: Verbs",
        {
            "mail.order.of_checks": (
                "Refusals are judged in one order: known and readable, recipient, occurrence, status, due, lease "
                "and token."
            ),
            "mail.refusal.changes_nothing": "A refused request changes no row, version, receipt or journal entry.",
            "mail.session.required": "A verb that acts for a session is refused without one (`session_required`).",
            "identity.session.who_registers": (
                "An unknown session is registered only by hook, bridge, `PUT /v1/sessions/{id}`, or a call that "
                "names project and session together."
            ),
            "mail.expiry.by_sender": "Mail with `expires_at` expires then and is no longer delivered.",
            "mail.expiry.read_information": "Informational mail that some session acked expires 30 days past due.",
            "mail.expiry.unread_never": "Unread or actionable mail never expires by itself.",
        },
    ),
    *group(
        "mail.md: Bounds",
        {
            "mail.bounds.unread_256": (
                "The send that would make more than 256 due, untouched messages in an inbox is refused "
                "(`inbox_full`) until one is read or popped."
            ),
            "mail.bounds.scheduled_1000": (
                "The send that would make more than 1,000 scheduled messages of one recipient is refused "
                "(`inbox_full`)."
            ),
            "mail.bounds.exact_under_load": "The bounds hold exactly while many senders race.",
            "mail.bounds.time_may_exceed": "Reminders that come due may exceed the bound; nothing is dropped for it.",
            "mail.bounds.rate": (
                "More than 60 sends a minute by one session are refused (`rate_limited`), counted in the database; "
                "callers without token and session are not rated."
            ),
            "mail.bounds.loop_guard": (
                "More than 10 replies in a chain between agents within 10 minutes without an operator are refused "
                "(`loop_guard`)."
            ),
            "mail.bounds.settings": "The limits are settings under `[limits]`.",
        },
    ),
    *group(
        "mail.md: Naming the mailbox",
        {
            "scope.source.labels": (
                "Each answer says how the project was found: explicit, session, workdir, or the kind of guess."
            ),
            "scope.source.session_argument_is_declared": (
                "A `session` argument names the acting session and by itself makes a project no better than declared."
            ),
            "scope.source.unknown_session_is_guess": "An unknown or mismatching session id makes the project a guess.",
            "scope.guess.every_write_refused": (
                "Every verb that changes something refuses a guessed project, at every door."
            ),
            "scope.workdir.certain": (
                "A project found by the CLI's or the bridge's directory, or by a declared MCP root, is no guess."
            ),
            "scope.resolver.one": "All verbs find the same project for the same caller.",
            "scope.restart.unknown_is_not_empty": (
                'After a restart a session that has not spoken is "unknown", never "no mail".'
            ),
        },
    ),
]
