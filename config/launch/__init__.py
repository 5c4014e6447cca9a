"""What `manage.py up` is made of: the ground it stands on, the processes it starts, the first accounts, the welcome."""
