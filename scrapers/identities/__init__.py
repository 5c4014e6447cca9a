"""Registers that are nobody's state: who else knows a company by a number, and what can be read of them."""
