"""How memory changes: the store, capture, merge, sync, and the workspace that holds them together."""
