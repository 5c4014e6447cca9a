"""The door for spreadsheets that reconcile names with registries: the Reconciliation Service API 0.2."""
