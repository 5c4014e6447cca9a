"""Asking in the workspace: the form, how far an answer is, the answer with its evidence, and many states at once."""
