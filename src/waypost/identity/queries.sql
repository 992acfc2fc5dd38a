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

-- list_projects: a page in order of their names, of all projects or of some
select id, workspace, name, identity, by_marker, created_at, version from projects
where deleted_at is null and (workspace, name) > (:after_workspace, :after_name) and (:every = 1 or id in {each:within})
order by workspace, name limit :limit;

-- two_projects: enough to know whether there is just one
select id, workspace, name, identity, by_marker, created_at, version from projects where deleted_at is null limit 2;

-- mailbox_names: the names of several mailboxes at once
select p.id as id, p.workspace as workspace, p.name as name, 'project' as kind from projects p where p.id in {each:ids}
union all
select u.id, u.workspace, u.name, 'user' from users u where u.id in {each:ids};

-- some_names: candidates for a near name, of all projects or of some
select workspace, name from projects where deleted_at is null and (:every = 1 or id in {each:within}) limit 500;

-- insert_allowance: a person's word that an identity may use a project
insert into project_allowances (project_id, identity, workspace, created_at)
values (:project_id, :identity, :workspace, :created_at)
on conflict (project_id, identity) do nothing;

-- allowance: whether that word was given
select 1 as allowed from project_allowances where project_id = :project_id and identity = :identity;

-- insert_user: a person
insert into users (id, workspace, name, created_at, version) values (:id, :workspace, :name, :created_at, 1);

-- user_named: a person by name, removed ones left out
select id, name from users where name = :name and removed_at is null;

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

-- list_all_sessions: of all projects or of some, latest first
select id, project_id, client, user_name, created_at, last_seen_at, version from sessions
where (last_seen_at, id) < (:before, :before_id) and (:every = 1 or project_id in {each:within})
order by last_seen_at desc, id desc limit :limit;

-- count_sessions: how many sessions of a project spoke since an instant
select count(*) as sessions from sessions where project_id = :project_id and last_seen_at >= :since;

-- last_active_session: the session that spoke last
select project_id from sessions order by last_seen_at desc limit 1;

-- insert_link: a session continues another
insert into session_links (session_id, continues_id, workspace, created_at)
values (:session_id, :continues_id, :workspace, :now)
on conflict (session_id, continues_id) do nothing;

-- lineage: a session and all that it continues, however far, and when each was registered; the union ends at cycles
with recursive lineage (id) as (
  select cast(:id as text) {by_bytes}
  union
  select l.continues_id from session_links l join lineage on l.session_id = lineage.id
)
select lineage.id, sessions.created_at from lineage left join sessions on sessions.id = lineage.id limit 1000;

-- continues: what a session declares to continue directly
select continues_id from session_links where session_id = :id order by created_at, continues_id;

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

-- revive_user: a person who was removed comes back, to the same mailbox
update users set removed_at = null, version = version + 1 where name = :name and removed_at is not null;

-- remove_user: a person is taken out of use; the mailbox stays
update users set removed_at = :now, version = version + 1 where id = :id and removed_at is null;

-- user_by_id: a person, removed or not
select id, name, created_at, removed_at, version from users where id = :id;

-- list_users: a page in order of their names
select id, name, created_at, removed_at, version from users
where removed_at is null and name > :after_name order by name limit :limit;

-- fellows: of several users those whom a person may write to, because both hold a grant on one project, or they are operators
select u.id from users u
where u.id in {each:ids} and u.removed_at is null and (
  exists (
    select 1 from grants mine join grants theirs on mine.project_id = theirs.project_id
    where mine.user_id = :user_id and theirs.user_id = u.id and mine.project_id in {each:projects}
      and theirs.can_read + theirs.can_write + theirs.can_review + theirs.can_admin > 0
  )
  or exists (
    select 1 from tokens t
    where t.user_id = u.id and t.kind = 'operator' and t.revoked_at is null
  )
);

-- insert_token: a new token; of its text only the hash
insert into tokens (id, workspace, user_id, kind, name, shown, digest, project_id, created_at, expires_at, version)
values (:id, :workspace, :user_id, :kind, :name, :shown, :digest, :project_id, :created_at, :expires_at, 1);

