"""One folder a vendor platform, one small file a state."""
