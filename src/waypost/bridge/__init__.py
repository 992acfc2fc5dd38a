"""`waypost mcp`: a stdio MCP server that relays to the local Waypost server. Nothing is imported here.

It knows no verb of Waypost: lines come in, requests to `/mcp` go out, answers come back as lines. What it adds is the
client's directory, an idempotency key for each tool call, and patience while a server starts or restarts.
"""
