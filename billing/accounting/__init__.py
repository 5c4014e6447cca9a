"""The ledger as accountants read it: a chart of accounts, a journal, months that are closed, numbered receipts."""
