"""Whether a name is free."""
