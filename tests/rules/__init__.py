"""Tests of pure rules: no store, no door, no process."""
