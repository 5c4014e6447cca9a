"""What keeps portals healthy and operators informed."""
