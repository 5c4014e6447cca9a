"""Software and data services that two or more registries share."""
