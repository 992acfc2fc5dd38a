"""The proof of what Waypost promises. `tests/promises` lists the promises; every test names those it proves."""
