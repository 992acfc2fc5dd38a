"""The promises of contracts/web.md: the pages for people who watch and steer."""

from __future__ import annotations

from tests.promises.model import ISSUE_5, ISSUE_6, ISSUE_7, group

PROMISES = [
    *group(
        "web.md: the page",
        {
            "web.page.server_rendered": "Every page is complete without JavaScript.",
            "web.page.live": "Pages change by server-sent events when something happens, without a reload.",
            "web.page.keyboard": "Every page works with a keyboard.",
            "web.page.phone": "Every page works on a phone without sideways scrolling.",
            "web.page.light_and_dark": "Every page is legible in light and in dark.",
            "web.page.no_foreign_host": "Pages load nothing from another host.",
            "web.page.strict_csp": (
                "Pages are served under a content security policy that allows no inline script and no foreign source."
            ),
            "web.page.text_escaped": "Foreign text on a page can neither run nor leave its place.",
        },
    ),
    *group(
        "web.md: Home; seed 000: In the web UI",
        {
            "web.home.badge": (
                'A project card shows an amber "N inbox" badge where messages are pending, and nothing where none are.'
            ),
            "web.home.total_line": "The home page says the total in one line with links to the projects that hold mail.",
        },
    ),
    *group(
        "web.md: Project; seed 000: In the web UI",
        {
            "web.project.five_oldest": (
                "Above the recent activity stand at most five pending messages, oldest first, with subject, sender, "
                "a 160-character snippet and age."
            ),
            "web.project.of_n_and_command": 'When more are pending it says "5 of N" and gives the exact list command.',
            "web.project.none_says_so": "When none are pending the section says so.",
            "web.project.inbox_only": "The section shows the inbox only.",
            "web.project.unknown_is_empty": (
                "A URL that names no project shows an empty mailbox, says that it is unknown, and creates nothing."
            ),
            "web.queue.read_only": "Pop, ack, claim and cancel cannot be reached with a browser's credentials.",
            "web.queue.showing_marks_nothing": "Showing a message on a page leaves it pending and unread.",
            "web.writes.same_origin": "A write from a browser needs same-origin fetch metadata and a JSON content type.",
            "web.times.viewers_zone": "Times are shown in the viewer's zone with the UTC instant at hand.",
            "web.refusal.code_and_remedy": "A refusal on a page shows its code and its remedy.",
            "web.home.decisions_first": "The home page shows open decisions first.",
            "web.decisions.form": (
                "A decision's page shows question, options as buttons, details, links, who may answer and the "
                "history of answers."
            ),
            "web.sender.hidden": (
                'A sender whose project the viewer may not read is "a project you cannot read", unlinked, at every '
                "door."
            ),
            "web.signin.by_token": "With users a person signs in by token.",
            "web.signin.reading_free": "On loopback without tokens reading needs no sign-in and every write does.",
        },
    ),
    *group(
        "web.md: Project, Activity; issue 4: The pages",
        {
            "web.project.reminders_and_claims": (
                "A project page shows reminders, next due first and how late where due, and claimed work with its countdown."
            ),
            "web.message.page": (
                "A message's page shows its text as text, its state, lease, receipts, history and thread, and changes nothing."
            ),
            "web.activity.journal": "The activity page shows the journal, filtered, with actor and door.",
        },
    ),
    *group(
        "web.md: Status",
        {
            "web.status.doctor": "The status page shows what `doctor` says.",
        },
        set_aside=ISSUE_5,
    ),
    *group(
        "web.md: Memory",
        {
            "web.memory.pages": "The memory pages list, show, preview, review and steer facts.",
        },
        set_aside=ISSUE_6,
    ),
    *group(
        "web.md: Rooms",
        {
            "web.rooms.timeline": (
                "A room's page is a live timeline with pictures and files, who posted, delivery state and why "
                "something did not arrive."
            ),
        },
        set_aside=ISSUE_7,
    ),
]
