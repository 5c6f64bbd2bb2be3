"""Transcripts: what agents' programs keep of their conversations, read as turns. Nothing here writes."""
