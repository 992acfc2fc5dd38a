-- insert_decision: a new question
insert into decisions (
  id, workspace, mailbox_id, to_session, from_project_id, from_session, from_client, from_user, from_door, from_source, question,
  requires_root, reply_project, options, details, links, asked_at, expires_at, state, version
) values (
  :id, :workspace, :mailbox_id, :to_session, :from_project_id, :from_session, :from_client, :from_user, :from_door, :from_source,
  :question, :requires_root, :reply_project, :options, :details, :links, :asked_at, :expires_at, 'open', 1
);

-- decision: by id
select * from decisions where id = :id;

-- decision_held: by id, held to the end of the unit
select * from decisions where id = :id {lock};

-- update_decision: what closes a question, if nobody else closed it meanwhile
update decisions set
  state = :state, version = :version, closed_at = :closed_at, answer_option = :answer_option, answer_comment = :answer_comment,
  answer_project_id = :answer_project_id, answer_session = :answer_session, answer_client = :answer_client,
  answer_user = :answer_user, answer_door = :answer_door, answer_source = :answer_source, answer_message_id = :answer_message_id
where id = :id and version = :expected and state = 'open';

-- redact_decision: a question without its words, or its answer without a comment
update decisions set
  question = :question, options = :options, details = '', links = '[]', state = :state, closed_at = :closed_at,
  answer_comment = :answer_comment, redacted_at = :redacted_at, version = :version
where id = :id and version = :expected;

-- blank_comment: an answer without its comment
update decisions set answer_comment = '', version = :version where id = :id and version = :expected;

-- open_everywhere: open questions of every mailbox, the oldest first
select * from decisions d where state = 'open' and asked_at <= :now and (asked_at, id) > (:after_at, :after_id)
  and (cast(:alive as bigint) is null or expires_at is null or expires_at > :alive)
order by asked_at, id limit :limit;

-- open_readable: the same of some mailboxes and askers
select * from decisions d where state = 'open' and asked_at <= :now and (asked_at, id) > (:after_at, :after_id)
  and (cast(:alive as bigint) is null or expires_at is null or expires_at > :alive)
  and (mailbox_id in {each:readable} or from_project_id in {each:readable})
order by asked_at, id limit :limit;

-- open_inbox: open questions to one mailbox
select * from decisions d where mailbox_id = :mailbox_id and state = 'open' and asked_at <= :now
  and (asked_at, id) > (:after_at, :after_id)
  and (cast(:alive as bigint) is null or expires_at is null or expires_at > :alive)
order by asked_at, id limit :limit;

-- open_outbox: open questions of one asker
select * from decisions d where from_project_id = :mailbox_id and state = 'open' and asked_at <= :now
  and (asked_at, id) > (:after_at, :after_id)
  and (cast(:alive as bigint) is null or expires_at is null or expires_at > :alive)
order by asked_at, id limit :limit;

-- closed_everywhere: closed questions of every mailbox, the latest first
select * from decisions d where state <> 'open' and (closed_at, id) < (:after_at, :after_id)
  and (cast(:state as text) is null or state = :state)
order by closed_at desc, id desc limit :limit;

-- closed_readable: the same of some mailboxes and askers
select * from decisions d where state <> 'open' and (closed_at, id) < (:after_at, :after_id)
  and (cast(:state as text) is null or state = :state)
  and (mailbox_id in {each:readable} or from_project_id in {each:readable})
order by closed_at desc, id desc limit :limit;

-- closed_inbox: closed questions to one mailbox
select * from decisions d where mailbox_id = :mailbox_id and state <> 'open' and (closed_at, id) < (:after_at, :after_id)
  and (cast(:state as text) is null or state = :state)
order by closed_at desc, id desc limit :limit;

-- closed_outbox: closed questions of one asker
select * from decisions d where from_project_id = :mailbox_id and state <> 'open' and (closed_at, id) < (:after_at, :after_id)
  and (cast(:state as text) is null or state = :state)
order by closed_at desc, id desc limit :limit;

-- expired_decisions: questions past their expiry that nothing has closed yet
select * from decisions where state = 'open' and expires_at <= :now order by asked_at, id limit :limit {skip};

-- replies_to: what was sent in answer to a message, the oldest first
select * from messages where thread = :thread and reply_to = :id order by created_at, id limit :limit;
