-- insert_message: a new message
insert into messages (
  id, format, workspace, mailbox_id, to_session, from_project_id, from_session, from_client, from_user, from_door, from_source,
  subject, body, actionable, reminder, delivery, created_at, due_at, expires_at, occurrence, status, version, reply_to, thread,
  about_session, about_turn, digest
) values (
  :id, :format, :workspace, :mailbox_id, :to_session, :from_project_id, :from_session, :from_client, :from_user, :from_door,
  :from_source, :subject, :body, :actionable, :reminder, :delivery, :created_at, :due_at, :expires_at, 1, 'open', 1, :reply_to,
  :thread, :about_session, :about_turn, :digest
);

-- message: by id
select * from messages where id = :id;

-- message_held: by id, held to the end of the unit
select * from messages where id = :id {lock};

-- update_message: what a change may set, if nobody else changed it meanwhile
update messages set
  occurrence = :occurrence, due_at = :due_at, reminder = :reminder, status = :status, lease_holder = :lease_holder,
  lease_token = :lease_token, lease_until = :lease_until, lease_generation = :lease_generation, wake_owner = :wake_owner,
  wake_token = :wake_token, wake_until = :wake_until, wake_accepted = :wake_accepted, wake_count = :wake_count, outcome = :outcome, closed_at = :closed_at,
  closed_by_session = :closed_by_session, closed_by_project = :closed_by_project, closed_token = :closed_token,
  first_read_at = :first_read_at, version = :version
where id = :id and version = :expected;

-- mark_first_read: somebody read the message for the first time since it last became unread; no new version
update messages set first_read_at = :first_read_at
where id = :id and (first_read_at is null or first_read_at < :first_read_at);

-- forget_acks: who read this occurrence before an instant has it unread again
update receipts set acked_at = null where message_id = :message_id and occurrence = :occurrence and acked_at < :before;

-- insert_version: what a message was before a change
insert into message_versions (message_id, version, workspace, changed_at, kind, actor, state)
values (:message_id, :version, :workspace, :changed_at, :kind, :actor, :state);

-- versions: what a message was, newest first
select version, changed_at, kind, actor, state from message_versions where message_id = :message_id
order by version desc limit 200;

-- redact_message: a message without its words
update messages set subject = '', body = '', digest = :digest, redacted_at = :redacted_at where id = :id;

-- every_version: all that a message was
select version, state from message_versions where message_id = :message_id order by version;

-- blank_version: an earlier version without its words
update message_versions set state = :state where message_id = :message_id and version = :version;

-- answers_to: what answers a message, the oldest first
select id from messages where thread = :thread and reply_to = :id order by created_at, id limit :limit;

-- receipt_acked: a session has read an occurrence, for the first time or again after a lease ran out
insert into receipts (message_id, occurrence, session, workspace, acked_at)
values (:message_id, :occurrence, :session, :workspace, :now)
on conflict (message_id, occurrence, session) do update set acked_at = :now;

-- receipt_claimed: a session has read an occurrence and was handed its body, because it owns it now
insert into receipts (message_id, occurrence, session, workspace, returned_at, acked_at)
values (:message_id, :occurrence, :session, :workspace, :now, :now)
on conflict (message_id, occurrence, session) do update set
  acked_at = :now, returned_at = coalesce(receipts.returned_at, :now);

-- receipt_of: what one session knows of one occurrence
select session, occurrence, notified_at, returned_at, acked_at from receipts
where message_id = :message_id and occurrence = :occurrence and session = :session;

-- receipt_returned: a body was handed to a session
insert into receipts (message_id, occurrence, session, workspace, returned_at)
values (:message_id, :occurrence, :session, :workspace, :now)
on conflict (message_id, occurrence, session) do update set returned_at = coalesce(receipts.returned_at, :now);

-- receipts_of: the receipts of several messages at once
select message_id, session, occurrence, notified_at, returned_at, acked_at from receipts where message_id in {each:ids}
order by message_id, occurrence, session;

-- by_digest: the latest message equal in sender, recipient and content
select * from messages where digest = :digest and format = 1 and created_at >= :since order by created_at desc limit 1;

