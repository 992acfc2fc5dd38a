"""Tests of the doors: transport, bridge, REST, MCP, command line."""
