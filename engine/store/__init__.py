"""The store: how a change reaches files, git index and ref so that a kill at any step loses nothing."""
