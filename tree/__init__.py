"""What memory is: values and formats. No git, no clock, no network, no files.

Terms: a *path* names a file in the workspace, an *entry* is what a tree holds there, a *change* is one path's difference
between two commits, a *document* is one markdown file, a *chunk* is the stretch of a document that search returns.
"""
