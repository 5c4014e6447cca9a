"""An installation of an earlier version comes along with everything it holds."""
