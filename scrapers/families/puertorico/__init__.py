"""Puerto Rico's registry of corporations."""
