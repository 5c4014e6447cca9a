"""Staff and their roles, as those of them see it who may."""

from config.admin import users

__all__ = ["users"]
