-- How far each named consumer of the change feed has come. Nothing of it is journalled: a consumer that saw its own checkpoints would
-- never come to an end.

create table feed_consumers (
  principal text not null,
  name text not null,
  epoch {big} not null,
  position {big} not null,
  created_at {big} not null,
  moved_at {big} not null,
  used_at {big} not null,
  version integer not null,
  primary key (principal, name)
) {keyed};

create index feed_consumers_age on feed_consumers (used_at);
