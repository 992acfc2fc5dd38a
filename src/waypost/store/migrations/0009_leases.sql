-- What leases need beside their own columns: the token that completed a message, so that a repeated complete is known by it, and the
-- mail that somebody holds or held, so that a lease that ran out is found without a walk over the inbox.

alter table messages add column closed_token text;
create index messages_leased on messages (mailbox_id, lease_until, id) where status = 'open' and lease_until is not null;
