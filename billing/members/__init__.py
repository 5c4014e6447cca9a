"""People of an account: how they prove who they are, what they may do, and who invited them."""
