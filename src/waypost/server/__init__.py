"""The HTTP process: REST, the mounts of MCP and the pages, live changes, background work, and `waypost serve` itself."""
