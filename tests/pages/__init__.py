"""Pages that people read without a key."""
