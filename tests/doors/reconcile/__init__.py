"""The door for spreadsheets."""
