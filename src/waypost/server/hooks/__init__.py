"""The hooks' door: what a session is told at the boundaries of its work, in its client's own form."""
