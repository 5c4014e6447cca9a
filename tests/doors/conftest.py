"""Customers at the doors are the customers of the API."""

from tests.lookups.conftest import customer, register, tester  # noqa: F401  (fixtures)
