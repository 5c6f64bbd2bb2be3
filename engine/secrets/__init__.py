"""Keeping secrets out of history and off the wire: what is held back, what stops a push, what a person allows."""
