"""/v1/watches and /v1/events: companies that are watched, and what was seen of them."""
