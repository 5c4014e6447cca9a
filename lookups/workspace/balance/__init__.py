"""What there is to spend: the balance, its statement, top-ups, receipts and budgets."""
