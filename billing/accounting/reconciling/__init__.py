"""What the ledger is compared with, a module a side, and what becomes of the differences that are found."""