-- Mail is unread by everybody where nobody read it, or nobody since its lease ran out. Each half has an index of its own, so that
-- the counts below are sums of two.

-- count_untouched: due mail that nobody read, popped or holds, as far as it matters
select count(*) as messages from (
  select 1 from messages
  where mailbox_id = :mailbox_id and status = 'open' and first_read_at is null and lease_until is null and due_at <= :now
  union all
  select 1 from messages
  where mailbox_id = :mailbox_id and status = 'open' and lease_until is not null and lease_until <= :now
    and first_read_at < lease_until
  limit :most
) as untouched;

-- count_scheduled: mail that is not due yet, as far as it matters
select count(*) as messages from (
  select 1 from messages where mailbox_id = :mailbox_id and status = 'open' and due_at > :now limit :most
) as scheduled;

-- reminders_due: reminders that came due, are open and that nobody works on, the earliest first
select * from messages
where mailbox_id = :mailbox_id and status = 'open' and format = 1 and reminder = 1 and due_at <= :now
  and (expires_at is null or expires_at > :now) and (lease_until is null or lease_until <= :now)
order by due_at, created_at, id limit :limit;

-- in_thread: the mail of a thread, the newest first
select * from messages where thread = :thread order by created_at desc, id desc limit :limit;

-- count_sends: what one session sent since an instant, as far as it matters
select count(*) as messages from (
  select 1 from messages where from_session = :session and created_at > :since limit :most
) as sends;

-- count_replies: replies in a thread since an instant that no person wrote, as far as it matters
select count(*) as messages from (
  select 1 from messages where thread = :thread and created_at > :since and reply_to is not null and from_user is null limit :most
) as replies;

-- person_wrote_since: whether a person wrote in the thread since an instant
select 1 as wrote from messages where thread = :thread and created_at > :since and from_user is not null limit 1;

-- oldest: what a pop without an id takes from one mailbox; open questions wait for their answer
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and due_at <= :now and reminder = 0 and format = 1
  and (lease_until is null or lease_until <= :now) and (expires_at is null or expires_at > :now)
  and (to_session is null or to_session in {each:lineage})
  and not exists (select 1 from decisions d where d.id = m.id and d.state = 'open')
order by due_at, created_at, id limit 1 {skip};

-- recently_popped: what was popped from a mailbox lately, the latest first, as one text: fifty rows would cost more than the pop
select string_agg(id, ' ' order by closed_at desc, id desc) as ids from (
  select id, closed_at from messages
  where mailbox_id = :mailbox_id and status = 'done' and outcome = 'popped' and closed_at >= :since
  order by closed_at desc, id desc limit 50
) as lately;

-- The lists below differ by a line each and stand apart all the same: with the status written out, SQLite takes the partial index
-- for open or for closed mail when it prepares a statement; with a parameter it could take neither.

-- inbox_unread: due, open and not acked by the session, or by nobody, nor old information for it; or its lease expired
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and due_at <= :now and (expires_at is null or expires_at > :now)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
  and (actionable = 1 or to_session is not null or first_read_at is null or first_read_at >= :since)
  and not exists (
    select 1 from receipts r
    where r.message_id = m.id and r.occurrence = m.occurrence and r.acked_at is not null
      and (m.lease_until is null or m.lease_until > :now or r.acked_at >= m.lease_until)
      and (:everybody = 1 or r.session in {each:lineage})
  )
order by due_at, created_at, id limit :limit;

-- inbox_open: due and open, read or not
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and due_at <= :now and (expires_at is null or expires_at > :now)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- inbox_scheduled: open and in the future
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and due_at > :now and (expires_at is null or expires_at > :now)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- inbox_closed: done, cancelled or expired
select * from messages m
where mailbox_id = :mailbox_id and status <> 'open'
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- inbox_lapsed: past its expiry, though nothing has closed it yet
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and expires_at <= :now
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- inbox_pending: open, whenever it is due
select * from messages m
where mailbox_id = :mailbox_id and status = 'open'
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (:everybody = 1 or to_session is null or to_session in {each:lineage})
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:from_project as text) is null or from_project_id = :from_project)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_unread: sent, due, open and read by nobody
select * from messages m
where from_project_id = :from_project and status = 'open' and due_at <= :now and (expires_at is null or expires_at > :now)
  and (first_read_at is null or lease_until <= :now and first_read_at < lease_until)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_open: sent, due and open
