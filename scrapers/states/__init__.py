"""Every registry in one listing: a file a jurisdiction, each opening with its evidence."""
