"""The hooks of git: what a person's own git commands tell the daemon, and the last look before a push."""
