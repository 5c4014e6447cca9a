"""The documentation: what it shows, that it is true, and that its examples run."""
