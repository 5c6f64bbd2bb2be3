"""The writers: what adds to memory by itself, through the store's locked, redacted, atomic door."""
