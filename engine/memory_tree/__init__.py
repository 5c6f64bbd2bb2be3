"""The memory tree: from a question to passages by way of entities, summaries and sources, without a model."""
