-- insert_handoff: a new note to the next session
insert into handoffs (
  id, workspace, project_id, from_session, from_client, from_user, from_door, from_source, automatic, summary, open_questions,
  next_steps, files_touched, created_at, expires_at, state, version
) values (
  :id, :workspace, :project_id, :from_session, :from_client, :from_user, :from_door, :from_source, :automatic, :summary,
  :open_questions, :next_steps, :files_touched, :created_at, :expires_at, 'open', 1
);

-- handoff_held: by id, held to the end of the unit
select * from handoffs where id = :id {lock};

-- update_handoff: what closes a note, if nobody else closed it meanwhile
update handoffs set
  state = :state, version = :version, closed_at = :closed_at, closed_by_session = :closed_by_session,
  closed_by_user = :closed_by_user, closed_by_door = :closed_by_door
where id = :id and version = :expected and state = 'open';

-- offerable: open notes of a project, those made by hand first, the latest first
select * from handoffs where project_id = :project_id and state = 'open' and expires_at > :now
order by automatic, created_at desc, id desc limit :limit;

-- open_automatic: open notes that a session's end made, held to the end of the unit
select * from handoffs where project_id = :project_id and state = 'open' and automatic = 1
order by created_at, id limit :limit {lock};

-- list_handoffs: a page of a project's notes, the latest first
select * from handoffs where project_id = :project_id and (created_at, id) < (:before_at, :before_id)
  and (cast(:state as text) is null or state = :state)
  and (cast(:alive as bigint) is null or expires_at > :alive)
order by created_at desc, id desc limit :limit;

-- expired_handoffs: open notes past their expiry
select * from handoffs where state = 'open' and expires_at <= :now order by expires_at limit :limit {skip};
