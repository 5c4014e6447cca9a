"""Watches and what they saw: made, paused and deleted by people, and the feed of changes with both readings."""
