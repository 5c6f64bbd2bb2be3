"""Closing: a recorded conversation becomes recap, events, profile and prose for the summary tree."""
