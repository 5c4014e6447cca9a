"""The /v1 contract: everything that knows HTTP."""
