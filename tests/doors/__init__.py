"""Each door proves its verbs, its codes and its own ways, in process."""

from __future__ import annotations
