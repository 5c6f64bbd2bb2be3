"""What calls us when something happens: file watcher, agent hooks, git hooks."""
