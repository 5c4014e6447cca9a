"""UCC searches that are portals of their own beside a state's business search."""
