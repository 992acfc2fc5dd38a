-- annotations: what was written about a session, or one turn of it; one that a snooze put off has been due before
select * from messages where about_session = :session and (created_at, id) > (:after_at, :after_id)
  and (cast(:turn as bigint) is null or about_turn = :turn)
  and (due_at <= :now or occurrence > 1)
order by created_at, id limit :limit;

-- readable_annotations: the same from or to some mailboxes
select * from messages where about_session = :session and (created_at, id) > (:after_at, :after_id)
  and (cast(:turn as bigint) is null or about_turn = :turn)
  and (due_at <= :now or occurrence > 1)
  and (mailbox_id in {each:readable} or from_project_id in {each:readable})
order by created_at, id limit :limit;

-- conversation: the mail of one thread that some mailboxes received or one project sent
select * from messages where thread = :thread and (created_at, id) > (:after_at, :after_id)
  and (mailbox_id in {each:mailboxes} or from_project_id = :own)
order by created_at, id limit :limit;
