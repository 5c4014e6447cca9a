"""/v1/entities: what was read of a company before, and what has changed since."""
