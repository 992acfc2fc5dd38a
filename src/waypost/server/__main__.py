"""`python -m waypost.server`: the server alone, by environment and config.toml, as `waypost serve` without options."""

from __future__ import annotations

import sys

from waypost.server.main import serve

if __name__ == "__main__":
    sys.exit(serve())
