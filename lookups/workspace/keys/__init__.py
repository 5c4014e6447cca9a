"""Keys as people look after them: listed, made, rotated, revoked, renamed, limited."""
