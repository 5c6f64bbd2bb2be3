"""Connecting other programs to a workspace: our entries in their user settings, put there and taken out again."""
