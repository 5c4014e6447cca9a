"""The shapes of what other registers call a company."""
