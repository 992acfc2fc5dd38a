"""The docs say what is so: examples run, and names in them exist."""
