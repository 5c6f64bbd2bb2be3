"""Retrieval: what memory has to say to an agent, with where each thing stands."""
