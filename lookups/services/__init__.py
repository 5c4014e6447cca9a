"""What the service does for a customer; knows no HTTP."""
