"""The shapes of watches, and of what they tell."""
