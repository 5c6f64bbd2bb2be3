"""Watching the files of a workspace: events are hints that something is to be looked at; the scan is the truth."""
