-- Messages with their receipts and old versions. A message stands in one mailbox; names are looked up, so that renaming or moving a
-- project carries its mail in both directions.

create table messages (
  id text primary key,
  format integer not null,
  workspace text not null,
  mailbox_id text not null references mailboxes (id),
  to_session text,
  from_project_id text not null,
  from_session text,
  from_client text,
  from_user text,
  from_door text not null,
  from_source text not null,
  subject text not null,
  body text not null,
  actionable integer not null check (actionable in (0, 1)),
  reminder integer not null check (reminder in (0, 1)),
  delivery text not null check (delivery in ('next_activity', 'wake')),
  created_at {big} not null,
  due_at {big} not null,
  expires_at {big},
  occurrence integer not null,
  status text not null check (status in ('open', 'done', 'cancelled', 'expired')),
  version integer not null,
  lease_holder text,
  lease_token text,
  lease_until {big},
  lease_generation {big} not null default 0,
  wake_owner text,
  wake_token text,
  wake_until {big},
  wake_accepted integer not null default 0 check (wake_accepted in (0, 1)),
  wake_count integer not null default 0,
  outcome text,
  closed_at {big},
  closed_by_session text,
  closed_by_project text,
  reply_to text,
  thread text not null,
  about_session text,
  about_turn integer,
  first_read_at {big},
  digest text not null
) {strict};

-- Two partial indexes instead of one whole: no plan for open mail can ever walk over the closed mail behind it.
create index messages_inbox_open on messages (mailbox_id, due_at, created_at, id) where status = 'open';
create index messages_inbox_closed on messages (mailbox_id, due_at, created_at, id) where status <> 'open';
create index messages_outbox_open on messages (from_project_id, due_at, created_at, id) where status = 'open';
create index messages_outbox_closed on messages (from_project_id, due_at, created_at, id) where status <> 'open';
create index messages_untouched on messages (mailbox_id, due_at) where status = 'open' and first_read_at is null and lease_until is null;
create index messages_popped on messages (mailbox_id, closed_at, id) where status = 'done' and outcome = 'popped';
create index messages_digest on messages (digest, created_at);
create index messages_thread on messages (thread, created_at, id);
create index messages_by_sender on messages (from_session, created_at) where from_session is not null;
create index messages_read on messages (due_at) where status = 'open' and actionable = 0 and first_read_at is not null;
create index messages_expiring on messages (expires_at) where status = 'open' and expires_at is not null;

create table message_versions (
  message_id text not null,
  version integer not null,
  workspace text not null,
  changed_at {big} not null,
  kind text not null,
  actor {json} not null,
  state {json} not null,
  primary key (message_id, version)
) {strict};

create table receipts (
  message_id text not null,
  occurrence integer not null,
  session text not null,
  workspace text not null,
  notified_at {big},
  returned_at {big},
  acked_at {big},
  primary key (message_id, occurrence, session)
) {strict};
