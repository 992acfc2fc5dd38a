-- append_entry: one journal entry. SQLite gives the position, one above the highest; on Postgres the sequencer gives it later.
insert into journal (at, kind, subject_id, version, scope_a, scope_b,
  door, actor_user, actor_client, actor_project, actor_session, scope_source)
values (:at, :kind, :subject_id, :version, :scope_a, :scope_b,
  :door, :actor_user, :actor_client, :actor_project, :actor_session, :scope_source)

-- entries_after: the next entries above a position, in order.
select position, at, kind, subject_id, version, scope_a, scope_b,
  door, actor_user, actor_client, actor_project, actor_session, scope_source
from journal where position > :after order by position limit :most

-- entries_of_mailbox_after: the same for those who may read one mailbox.
select position, at, kind, subject_id, version, scope_a, scope_b,
  door, actor_user, actor_client, actor_project, actor_session, scope_source
from (
  select * from (
    select * from journal where scope_a = :mailbox and position > :after order by position limit :most
  ) as first_scope
  union all
  select * from (
    select * from journal where scope_b = :mailbox and position > :after order by position limit :most
  ) as second_scope
) as both_scopes
order by position limit :most

-- entries_before: the entries below a position, newest first.
select position, at, kind, subject_id, version, scope_a, scope_b,
  door, actor_user, actor_client, actor_project, actor_session, scope_source
from journal where position < :before order by position desc limit :most

-- entries_of_mailbox_before: the same for those who may read one mailbox.
select position, at, kind, subject_id, version, scope_a, scope_b,
  door, actor_user, actor_client, actor_project, actor_session, scope_source
from (
  select * from (
    select * from journal where scope_a = :mailbox and position < :before order by position desc limit :most
  ) as first_scope
  union all
  select * from (
    select * from journal where scope_b = :mailbox and position < :before order by position desc limit :most
  ) as second_scope
) as both_scopes
order by position desc limit :most

-- journal_bounds: the lowest position that is kept and the highest; one row, nulls where the journal is empty.
select (select min(position) from journal) as first, (select max(position) from journal) as head

-- store_epoch: the epoch, which begins anew with every restore and import; cursors of another one say nothing about this journal.
select value from store_info where key = 'epoch'

-- note_tried: when somebody last tried whether the store can be written.
insert into store_info (key, value) values ('tried_at', :now) on conflict (key) do update set value = excluded.value

-- prune_entries: drops the oldest entries below a time, never the newest entry, because the next position is counted from it.
delete from journal where position in (
  select position from (select position, at from journal order by position limit :most) as oldest where at < :before
) and position < (select max(position) from journal)

-- find_key: what an idempotency key was answered with.
select fingerprint, answer, holds, created_at from idempotency_keys
where principal = :principal and project = :project and operation = :operation and key = :key

-- keep_key: remembers the answer; an expired answer under the same key gives way, a live one stays and no row is changed.
insert into idempotency_keys (principal, project, operation, key, fingerprint, answer, holds, created_at)
values (:principal, :project, :operation, :key, :fingerprint, :answer, :holds, :created_at)
on conflict (principal, project, operation, key)
do update set fingerprint = excluded.fingerprint, answer = excluded.answer, holds = excluded.holds,
  created_at = excluded.created_at
where idempotency_keys.created_at <= :expired

-- forget_keys: drops keys below a time, some at once so that the unit stays short. The time stands outside too: a row that was
-- renewed while this waited for it is judged again by that alone.
delete from idempotency_keys where (principal, project, operation, key) in (
  select principal, project, operation, key from idempotency_keys where created_at < :before order by created_at limit :most
) and created_at < :before

-- answers_holding: the kept answers that repeat the words of something.
select principal, project, operation, key, answer from idempotency_keys where holds = :holds

-- rewrite_answer: other words for a kept answer.
update idempotency_keys set answer = :answer
where principal = :principal and project = :project and operation = :operation and key = :key

-- forget_key: drops one kept answer.
delete from idempotency_keys
where principal = :principal and project = :project and operation = :operation and key = :key

-- find_consumer: how far a consumer of the feed has come.
select principal, name, epoch, position, created_at, moved_at, used_at, version
from feed_consumers where principal = :principal and name = :name

-- add_consumer: a new one; where another unit added it meanwhile, no row is changed.
insert into feed_consumers (principal, name, epoch, position, created_at, moved_at, used_at, version)
values (:principal, :name, :epoch, :position, :now, :now, :now, 1)
on conflict (principal, name) do nothing

-- move_consumer: its next version, unless another unit moved it meanwhile.
update feed_consumers set epoch = :epoch, position = :position, moved_at = :moved_at, used_at = :now, version = version + 1
where principal = :principal and name = :name and version = :version

-- drop_consumer: forgets one.
delete from feed_consumers where principal = :principal and name = :name

-- count_consumers: how many a principal has.
select count(*) as consumers from feed_consumers where principal = :principal

-- forget_consumers: drops those that nobody used since a time, some at once so that the unit stays short.
delete from feed_consumers where (principal, name) in (
  select principal, name from feed_consumers where used_at < :before order by used_at limit :most
) and used_at < :before
