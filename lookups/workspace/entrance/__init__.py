"""How people get into the workspace, and out of it."""
