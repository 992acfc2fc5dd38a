"""The MCP door: tools made from operations, answered by the official SDK over streamable HTTP, without any session state.

`app` alone is imported by the server; the SDK (`protocol`) is loaded by a worker thread after the server answers.
"""
