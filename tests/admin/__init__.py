"""The admin as staff use it: its first page, and how far each task is from there."""
