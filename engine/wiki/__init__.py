"""The summary tree: what much was about, told in levels, each made from the one below and leading back to it."""
