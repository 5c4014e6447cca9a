"""Up to 1,000 questions in one request."""
