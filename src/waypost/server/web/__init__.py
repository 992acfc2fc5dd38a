"""The page for people who watch and steer: rendered here, live by server-sent events, read only for mail."""
