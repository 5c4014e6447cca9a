"""Runs the suite on both engines: the embedded default, and PostgreSQL with Redis (`python -m tests.engines`)."""
