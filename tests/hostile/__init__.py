"""Clients that want too much of the service: slowly, at once, or under somebody else's name."""
