"""How moments are written for people, where Django would write "Nov. 21, 2026, 2:38 p.m."."""
