"""Makes the sandbox registry's data files, by rule and from stories told by hand; run only when they should change."""
