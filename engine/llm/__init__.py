"""Models behind the writers: which are configured, asking them, what they cost. The only place that imports the agent library."""
