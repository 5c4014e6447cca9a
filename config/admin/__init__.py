"""Staff and their roles, as those of them see it who may; loaded after every other app's pages, which it mends."""

from config.admin import skin, users

__all__ = ["users"]

skin.mend()
