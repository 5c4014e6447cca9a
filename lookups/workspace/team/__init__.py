"""The page Team: who is in the account, as what, and who is awaited."""
