"""Files that a registry publishes: read, loaded, refreshed, and answered from."""
