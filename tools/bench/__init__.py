"""Benchmarks: commands with JSON output that print the peer's figure from the same run."""
