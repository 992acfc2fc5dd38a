"""The promises of DESIGN that the foundation makes: house, start, storage, identity, doors, security, day one."""

from __future__ import annotations

from tests.promises.model import ISSUE_5, group

PROMISES = [
    *group(
        "DESIGN: The house",
        {
            "house.imports.point_down": (
                "Imports point down only; kernel and domains import no third party, and nobody the standard "
                "library's sqlite3."
            ),
            "house.sizes.bounded": (
                "No file is over 600 lines, nine of ten are under 400, and nine of ten functions under 35."
            ),
            "house.names.say_what": (
                "No module is called utils, helpers, manager or common, and every module says what it owns."
            ),
            "house.handlers.broad_listed": "Broad exception handlers stand only in listed boundary files.",
            "house.files.no_index_address": "No tracked file names the address of a package index.",
            "house.exclusions.reasoned": "Each exclusion from a check has its reason beside it.",
            "house.packaging.ranges_agree": (
                "pyproject.toml and requirements/base.in name the same ranges, and the pins satisfy them."
            ),
            "house.packaging.installs": "`pip install .` gives a `waypost` command that knows its version.",
            "house.make.serve": (
                "`make serve` on a machine with only Python 3.11 and make sets itself up and starts Waypost."
            ),
            "house.make.test": "`make test` sets itself up and runs the whole suite.",
            "house.promises.all_proved": "Every live promise has a test that names it, and no test names an unknown one.",
            "house.promises.set_aside_printed": (
                "The promises that are set aside are counted by reason at the end of every run."
            ),
            "house.bite.guards": "Taking out a listed guard makes the test of its promise fail.",
            "house.sql.beside_domains": (
                "SQL stands in queries.sql beside its domain and every named query runs on every engine."
            ),
            "house.errors.codes_unique": "Every refusal has a stable code, a title and one HTTP status.",
        },
    ),
    *group(
        "DESIGN: The house, start-up cost",
        {
            "start.entry.looks_first": "The entry point looks for `hook` and `mcp` before it imports anything else.",
            "start.cli.lazy": "A CLI command imports only what it needs.",
            "start.server.hooks_before_templates": "The server answers before templates and the MCP SDK are imported.",
        },
    ),
    *group(
        "DESIGN: Five ideas, one operation",
        {
            "pipeline.order.kept": (
                "Every verb runs scope, authority, stored answer, deciders, then key and authority again, rule, "
                "rows and journal in one transaction."
            ),
            "pipeline.doors.same_policy": "A policy that holds at one door holds at all.",
        },
    ),
    *group(
        "DESIGN: Storage",
        {
            "store.commit.durable_before_answer": "Nobody is answered before COMMIT returned, with full synchronisation.",
            "store.commit.group": "Units that wait together are committed together, each in its own savepoint.",
            "store.commit.failed_unit_alone": "A unit that fails takes back its own changes and no other unit's.",
            "store.commit.full_disk_middle_unit": (
                "A full disk in the middle unit of a batch fails that unit, and the others are stored."
            ),
            "store.commit.failed_commit_retryable": (
                "A failed COMMIT answers all its units with a retryable error, and the store goes on."
            ),
            "store.units.no_outside_effect": "A unit has no effect outside its transaction and may be run again.",
            "store.lock.one_process": "One process at a time has a SQLite store open.",
            "store.lock.network_refused": "A store on a network file system is refused.",
            "store.lock.busy_after_wait": (
                "A CLI verb that cannot get the lock within 5 seconds is refused (`store_busy`)."
            ),
            "store.lock.second_server": "A second server on the same store is refused and says who holds it.",
            "store.runfile.private": (
                "The run file is for the owner alone (0600) and names pid, version, store id, socket, port and key."
            ),
            "store.runfile.found_by_store": "A client finds its server by the store's run file, never by a port.",
            "store.runfile.stale_ignored": "A run file whose server is gone is ignored.",
            "store.runfile.foreign_server": (
                "A server that answers with another store's id is refused (`store_unavailable`)."
            ),
            "store.pipeline.without_server": (
                "Without a server a CLI verb runs the same pipeline under the lock and lets go."
            ),
            "store.version.newer_cli": "A newer CLI beside an older server says `waypost restart`.",
            "store.journal.dense_positions": "Journal entries have dense positions in the order of commits.",
            "store.journal.one_per_change": (
                "Every change appends its journal entry in the same transaction, without foreign text."
            ),
            "store.clock.one_now": "A unit has one `now`, which tests can replace.",
            "store.ids.rise": "Ids are UUIDs of version 7 and rise within a process, even where its clock steps back.",
            "store.migrations.forward_only": (
                "Migrations are numbered and forward only, and each is applied whole or not at all."
            ),
            "store.migrations.newer_refused": (
                "A store with a newer schema is refused (`schema_newer`) and left untouched."
            ),
            "store.migrations.backup_first": "A migration of a store with data is preceded by a backup.",
            "store.migrations.only_lock_holder": "Only the holder of the lock migrates.",
            "store.backup.whole": "A backup taken under load is a whole, consistent store.",
            "store.restore.new_epoch": (
                "A restore begins a new epoch, ends leases and keeps generations rising; old cursors answer a gap."
            ),
            "store.sqlite.version_checked": "A SQLite with the known WAL fault is refused.",
            "store.corrupt.clear_error": "A corrupt store gets a clear refusal and is never written.",
            "store.readonly.clear_error": "A read-only store gets a clear refusal that says what to do.",
            "store.full.clear_error": "A full disk gets a clear refusal, and the server goes on once there is space.",
            "store.wal.truncated_when_idle": "The WAL is truncated when the store is idle.",
            "store.files.private": (
                "A store's database, WAL and lock file are for their owner alone, whatever the umask."
            ),
            "store.jobs.short_units": "Long jobs write in short units and do not hold up the writer.",
            "store.speed.flat_history": "The cost of each hot query does not grow with the closed messages behind it.",
            "store.crash.nothing_lost": (
                "Killed at random moments under load, the store loses nothing acknowledged and nothing is popped twice."
            ),
        },
    ),
    *group(
        "DESIGN: Storage",
        {
            "postgres.engine.same_promises": "Every promise of the foundation holds on Postgres by the same suite.",
            "postgres.claims.skip_locked": (
                "Many nodes pop and claim from one database without waiting for each other and without doubles."
            ),
            "postgres.clock.after_the_lock": "On Postgres `now` is the database's clock, read after the row lock.",
            "postgres.bounds.exact": "The bounds of an inbox hold exactly while several nodes send.",
            "postgres.delete.no_dead_inbox": (
                "A project deleted on one node while another sends to it never holds mail that nobody can find."
            ),
            "postgres.migrations.any_number": "Any number of nodes may start at once, and one of them migrates.",
            "postgres.restart.reconnects": "Nodes reconnect after the database restarted.",
            "postgres.errors.clear": "A database that is missing, too old, read-only or full gets a clear refusal.",
            "sequencer.late_committer.in_order": "A late committer with an early sequence is never skipped by a reader.",
            "sequencer.idle_transaction.no_harm": "An idle transaction in another database holds up no reader.",
            "sequencer.restore.new_cluster": "A restore into a new cluster leaves positions and cursors right.",
            "sequencer.two.no_doubles": "Two sequencers at once give no position twice.",
            "postgres.nodes.one_dies": "A node that dies or stands still loses nothing acknowledged, and the others go on.",
            "postgres.nodes.news_within_a_second": "Pages and waiters on every node see changes within a second.",
            "postgres.nodes.background_once": "Background work runs once among all nodes.",
            "postgres.versions.side_by_side": (
                "Nodes of different versions across a migration go on or say clearly that they cannot."
            ),
        },
    ),
    *group(
        "DESIGN: Storage",
        {
            "store.export.documented": "Export is a documented, engine-independent format of everything.",
            "store.export.everything": "Every table of the schema is in an export, on both engines, in one order.",
            "store.export.sum": "An export that was cut or changed at any byte is refused before anything is written.",
            "store.export.bounded": "Exporting and importing hold some records in memory, however large the store is.",
            "store.export.one_moment": "An export is of one moment, whatever is written beside it, and holds up no writer.",
            "store.export.whole_file": (
                "An export is for its owner alone, gets its name when it is whole, and replaces no file untold."
            ),
            "store.import.all_or_nothing": (
                "An import is all or nothing, repeatable after a kill, and gives an equal export."
            ),
            "store.import.refused_by_line": "An import names the line that does not fit and imports nothing.",
            "store.import.empty_only": "A store that holds anything takes no import, and the refusal says what it holds.",
            "store.import.needs_stopped": "A store that a server has open takes no import (`store_busy`).",
            "store.import.new_epoch": (
                "An import keeps the store's id and begins a new epoch: leases end, generations go on above every earlier "
                "one, and a cursor from before is answered with a gap."
            ),
            "store.import.older_schema": (
                "An export of an older schema goes through the later migrations; a newer one is refused (`schema_newer`)."
            ),
        },
    ),
    *group(
        "DESIGN: Doors, Errors",
        {
            "errors.sentence.complete": "A refusal says what was wrong, what was left unchanged and what to do.",
            "errors.text.no_foreign": "A refusal repeats no secret and no foreign text.",
            "errors.nothing.silent": "Nothing is cut, dropped or repaired without the answer saying so.",
        },
    ),
    *group(
        "DESIGN: Security",
        {
            "security.bind.loopback_only": "A bind beyond loopback without authentication refuses to start.",
            "security.host.checked": "A request with a foreign Host is refused, so that a rebound name reaches nothing.",
            "security.origin.checked": "A request with a foreign Origin is refused.",
            "security.link.single_use": "The link of `waypost open` works once, for 60 seconds, and is never logged.",
            "security.logs.no_bodies": "Logs hold no bodies, keys, tokens or links.",
            "security.tokens.beyond_loopback": "With an operator token Waypost binds beyond loopback.",
            "security.grants.per_project": "Grants are for each project: read, write, review, admin.",
            "security.argv.no_secrets": "No secret stands in an argument list or in a client's configuration.",
            "security.directory.needs_key": (
                "A directory header is honoured only with the run file's key or from loopback without tokens."
            ),
        },
    ),
    *group(
        "DESIGN: Day one",
        {
            "day_one.folders.shown": "Data, state, log and config folders follow the platform and are shown by `status`.",
            "day_one.folders.one_home": "`WAYPOST_HOME` puts every folder below one.",
            "day_one.settings.precedence": "A setting comes from option, environment or `config.toml`, in this order.",
            "day_one.settings.malformed": "An unknown or malformed setting is refused and named.",
            "day_one.marker.scope_only": "`.waypost.toml` sets scope and briefing and nothing else.",
            "day_one.logs.rotate": "Logs rotate, 5 of 10 MB.",
            "day_one.server.detached": "An auto-started server is its own session and inherits no descriptors.",
            "day_one.server.starts_once": "However many clients start it at once, one server of a store starts.",
            "day_one.docs.quickstart": "The README's quickstart works word by word.",
            "day_one.docs.python": "The examples of the Python page work word by word.",
        },
    ),
    *group(
        "DESIGN: Day one",
        {
            "day_one.server.replaced_when_idle": "An auto-started older server is replaced by a newer one when idle.",
            "day_one.doctor.sandboxes": "`doctor` names agent sandboxes that block loopback.",
        },
        set_aside=ISSUE_5,
    ),
]
