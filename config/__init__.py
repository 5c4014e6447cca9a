"""The composition root: imports everyone, is imported by no one."""
