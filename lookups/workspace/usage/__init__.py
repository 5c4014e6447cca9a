"""What was asked and what it cost, by day, state, key and origin."""
