-- Which handoff a session's start block offered, until its first prompt claims it.

alter table session_boundaries add column handoff_id text;
