"""Tests of what a start loads."""
