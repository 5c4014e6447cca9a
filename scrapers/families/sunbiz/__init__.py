"""Florida: Sunbiz for companies, the secured transaction registry for liens."""
