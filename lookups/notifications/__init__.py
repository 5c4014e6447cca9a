"""What customers are sent unasked: webhooks and mailed results."""
