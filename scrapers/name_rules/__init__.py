"""What counts as the same name in a state."""
