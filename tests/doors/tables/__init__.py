"""The door for programs that read a table from an address."""
