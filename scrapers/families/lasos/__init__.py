"""Louisiana's own WebForms search."""
