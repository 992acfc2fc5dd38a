-- insert_mailbox: a mailbox for a new project or user
insert into mailboxes (id, workspace, kind) values (:id, :workspace, :kind);

-- lock_mailbox: what a send holds while it counts
select id from mailboxes where id = :id {lock};

-- insert_project: a new project
insert into projects (id, workspace, name, identity, by_marker, created_at, version)
values (:id, :workspace, :name, :identity, :by_marker, :created_at, 1);

-- update_project: rename, move, rebind or delete, if nobody else did meanwhile
update projects set workspace = :workspace, name = :name, identity = :identity, deleted_at = :deleted_at, version = version + 1
where id = :id and version = :version;

-- insert_project_version: what a project was before a change
insert into project_versions (project_id, version, workspace, changed_at, kind, name, identity)
values (:project_id, :version, :workspace, :changed_at, :kind, :name, :identity);

-- project_named: by its two names
select id, workspace, name, identity, by_marker, created_at, version from projects
where workspace = :workspace and name = :name and deleted_at is null;

-- project_by_id: by id, deleted ones left out
select id, workspace, name, identity, by_marker, created_at, version from projects where id = :id and deleted_at is null;

-- project_of_identity: the project of a checkout without a marker; the default workspace first
select id, workspace, name, identity, by_marker, created_at, version from projects
where identity = :identity and by_marker = 0 and deleted_at is null
order by case when workspace = 'default' then 0 else 1 end, created_at limit 1;

-- list_projects: a page in order of their names
select id, workspace, name, identity, by_marker, created_at, version from projects
where deleted_at is null and (workspace, name) > (:after_workspace, :after_name)
order by workspace, name limit :limit;

-- two_projects: enough to know whether there is just one
select id, workspace, name, identity, by_marker, created_at, version from projects where deleted_at is null limit 2;

-- mailbox_names: the names of several mailboxes at once
select p.id as id, p.workspace as workspace, p.name as name, 'project' as kind from projects p where p.id in {each:ids}
union all
select u.id, u.workspace, u.name, 'user' from users u where u.id in {each:ids};

-- some_names: candidates for a near name
select workspace, name from projects where deleted_at is null limit 500;

-- insert_allowance: a person's word that an identity may use a project
insert into project_allowances (project_id, identity, workspace, created_at)
values (:project_id, :identity, :workspace, :created_at)
on conflict (project_id, identity) do nothing;

-- allowance: whether that word was given
select 1 as allowed from project_allowances where project_id = :project_id and identity = :identity;

-- insert_user: a person
insert into users (id, workspace, name, created_at, version) values (:id, :workspace, :name, :created_at, 1);

-- user_named: a person by name
select id, name from users where name = :name;

-- session: by the client's own id
select id, project_id, client, user_name, created_at, last_seen_at, version from sessions where id = :id;

-- insert_session: a session's first word
insert into sessions (id, workspace, project_id, client, user_name, created_at, last_seen_at, version)
values (:id, :workspace, :project_id, :client, :user_name, :now, :now, 1)
on conflict (id) do nothing;

-- touch_session: a session spoke again
update sessions set last_seen_at = :now, client = coalesce(client, :client) where id = :id and last_seen_at < :before;

-- list_sessions: of one project, latest first
select id, project_id, client, user_name, created_at, last_seen_at, version from sessions
where project_id = :project_id and (last_seen_at, id) < (:before, :before_id)
order by last_seen_at desc, id desc limit :limit;

-- list_all_sessions: of all projects, latest first
select id, project_id, client, user_name, created_at, last_seen_at, version from sessions
where (last_seen_at, id) < (:before, :before_id)
order by last_seen_at desc, id desc limit :limit;

-- count_sessions: how many sessions of a project spoke since an instant
select count(*) as sessions from sessions where project_id = :project_id and last_seen_at >= :since;

-- last_active_session: the session that spoke last
select project_id from sessions order by last_seen_at desc limit 1;

-- insert_link: a session continues another
insert into session_links (session_id, continues_id, workspace, created_at)
values (:session_id, :continues_id, :workspace, :now)
on conflict (session_id, continues_id) do nothing;

-- lineage: a session and all that it continues, however far; the union ends at cycles
with recursive lineage (id) as (
  select cast(:id as text) {by_bytes}
  union
  select l.continues_id from session_links l join lineage on l.session_id = lineage.id
)
select id from lineage limit 1000;

-- continues: what a session declares to continue directly
select continues_id from session_links where session_id = :id order by created_at, continues_id;

-- first_seen: when the first of several sessions was registered
select min(created_at) as created_at from sessions where id in {each:ids};

-- boundary: what a session was told by its client's hooks
select client, event, event_at, begun_at, told, told_latest, handoff_id from session_boundaries where session_id = :session_id;

-- keep_boundary: what it is told now
insert into session_boundaries (session_id, workspace, client, event, event_at, begun_at, told, told_latest, handoff_id)
values (:session_id, :workspace, :client, :event, :now, :begun_at, :told, :told_latest, :handoff_id)
on conflict (session_id) do update set client = excluded.client, event = excluded.event, event_at = excluded.event_at,
  begun_at = excluded.begun_at, told = excluded.told, told_latest = excluded.told_latest, handoff_id = excluded.handoff_id;

-- last_events: the last event of each client's hooks
select b.session_id, b.client, b.event, b.event_at, b.begun_at, b.told, b.told_latest, b.handoff_id from session_boundaries b
where b.session_id = (
  select o.session_id from session_boundaries o where o.client = b.client order by o.event_at desc, o.session_id desc limit 1
) order by b.client;
