"""The promises of the seed on messages and reminders (seeds/001): addresses, delivery, lifecycle, history, references."""

from __future__ import annotations

from tests.promises.model import ISSUE_4, ISSUE_5, ISSUE_6, group

PROMISES = [
    *group(
        "seed 001: Address and deliver; mail.md: Addresses",
        {
            "address.session.itself": (
                "Mail to a session reaches that session and no unrelated session of the same project."
            ),
            "address.session.continuations": "Mail to a session reaches the sessions that explicitly continue it.",
            "address.session.transitive": (
                "Continuation is followed transitively, and a circle of continuations does no harm."
            ),
            "address.session.need_not_exist": "A session can be written to before it has run.",
            "address.user.sessions_anywhere": (
                "Mail to a user reaches that user's sessions wherever they work, and `~user#session` that session "
                "alone."
            ),
            "mail.send.durable_before_answer": (
                "A send is answered once it is stored durably; a killed server loses no acknowledged send."
            ),
            "mail.send.confirms_no_reading": "The answer of a send never claims that somebody read the message.",
            "identity.session.never_from_recency": "No session is ever inferred from which one was active last.",
            "identity.session.not_authentication": (
                "A session id routes mail and proves nothing: stating one gives no right that the caller lacks."
            ),
            "mail.delivery.next_activity_default": "A message without a delivery mode is delivered at the next activity.",
            "wake.request.one_turn": "`delivery=wake` asks an attached, capable receiver for a turn.",
            "wake.receiver.absent_stays_pending": "Without a receiver a wake message stays pending and loses nothing.",
            "wake.receiver.polls_or_streams": (
                "Attached receivers learn of due wakes by polling every 5 seconds or by holding a stream, reminders "
                "included."
            ),
            "wake.host.deduplicates": (
                "A wake carries (id, occurrence), so that a host which lost an answer can tell a repeat from news."
            ),
            "agent.block.bounded": "The inbox block is at most 2,048 characters, counted after framing.",
            "agent.block.left_out_stays_pending": (
                "Items that were cut or left out of the block stay pending and can be read by list and view."
            ),
        },
    ),
    *group(
        "seed 001: Address and deliver; mail.md: What reaches an agent by itself",
        {
            "wake.receiver.nothing_started": (
                "No stopped agent is ever started, and no session is woken for being recorded."
            ),
            "wake.receiver.busy_finishes_first": "A busy receiver finishes what it does before it takes the wake.",
        },
        set_aside=ISSUE_4,
    ),
    *group(
        "seed 001: Integrations; clients.md: automatic delivery",
        {
            "client.setup.upgrade_regenerates": (
                "Running `setup --write` again after an upgrade regenerates the installed adapters."
            ),
            "client.pi.stops_at_shutdown": "Pi's receiver stops when its session shuts down.",
            "client.opencode.drops_deleted": (
                "OpenCode's receiver serves the sessions that its plugin process has seen and drops deleted ones."
            ),
        },
        set_aside=ISSUE_5,
    ),
    *group(
        "seed 001: Commands and lifecycle; mail.md: Lists",
        {
            "mail.list.statuses": (
                "A list answers unread, open, scheduled, closed or all mail, each as the contract defines it."
            ),
            "mail.list.default_unread": (
                "The inbox is listed as `unread` and the outbox as `open` unless another status is asked for."
            ),
            "mail.list.limit": "A list answers 50 items unless asked for another number, and never more than 500.",
            "mail.list.reads_nothing": "Listing and viewing consume nothing, mark nothing read and change no version.",
            "mail.view.versions": "A view answers one message with the history of its versions.",
            "mail.ack.for_this_session": (
                "An ack makes this occurrence read for the acking session alone; other sessions still have it unread."
            ),
            "mail.ack.harmless_repeat": "A repeated ack of the same occurrence changes nothing and is no error.",
            "mail.ack.stale_occurrence": (
                "An ack that names an occurrence which is not the current one is refused (`stale_occurrence`)."
            ),
            "mail.ack.actionable_stays_open": "An acked actionable message stays open until it is finished.",
            "mail.send.informational_default": (
                "A message sent for now is informational unless it says that it is actionable."
            ),
            "mail.send.dated_is_actionable": "A message with a due time or a delay is always actionable.",
            "mail.due.at_its_instant": (
                "Nothing is delivered before its due time, and it is due at the very instant of it."
            ),
            "mail.due.stored_in_utc": (
                "Times with any offset and delays from the operation's own clock are stored and answered as "
                "instants in UTC."
            ),
            "mail.due.input_checked": (
                "A due time without an offset, a delay of zero or less, and both together are refused "
                "(`invalid_input`)."
            ),
            "mail.due.no_recurrence": "A reminder comes due once; nothing recurs by itself and no cron text is accepted.",
            "mail.scope.untargeted_send": "A send without a destination goes to the caller's own project.",
            "mail.scope.list_reads_both": "A list without a scope reads the own project and the own user.",
        },
    ),
    *group(
        "seed 001: Commands and lifecycle; mail.md: Verbs",
        {
            "mail.claim.one_owner": (
                "A claim gives one session a lease of 30 minutes with a token and marks the item read."
            ),
            "mail.claim.refused_while_held": (
                "A claim of a message with another live lease is refused (`already_claimed`)."
            ),
            "mail.claim.not_actionable": "A claim of an informational message is refused (`not_actionable`).",
            "mail.claim.not_due": "A claim before the due time is refused (`not_due`).",
            "mail.claim.repeat_same_token": (
                "A second claim by the holder answers the same token, does not extend the lease and says `repeated: "
                "true`."
            ),
            "mail.claim.generation_rises": (
                "The generation of a message's lease rises with each new claim and never falls."
            ),
            "mail.claim.expired_is_free": (
                "A message whose lease expired is unread and claimable again for every recipient session."
            ),
            "mail.renew.extends": "The holder extends its lease by renewing with its token.",
            "mail.release.frees": "A release makes the message unread and claimable at once.",
            "mail.complete.needs_token_and_outcome": "Completing needs the holder's token and an outcome.",
            "mail.complete.idempotent": (
                "The same session's repeated complete with the same token and occurrence gets the first answer."
            ),
            "mail.complete.stale_token_refused": (
                "A token from an expired or lost lease never finishes the work (`lease_lost`), and nothing changes."
            ),
            "mail.snooze.keeps_id_and_history": "A snooze keeps the id and every earlier finding.",
            "mail.snooze.next_occurrence": "A snooze raises the occurrence and clears lease, receipts and wake.",
            "mail.snooze.needs_future_time": "A snooze to now or earlier is refused and changes nothing.",
            "mail.snooze.late_ack_refused": (
                "An ack that arrives for the occurrence before a snooze is refused (`stale_occurrence`)."
            ),
            "mail.due.while_down_once": (
                "What came due while the server was down is delivered once after its start and says how late it is."
            ),
            "mail.due.timezone": (
                "`--timezone` turns a wall time into the stored instant: a gap becomes its first valid minute, an "
                "overlap the first."
            ),
        },
    ),
    *group(
        "seed 001: History and ownership; mail.md: History",
        {
            "history.session.mail_annotates": (
                "Mail to a session annotates it, and `about` attaches a message to a session or turn without "
                "changing who gets it."
            ),
            "history.session.read_without_consuming": (
                "A session outside the audience reads permitted annotations and consumes nobody's mail."
            ),
            "history.annotation.outlives_completion": "Ack, completion and time never remove an annotation.",
            "history.annotation.cancelled_is_labelled": "A cancelled annotation stays and is labelled as cancelled.",
            "history.session.show": (
                "`session show ID [--turn N]` gives the recorded session or turn reference and the dated "
                "annotations after it."
            ),
            "history.conversation.whole": (
                "`list` with `box` both shows one whole thread, received and sent, in the order in which it was written."
            ),
        },
    ),
    *group(
        "seed 001: History and ownership; mail.md: History",
        {"search.mail.bodies_and_outcomes": "Search finds subjects, bodies and earlier outcomes."},
        set_aside=ISSUE_4,
    ),
    *group(
        "seed 001: History and ownership; mail.md: Verbs, redact",
        {
            "mail.redact.everywhere": (
                "Redacting blanks subject, body, outcomes, comments and every version, and keeps ids, times and actors."
            ),
            "mail.redact.operator_only": "Only the operator redacts (`forbidden`).",
            "mail.redact.withdraws": "An open message or question is withdrawn with its words.",
            "mail.redact.repeated": "Redacting again changes nothing; the same words may be sent as a new message.",
        },
    ),
    *group(
        "seed 001: History and ownership; mail.md: Verbs, redact",
        {"mail.redact.marks_facts": "Facts that were drawn from a redacted message are marked."},
        set_aside=ISSUE_6,
    ),
    *group(
        "seed 001: Recorded design decision: mailbox v1",
        {
            "record.versions.kept": "Every change of a message keeps the version before it.",
            "record.version.rises": "Every change of a message raises its version by one.",
            "record.format.newer_skipped": (
                "A record of a newer or unreadable format is listed as such and skipped, never rewritten, never the "
                "end of a list."
            ),
            "client.retry.only_keyed": (
                "No door and no client of Waypost retries a write that carries no idempotency key."
            ),
            "store.lock.released_by_death": "The lock of a store is free as soon as its holder died, however it died.",
        },
    ),
    *group(
        "seed 001: Recorded design decision: mailbox v1; mail.md: The record",
        {
            "record.schema.published": (
                "A JSON schema of format 1 is published in the docs and at `/v1/schemas/message`, and every record "
                "answers to it."
            ),
            "record.schema.contract_runner": (
                "`make test-contract` drives all mail verbs through the CLI alone, with stale occurrences, stale "
                "tokens and repeats."
            ),
        },
    ),
    *group(
        "seed 001: Document and change references; mail.md: References",
        {
            "reference.context.must_resolve": (
                "A referenced fact or path must resolve for the sender, else the send is refused (`context_not_found`)."
            ),
            "reference.context.old_version_refused": (
                "An expected version that is no longer current is refused (`context_stale`)."
            ),
            "reference.context.pins_current": "A reference without a version pins the current one.",
            "reference.context.only_a_reference": (
                "Only the reference is stored: it grants no access and keeps nothing erased readable."
            ),
            "reference.context.outlives_target": "A reference stays in the history after its target moved or was erased.",
            "reference.change_id.unverified": "A change id is the sender's assertion and is shown as such.",
        },
        set_aside=ISSUE_4,
    ),
]
