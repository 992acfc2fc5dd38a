"""Tests with the real coding agents, offline against a scripted model."""
