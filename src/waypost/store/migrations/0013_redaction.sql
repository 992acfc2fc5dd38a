-- Redaction: when a person had the words of a message and of its question blanked; and which message a kept answer repeats, so that
-- those words are found there too.

alter table messages add column redacted_at {big};
alter table decisions add column redacted_at {big};
alter table idempotency_keys add column holds text;
create index idempotency_keys_holding on idempotency_keys (holds) where holds is not null;
