-- The mail that asks for a turn, which receivers look for every few seconds.

create index messages_to_wake on messages (mailbox_id, due_at, created_at, id) where status = 'open' and delivery = 'wake';
