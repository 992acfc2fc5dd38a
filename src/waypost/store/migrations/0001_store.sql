-- What every store has: who it is, which migrations it went through, the journal, and the idempotency keys.

create table store_info (
  key text not null primary key,
  value text not null
) {keyed};

create table schema_migrations (
  version {big} not null primary key,
  name text not null,
  checksum text not null,
  applied_at {big} not null
) {strict};

-- One entry for each change: what changed to which version, by whom, and whose readers may know. Never text of anybody.
create table journal (
  {journal_position},
  at {big} not null,
  kind text not null,
  subject_id text not null,
  version {big} not null,
  scope_a text,
  scope_b text,
  door text not null,
  actor_user text,
  actor_client text,
  actor_project text,
  actor_session text,
  scope_source text
) {strict};

create index journal_scope_a on journal (scope_a, position) where scope_a is not null;
create index journal_scope_b on journal (scope_b, position) where scope_b is not null;

create table idempotency_keys (
  principal text not null,
  project text not null,
  operation text not null,
  key text not null,
  fingerprint text not null,
  answer {json} not null,
  created_at {big} not null,
  primary key (principal, project, operation, key)
) {keyed};

create index idempotency_keys_age on idempotency_keys (created_at);
