"""What `manage.py up` is made of: checks before it, its processes, the first accounts, the startup message."""
