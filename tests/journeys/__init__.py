"""The product as a stranger meets it: real processes, started by the README's own command."""
