"""Agents: their definitions, their prompts, and running them."""
