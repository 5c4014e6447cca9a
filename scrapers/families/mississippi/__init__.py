"""Mississippi's business services."""
