"""Whole paths: real processes, real sockets, clients that nobody here wrote."""

from __future__ import annotations
