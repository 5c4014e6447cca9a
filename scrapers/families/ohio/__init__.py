"""Ohio's business search."""
