"""What is owed: accounts, keys, the ledger and the ways to pay. Knows nothing of what is sold."""
