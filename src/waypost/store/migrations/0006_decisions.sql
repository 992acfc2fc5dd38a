-- Decisions: a question to a person with its options, under the id of the message that asked it, and its one accepted answer. They
-- outlive their message, so nothing here refers to it as a row.

create table decisions (
  id text primary key,
  workspace text not null,
  mailbox_id text not null,
  to_session text,
  from_project_id text not null,
  from_session text,
  from_client text,
  from_user text,
  from_door text not null,
  from_source text not null,
  question text not null,
  requires_root integer not null check (requires_root in (0, 1)),
  reply_project text not null,
  options {json} not null,
  details text not null,
  links {json} not null,
  asked_at {big} not null,
  expires_at {big},
  state text not null check (state in ('open', 'answered', 'cancelled', 'expired')),
  version integer not null,
  closed_at {big},
  answer_option text,
  answer_comment text,
  answer_project_id text,
  answer_session text,
  answer_client text,
  answer_user text,
  answer_door text,
  answer_source text,
  answer_message_id text
) {strict};

create index decisions_open on decisions (asked_at, id) where state = 'open';
create index decisions_closed on decisions (closed_at, id) where state <> 'open';
create index decisions_open_inbox on decisions (mailbox_id, asked_at, id) where state = 'open';
create index decisions_closed_inbox on decisions (mailbox_id, closed_at, id) where state <> 'open';
create index decisions_open_outbox on decisions (from_project_id, asked_at, id) where state = 'open';
create index decisions_closed_outbox on decisions (from_project_id, closed_at, id) where state <> 'open';
