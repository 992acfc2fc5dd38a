"""What only Postgres shows: its dialect, its failures, units that meet, several nodes, and the sequencer."""
