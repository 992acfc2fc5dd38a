-- Where several nodes write, an entry is committed before it has a position; this finds those that wait for theirs. On SQLite, where
-- the writer gives positions itself, it stays empty.

create index journal_waiting on journal (at) where position is null;
