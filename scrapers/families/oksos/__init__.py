"""Oklahoma's own WebForms search."""
