"""The endpoints. Each makes one domain call; what surrounds it is in `lookups.api.endpoint`."""