select * from messages m
where from_project_id = :from_project and status = 'open' and due_at <= :now and (expires_at is null or expires_at > :now)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_scheduled: sent and in the future
select * from messages m
where from_project_id = :from_project and status = 'open' and due_at > :now and (expires_at is null or expires_at > :now)
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_closed: done, cancelled or expired
select * from messages m
where from_project_id = :from_project and status <> 'open'
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_lapsed: past its expiry, though nothing has closed it yet
select * from messages m
where from_project_id = :from_project and status = 'open' and expires_at <= :now
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_pending: open, whenever it is due
select * from messages m
where from_project_id = :from_project and status = 'open'
  and (due_at, created_at, id) > (:after_due, :after_created, :after_id)
  and (cast(:thread as text) is null or thread = :thread)
  and (cast(:pattern as text) is null or lower(subject) like :pattern escape '!' or lower(body) like :pattern escape '!')
order by due_at, created_at, id limit :limit;

-- outbox_to_cancel: the own outbox's open mail, scheduled or claimed too
select * from messages where from_project_id = :from_project and status = 'open' and format = 1
  and (expires_at is null or expires_at > :now)
order by due_at, created_at, id limit :limit {lock};

-- next_due: when the next scheduled mail of a mailbox comes due
select min(due_at) as due_at from messages where mailbox_id = :mailbox_id and status = 'open' and due_at > :now;

-- next_lapse: when the next lease in a mailbox runs out
select min(lease_until) as lease_until from messages
where mailbox_id = :mailbox_id and status = 'open' and lease_until is not null and lease_until > :now;

-- expired: mail past its sender's expiry that is not closed yet, and that nobody holds
select * from messages where status = 'open' and format = 1 and expires_at is not null and expires_at <= :now
order by expires_at limit :limit {skip};

-- expired_read: informational mail that somebody read, long past due, and that nobody holds
select * from messages
where status = 'open' and format = 1 and actionable = 0 and first_read_at is not null and due_at <= :before
order by due_at limit :limit {skip};

-- claimed: what is under a live lease in one mailbox, the next to lapse first
select * from messages where mailbox_id = :mailbox_id and status = 'open' and format = 1 and lease_until is not null and lease_until > :now
order by lease_until, id limit :limit;

-- pending_count: due, open mail of one mailbox that nobody read
select count(*) as messages from (
  select 1 from messages
  where mailbox_id = :mailbox_id and status = 'open' and first_read_at is null and due_at <= :now
    and (expires_at is null or expires_at > :now)
  union all
  select 1 from messages
  where mailbox_id = :mailbox_id and status = 'open' and lease_until is not null and lease_until <= :now
    and first_read_at < lease_until and (expires_at is null or expires_at > :now)
) as unread;

-- pending_counts: due, open mail that nobody read, for each mailbox that has any
select mailbox_id, count(*) as messages from (
  select mailbox_id from messages
  where status = 'open' and first_read_at is null and due_at <= :now and (expires_at is null or expires_at > :now)
  union all
  select mailbox_id from messages
  where status = 'open' and lease_until is not null and lease_until <= :now and first_read_at < lease_until
    and (expires_at is null or expires_at > :now)
) as unread
group by mailbox_id;

-- end_acks: what was in work when a store is restored is unread again
update receipts set acked_at = null where acked_at is not null and message_id in (
  select id from messages where status = 'open' and lease_until is not null
);

-- end_leases: after a restore nobody holds anything, and generations go on above every earlier one
update messages set
  first_read_at = case when lease_until is null then first_read_at end,
  lease_holder = null, lease_token = null, lease_until = null, wake_owner = null, wake_token = null, wake_until = null,
  lease_generation = case when lease_generation > :generation_floor then lease_generation else :generation_floor end
