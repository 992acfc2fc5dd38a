-- The mail that annotates a session, as it was written.

create index messages_about on messages (about_session, created_at, id) where about_session is not null;
