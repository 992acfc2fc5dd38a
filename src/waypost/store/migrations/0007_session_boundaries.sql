-- What each session was told at the boundaries of its work (start, prompt, after a tool), by its client's hooks, and the last of them.

create table session_boundaries (
  session_id text primary key,
  workspace text not null,
  client text not null,
  event text not null,
  event_at {big} not null,
  begun_at {big},
  told integer,
  told_latest {big}
) {strict};

create index session_boundaries_by_client on session_boundaries (client, event_at);
