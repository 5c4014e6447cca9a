"""The tables of companies that are watched, and of what was seen to change."""
