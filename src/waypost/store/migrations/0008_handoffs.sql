-- Handoffs: single-use notes of one session to the next one of the same project.

create table handoffs (
  id text primary key,
  workspace text not null,
  project_id text not null,
  from_session text,
  from_client text,
  from_user text,
  from_door text not null,
  from_source text not null,
  automatic integer not null check (automatic in (0, 1)),
  summary text not null,
  open_questions {json} not null,
  next_steps {json} not null,
  files_touched {json} not null,
  created_at {big} not null,
  expires_at {big} not null,
  state text not null check (state in ('open', 'accepted', 'cancelled', 'expired')),
  version integer not null,
  closed_at {big},
  closed_by_session text,
  closed_by_user text,
  closed_by_door text
) {strict};

create index handoffs_by_project on handoffs (project_id, created_at, id);
create index handoffs_open on handoffs (project_id, automatic, created_at, id) where state = 'open';
create index handoffs_expiring on handoffs (expires_at) where state = 'open';
