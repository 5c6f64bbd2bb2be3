"""Three-way merges of trees, files and texts: pure functions of (base, ours, theirs), equal on every machine."""
