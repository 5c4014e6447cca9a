"""What was sold, beside what the ledger says was charged."""
