"""What a registry said before, and what has changed since."""
