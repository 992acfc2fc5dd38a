"""What all tests share. The plugin of `tests/promises` records which promises the collected tests name."""

from __future__ import annotations

pytest_plugins = ["pytester", "tests.promises.plugin"]
