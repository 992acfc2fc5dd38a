-- Tokens and grants. Of a token only its hash is kept. A grant is one row for a person and a project, with a column for each right;
-- what it was before stands in its versions.

alter table users add column removed_at {big};

create table tokens (
  id text primary key,
  workspace text not null,
  user_id text not null references users (id),
  kind text not null check (kind in ('operator', 'user', 'agent')),
  name text not null,
  shown text not null,
  digest text not null unique,
  project_id text references projects (id),
  created_at {big} not null,
  expires_at {big},
  revoked_at {big},
  last_used_at {big},
  version integer not null,
  check ((kind = 'agent') = (project_id is not null))
) {strict};

create index tokens_by_user on tokens (user_id, id);

-- What an agent's token was narrowed to; one without any row here has what its person has.
create table token_limits (
  token_id text not null references tokens (id),
  project_id text not null,
  workspace text not null,
  can_read integer not null check (can_read in (0, 1)),
  can_write integer not null check (can_write in (0, 1)),
  can_review integer not null check (can_review in (0, 1)),
  can_admin integer not null check (can_admin in (0, 1)),
  primary key (token_id, project_id)
) {strict};

create table grants (
  id text primary key,
  workspace text not null,
  user_id text not null references users (id),
  project_id text not null references projects (id),
  can_read integer not null check (can_read in (0, 1)),
  can_write integer not null check (can_write in (0, 1)),
  can_review integer not null check (can_review in (0, 1)),
  can_admin integer not null check (can_admin in (0, 1)),
  changed_at {big} not null,
  version integer not null
) {strict};

create unique index grants_by_user on grants (user_id, project_id);
create index grants_by_project on grants (project_id, user_id);

create table grant_versions (
  grant_id text not null,
  version integer not null,
  workspace text not null,
  changed_at {big} not null,
  kind text not null,
  can_read integer not null,
  can_write integer not null,
  can_review integer not null,
  can_admin integer not null,
  primary key (grant_id, version)
) {strict};
