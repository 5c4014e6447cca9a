"""Everything that an account asked, by whatever way: found again by filters, exported, and opened as it was then."""
