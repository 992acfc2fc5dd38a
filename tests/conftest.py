"""What all tests share: the plugin that records promises, one source tree for every process, and Hypothesis without deadlines."""

from __future__ import annotations

import os
from pathlib import Path

from hypothesis import settings

import waypost

pytest_plugins = ["pytester", "tests.promises.plugin", "tests.engines"]

# Processes that tests start take the package from where this one did, whatever their working directory. `make bite` relies on it.
os.environ["PYTHONPATH"] = str(Path(waypost.__file__).resolve().parents[1])

# A slow machine is no failure; nothing here asserts elapsed time.
settings.register_profile("waypost", deadline=None)
settings.load_profile("waypost")
