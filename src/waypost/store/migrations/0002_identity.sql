-- Projects and how they are found, users, sessions and what they continue. A mailbox is a project's or a user's; its row is what a
-- send locks while it counts.

create table mailboxes (
  id text primary key,
  workspace text not null,
  kind text not null check (kind in ('project', 'user'))
) {strict};

create table projects (
  id text primary key references mailboxes (id),
  workspace text not null,
  name text not null,
  identity text,
  by_marker integer not null default 0 check (by_marker in (0, 1)),
  created_at {big} not null,
  deleted_at {big},
  version integer not null
) {strict};

create unique index projects_by_name on projects (workspace, name) where deleted_at is null;
create unique index projects_by_identity on projects (identity, workspace)
  where identity is not null and by_marker = 0 and deleted_at is null;

create table project_versions (
  project_id text not null,
  version integer not null,
  workspace text not null,
  changed_at {big} not null,
  kind text not null,
  name text not null,
  identity text,
  primary key (project_id, version)
) {strict};

-- A person's word that a checkout of this identity may use a project bound to another one.
create table project_allowances (
  project_id text not null,
  identity text not null,
  workspace text not null,
  created_at {big} not null,
  primary key (project_id, identity)
) {strict};

create table users (
  id text primary key references mailboxes (id),
  workspace text not null,
  name text not null unique,
  created_at {big} not null,
  version integer not null
) {strict};

create table sessions (
  id text primary key,
  workspace text not null,
  project_id text not null,
  client text,
  user_name text,
  created_at {big} not null,
  last_seen_at {big} not null,
  version integer not null
) {strict};

create index sessions_by_activity on sessions (last_seen_at);
create index sessions_by_project on sessions (project_id, last_seen_at);

create table session_links (
  session_id text not null,
  continues_id text not null,
  workspace text not null,
  created_at {big} not null,
  primary key (session_id, continues_id)
) {strict};
