"""The MCP server: memory for any client that speaks the protocol, over stdio."""
