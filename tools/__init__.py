"""What people and agents call: the command line, benchmarks, rendering, exit codes."""
