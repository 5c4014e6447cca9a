"""Clients of other makers in other languages, in jobs of their own: they need more than Python to run."""
