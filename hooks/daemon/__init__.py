"""The daemon of a workspace: captures, indexes and syncs by itself, and answers the commands that ask it."""
