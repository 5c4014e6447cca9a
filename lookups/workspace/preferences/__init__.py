"""The page Settings: the account's preferences, one's own passkeys and sessions, the account's data and its end."""
