"""What tells operators the truth about the running service: who works, what waits, what is counted, which request."""
