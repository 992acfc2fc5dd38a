"""Programs from npm that tests drive: the official TypeScript SDK and conformance suite of MCP. `make node` installs them."""
