"""West Virginia's own WebForms search."""