where status = 'open';

-- waiting_own: unread mail that one mailbox's own project wrote, and whether the session was told of each
select m.*, case when exists (
    select 1 from receipts r
    where r.message_id = m.id and r.occurrence = m.occurrence and r.notified_at is not null and r.session in {each:lineage}
  ) then 1 else 0 end as told
from messages m
where mailbox_id = :mailbox_id and status = 'open' and format = 1 and due_at <= :now and (expires_at is null or expires_at > :now)
  and (to_session is null or to_session in {each:lineage})
  and from_project_id = :mailbox_id and from_source in {each:certain} and delivery = 'next_activity'
  and (actionable = 1 or to_session is not null or first_read_at is null or first_read_at >= :since)
  and not exists (
    select 1 from receipts r
    where r.message_id = m.id and r.occurrence = m.occurrence and r.acked_at is not null
      and (m.lease_until is null or m.lease_until > :now or r.acked_at >= m.lease_until)
      and (:sessionless = 1 or r.session in {each:lineage})
  )
order by due_at, created_at, id limit :limit;

-- count_waiting: unread mail of one mailbox, how much of it its own project wrote, and when the latest of the other came due
select count(*) as messages, coalesce(sum(
    case when from_project_id = :mailbox_id and from_source in {each:certain} and delivery = 'next_activity' then 1 else 0 end
  ), 0) as own,
  max(case when from_project_id = :mailbox_id and from_source in {each:certain} and delivery = 'next_activity' then null
    else due_at end) as latest
from messages m
where mailbox_id = :mailbox_id and status = 'open' and due_at <= :now and (expires_at is null or expires_at > :now)
  and (to_session is null or to_session in {each:lineage})
  and (actionable = 1 or to_session is not null or first_read_at is null or first_read_at >= :since)
  and not exists (
    select 1 from receipts r
    where r.message_id = m.id and r.occurrence = m.occurrence and r.acked_at is not null
      and (m.lease_until is null or m.lease_until > :now or r.acked_at >= m.lease_until)
      and (:sessionless = 1 or r.session in {each:lineage})
  );

-- receipt_notified: a session was shown an occurrence
insert into receipts (message_id, occurrence, session, workspace, notified_at)
values (:message_id, :occurrence, :session, :workspace, :now)
on conflict (message_id, occurrence, session) do update set notified_at = coalesce(receipts.notified_at, :now);

-- set_wake: who was given the wake of an occurrence, and until when; no new version
update messages set
  wake_owner = :wake_owner, wake_token = :wake_token, wake_until = :wake_until, wake_accepted = :wake_accepted,
  wake_count = :wake_count
where id = :id and version = :expected;

-- to_wake: the oldest message of one mailbox that asks for a turn and for which none was started, or none since its lease ran out
select * from messages m
where mailbox_id = :mailbox_id and status = 'open' and format = 1 and delivery = 'wake' and due_at <= :now
  and (expires_at is null or expires_at > :now) and (lease_until is null or lease_until <= :now)
  and (to_session is null or to_session in {each:lineage}) and wake_count < :most
  and (
    wake_until is null
    or wake_accepted = 0 and wake_until <= :now
    or wake_accepted = 1 and lease_until > wake_until
  )
  and not exists (
    select 1 from receipts r
    where r.message_id = m.id and r.occurrence = m.occurrence and r.acked_at is not null
      and (m.lease_until is null or r.acked_at >= m.lease_until) and r.session in {each:lineage}
  )
order by due_at, created_at, id limit 1;

-- next_wake: when time alone may next make a message of one mailbox ask for a turn
select min(at) as at from (
  select due_at as at from messages where mailbox_id = :mailbox_id and status = 'open' and delivery = 'wake' and due_at > :now
  union all
  select wake_until as at from messages
  where mailbox_id = :mailbox_id and status = 'open' and delivery = 'wake' and wake_accepted = 0 and wake_until > :now
  union all
  select lease_until as at from messages
  where mailbox_id = :mailbox_id and status = 'open' and delivery = 'wake' and lease_until > :now
) as times;