-- insert_token_limit: what an agent's token is narrowed to on one project
insert into token_limits (token_id, project_id, workspace, can_read, can_write, can_review, can_admin)
values (:token_id, :project_id, :workspace, :can_read, :can_write, :can_review, :can_admin);

-- token_limits: what an agent's token was narrowed to
select project_id, can_read, can_write, can_review, can_admin from token_limits where token_id = :token_id;

-- token_by_digest: the token of that hash
select t.id, t.kind, t.name, t.shown, t.user_id, u.name as user_name, u.removed_at, t.project_id, t.created_at, t.expires_at,
  t.revoked_at, t.last_used_at, t.version
from tokens t join users u on u.id = t.user_id where t.digest = :digest;

-- token_by_id: the token of that id
select t.id, t.kind, t.name, t.shown, t.user_id, u.name as user_name, u.removed_at, t.project_id, t.created_at, t.expires_at,
  t.revoked_at, t.last_used_at, t.version
from tokens t join users u on u.id = t.user_id where t.id = :id;

-- list_tokens: a page of one person's tokens or of all, the newest first
select t.id, t.kind, t.name, t.shown, t.user_id, u.name as user_name, u.removed_at, t.project_id, t.created_at, t.expires_at,
  t.revoked_at, t.last_used_at, t.version
from tokens t join users u on u.id = t.user_id
where (cast(:user_id as text) is null or t.user_id = :user_id) and t.id < :before_id
order by t.id desc limit :limit;

-- usable_token: whether anybody could come in by a token
select t.id from tokens t join users u on u.id = t.user_id
where t.revoked_at is null and u.removed_at is null and (t.expires_at is null or t.expires_at > :now) limit 1;

-- revoke_token: a token is taken back, once
update tokens set revoked_at = :now, version = version + 1 where id = :id and revoked_at is null;

-- live_tokens_of: a person's tokens that were not taken back
select id from tokens where user_id = :user_id and revoked_at is null order by id;

-- touch_token: a token was used; noted now and then, so that a request is no write
update tokens set last_used_at = :now where id = :id and (last_used_at is null or last_used_at < :before);

-- grants_of: a person's rights by project
select project_id, can_read, can_write, can_review, can_admin from grants where user_id = :user_id;

-- grant_on: a person's grant on one project
select g.id, g.user_id, u.name as user_name, g.project_id, g.can_read, g.can_write, g.can_review, g.can_admin, g.changed_at, g.version
from grants g join users u on u.id = g.user_id where g.user_id = :user_id and g.project_id = :project_id;

-- list_grants: a page of grants, of one person or project or of all
select g.id, g.user_id, u.name as user_name, g.project_id, g.can_read, g.can_write, g.can_review, g.can_admin, g.changed_at, g.version
from grants g join users u on u.id = g.user_id join projects p on p.id = g.project_id
where p.deleted_at is null and g.id > :after_id
  and (cast(:user_id as text) is null or g.user_id = :user_id)
  and (cast(:project_id as text) is null or g.project_id = :project_id)
  and g.can_read + g.can_write + g.can_review + g.can_admin > 0
order by g.id limit :limit;

-- insert_grant: a person's first rights on a project
insert into grants (id, workspace, user_id, project_id, can_read, can_write, can_review, can_admin, changed_at, version)
values (:id, :workspace, :user_id, :project_id, :can_read, :can_write, :can_review, :can_admin, :now, 1)
on conflict (user_id, project_id) do nothing;

-- update_grant: other rights, if nobody else changed them meanwhile; none of them is a grant taken back
update grants set can_read = :can_read, can_write = :can_write, can_review = :can_review, can_admin = :can_admin,
  changed_at = :now, version = version + 1
where id = :id and version = :version;

-- insert_grant_version: what a grant was before a change
insert into grant_versions (grant_id, version, workspace, changed_at, kind, can_read, can_write, can_review, can_admin)
values (:grant_id, :version, :workspace, :now, :kind, :can_read, :can_write, :can_review, :can_admin);
