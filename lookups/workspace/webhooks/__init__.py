"""Where webhooks go, what signs them, and what became of each."""
