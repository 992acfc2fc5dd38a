"""Tests of the coding agents' side: hooks, setup, and what each client reads and prints."""
