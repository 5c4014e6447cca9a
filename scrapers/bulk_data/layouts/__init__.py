"""The layouts of published files, a state's under its name: which columns hold what."""
