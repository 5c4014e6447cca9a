"""The District of Columbia, which publishes its register as layers of a map service."""
