"""The search box of the first page: what anybody may try without an account, answered by the sandbox registry."""
