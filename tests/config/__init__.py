"""The composition root: starting, configuring, logging."""
